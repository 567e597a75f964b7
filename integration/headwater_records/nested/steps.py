"""The steps of a pipeline over nested records, and the shape of a derivation in each.

A derivation says which records a record was made of. It is a nested tuple in the shape of the steps:

| step | derivation |
|---|---|
| Read | (source's part, position) |
| Same (filter, sort, limit), Select | the input's |
| Flatten | (the input's, position or None) |
| Variants (grouping sets) | (the input's, number) |
| Join | (left's or None, right's or None); what all have in common may be kept once, in the step |
| Matched (semi and existence joins) | (left's, [right's]) |
| Union | (input's number, first's or None, second's or None …) |
| Group | ([(member's, marks)],) |
| Window | (own, [members of frame 0], [of frame 1] …) |

The mark of a member says whether an aggregate used it; for a set that was collected, the position of its value.
Columns have keys that are unique in the whole pipeline, as Spark's ``ExprId``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater_records.nested.expressions import Expression


@dataclass(frozen=True, slots=True)
class Read:
    """A source; ``columns`` are keys with their names."""

    number: int
    name: str
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Same:
    """Records pass unchanged, or not at all."""

    number: int
    kind: str
    input: Operator
    accessed: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Select:
    """Each record becomes one; a column that is not listed is dropped."""

    number: int
    input: Operator
    outputs: tuple[tuple[str, Expression], ...]
    kind: str = "select"


@dataclass(frozen=True, slots=True)
class Flatten:
    """A record for each element; ``elements`` are the columns of it, each with the steps from the element to it."""

    number: int
    input: Operator
    collection: Expression
    elements: tuple[tuple[str, tuple[str, ...]], ...]
    position: str | None = None
    kind: str = "flatten"


@dataclass(frozen=True, slots=True)
class Variants:
    """Several records of each, one for each grouping set."""

    number: int
    input: Operator
    variants: tuple[tuple[tuple[str, Expression], ...], ...]


Once = Callable[[], Sequence[Any] | None]
"""The derivation of the one record that a side has; None if it has none."""


@dataclass(frozen=True, slots=True)
class Join:
    """Pairs of records; ``once`` gives what all of them have on the left, or on the right, where no derivation does."""

    number: int
    kind: str
    left: Operator
    right: Operator
    accessed: tuple[Expression, ...]
    right_columns: tuple[str, ...]
    once: tuple[Once | None, Once | None] = field(default=(None, None), compare=False)


@dataclass(frozen=True, slots=True)
class Matched:
    """Records with all that match them on the other side; ``exists`` is the column that says whether any does."""

    number: int
    kind: str
    left: Operator
    right: Operator
    accessed: tuple[Expression, ...]
    right_columns: tuple[str, ...]
    exists: str | None = None


@dataclass(frozen=True, slots=True)
class Union:
    """The records of all inputs; ``columns`` are the output's keys, each with that of every input."""

    number: int
    inputs: tuple[Operator, ...]
    columns: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A function over the members of a group, and what it takes of each.

    ``collects`` is ``list`` or ``set`` where an element of the result is the value of single members; ``mark`` is the
    number of its mark in a derivation, or -1 if it uses all members.
    """

    name: str
    arguments: tuple[Expression, ...]
    conditions: tuple[Expression, ...] = ()
    collects: str = ""
    mark: int = -1


@dataclass(frozen=True, slots=True)
class Group:
    """A record for each group."""

    number: int
    input: Operator
    keys: tuple[Expression, ...]
    outputs: tuple[tuple[str, Expression], ...]
    aggregates: tuple[Aggregate, ...]
    kind: str = "group"


@dataclass(frozen=True, slots=True)
class Framed:
    """A column of a window: its key, function, arguments, and the number of the frame whose members it is made of."""

    key: str
    name: str
    arguments: tuple[Expression, ...]
    frame: int


@dataclass(frozen=True, slots=True)
class Window:
    """Each record with columns that are made of a frame around it."""

    number: int
    input: Operator
    columns: tuple[Framed, ...]
    accessed: tuple[Expression, ...]


Operator = Read | Same | Select | Flatten | Variants | Join | Matched | Union | Group | Window


def inputs_of(step: Operator) -> tuple[Operator, ...]:
    """The steps that a step takes records of."""
    match step:
        case Read():
            return ()
        case Join() | Matched():
            return (step.left, step.right)
        case Union():
            return step.inputs
        case _:
            return (step.input,)


def steps_of(step: Operator) -> Iterator[Operator]:
    """All steps up to this one, in the order of their numbers."""
    for each in inputs_of(step):
        yield from steps_of(each)
    yield step


def title_of(step: Operator) -> str:
    """What a step is, in a word or two."""
    match step:
        case Read():
            return f"read {step.name}"
        case Same() | Select() | Flatten() | Group():
            return step.kind
        case Join() | Matched():
            return f"{step.kind} join"
        case Variants():
            return "grouping sets"
        case _:
            return type(step).__name__.lower()
