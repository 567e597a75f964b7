"""Mappings as values.

``place`` is where something stands in its text, and ``remarks`` are comments that are written in front of it. Neither
takes part in comparisons, and what is read has no remarks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias


class Place(NamedTuple):
    """Line and column, from 1."""

    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an entity."""

    entity: str
    name: str
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class Text:
    """A constant text."""

    value: str


@dataclass(frozen=True, slots=True)
class Value:
    """A number or a date (``DD.MM.YYYY``), as it is written."""

    text: str


@dataclass(frozen=True, slots=True)
class Substring:
    """The characters ``start`` to ``end`` of an attribute, as they are written."""

    of: Attribute
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class Concatenation:
    """Two or more parts behind each other."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Computation:
    """Two operands of ``+``, ``-``, ``x`` or ``/``."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Aggregation:
    """SUM, AVG, MIN or MAX of an attribute."""

    function: str
    of: Attribute


Expression: TypeAlias = Attribute | Text | Value | Substring | Concatenation | Computation | Aggregation


@dataclass(frozen=True, slots=True)
class Comparison:
    """An attribute against an attribute, a value or a text."""

    left: Attribute
    operator: str
    right: Attribute | Text | Value


@dataclass(frozen=True, slots=True)
class AllOf:
    """Conditions that all hold (AND)."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Conditions of which one holds (OR)."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = Comparison | AllOf | AnyOf


@dataclass(frozen=True, slots=True)
class With:
    """An expression, and the condition under which it is taken; without one it always is."""

    expression: Expression
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Populate:
    """An attribute, and what it is populated with: the first of which the condition holds."""

    attribute: Attribute
    choices: tuple[With, ...]
    remarks: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Navigation:
    """How a second entity is joined: pairs of attributes that are equal."""

    source: str
    target: str
    pairs: tuple[tuple[Attribute, Attribute], ...]
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class Mapping:
    """How an entity is populated from a driving one."""

    target: str
    driving: str
    populates: tuple[Populate, ...]
    filter: Condition | None = None
    navigation: Navigation | None = None
    place: Place = field(default=Place(), compare=False)
    remarks: tuple[str, ...] = field(default=(), compare=False)


def attributes(node: Expression | Condition | None) -> Iterator[Attribute]:
    """The attributes in an expression or a condition, from left to right."""
    match node:
        case Attribute():
            yield node
        case Substring(of=of) | Aggregation(of=of):
            yield of
        case Concatenation(parts) | AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from attributes(part)
        case Computation(_, left, right) | Comparison(left, _, right):
            yield from attributes(left)
            yield from attributes(right)
        case _:
            return


def used_in(populate: Populate) -> Iterator[Attribute]:
    """The attributes in the expressions and conditions of a populate clause."""
    for choice in populate.choices:
        yield from attributes(choice.expression)
        yield from attributes(choice.condition)


def sources_in(mapping: Mapping) -> Iterator[Attribute]:
    """The attributes that a mapping reads."""
    for each in mapping.populates:
        yield from used_in(each)
    yield from attributes(mapping.filter)
    for pair in mapping.navigation.pairs if mapping.navigation else ():
        yield from pair


def depth(node: Expression | Condition | None) -> int:
    """How many expressions or conditions are inside each other; 1 for one without parts."""
    deepest, pending = 0, [(node, 1)]
    while pending:
        each, level = pending.pop()
        deepest = max(deepest, level)
        match each:
            case Concatenation(parts) | AllOf(parts) | AnyOf(parts):
                pending += [(part, level + 1) for part in parts]
            case Computation(_, left, right):
                pending += [(left, level + 1), (right, level + 1)]
            case _:
                continue
    return deepest
