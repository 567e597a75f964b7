"""What an expression copies, restructures and looks at, by path; ``undo`` carries a tree back through it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from headwater_records.nested.tree import Step, Tree


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the input, by its key."""

    key: str


@dataclass(frozen=True, slots=True)
class Part:
    """A field, an element (by position, or None: an unknown one) or the field of every element of a value.

    ``steps`` lead from the value to the part.
    """

    of: Expression
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class EachField:
    """The list of one field of all elements: position i of it is that field of element i."""

    of: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct that is made of values."""

    names: tuple[str, ...]
    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """An array that is made of values."""

    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values, and what decides which."""

    values: tuple[Expression, ...]
    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Computed:
    """A value that is computed of others, or of none: a constant."""

    inputs: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Aggregated:
    """The result of an aggregate of the group, by its number."""

    number: int


Expression = Column | Part | EachField | Struct | Listed | Choice | Computed | Aggregated
Asked = list[tuple[int, Tree]]
"""What is asked of which aggregate."""


def undo(  # noqa: PLR0912 - one case for each kind of expression
    expression: Expression, tree: Tree, item: Tree, step: int, asked: Asked | None = None
) -> None:
    """Add to ``item`` (a tree over the input's columns) what ``tree`` asks of the expression's result."""
    if tree.empty:
        return
    match expression:
        case Column(key):
            item.at((key,)).unite(tree, step)
        case Part(of, steps):
            for each in reversed(steps):
                tree = tree.below(each)
            undo(of, tree, item, step, asked)
        case EachField(of, name):
            undo(of, _spread(tree, name), item, step, asked)
        case Struct(names, values):
            for name, value in zip(names, values, strict=True):
                undo(value, tree.part(name), item, step, asked)
        case Listed(values):
            for position, value in enumerate(values, 1):
                undo(value, tree.part(position), item, step, asked)
        case Choice(values, conditions):
            for value in values:
                undo(value, tree, item, step, asked)
            for condition in conditions:
                access(condition, item, step, asked)
        case Computed(inputs):
            whole = tree.whole()
            whole.accessed.add(step)
            for value in inputs:
                undo(value, whole, item, step, asked)
        case Aggregated(number):
            if asked is not None:
                asked.append((number, tree))


def access(expression: Expression, item: Tree, step: int, asked: Asked | None = None) -> None:
    """Add what the expression looks at as influencing."""
    looked = Tree(bound=True, accessed={step})
    for part in looked_at(expression):
        found = Tree()
        undo(part, looked, found, step, asked)
        for node in found.nodes():
            node.manipulated.discard(step)
        item.unite(found)


def looked_at(expression: Expression) -> Iterator[Expression]:
    """The parts of columns below an expression: what computes looks at its inputs, and a struct at its values."""
    match expression:
        case Computed(parts) | Listed(parts) | Struct(_, parts):
            yield from _each(parts)
        case Choice(values, conditions):
            yield from _each((*values, *conditions))
        case _:
            yield expression


def root_of(part: Expression) -> str | None:
    """The column that a part is of, if it is a part of one."""
    while isinstance(part, Part | EachField):
        part = part.of
    return part.key if isinstance(part, Column) else None


def _each(parts: Iterable[Expression]) -> Iterator[Expression]:
    for part in parts:
        yield from looked_at(part)


def _spread(tree: Tree, name: str) -> Tree:
    """What is asked of a list of fields, asked of the list of structs: ``[2]`` becomes ``[2].name``."""
    asked = Tree()
    if tree.bound:
        own = Tree(True, tree.contributes, set(tree.accessed), set(tree.manipulated))
        asked.at((None, name)).unite(own)
    for position, child in tree.children.items():
        asked.at((position, name)).unite(child)
    return asked
