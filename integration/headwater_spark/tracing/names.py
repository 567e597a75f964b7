"""Names of columns that Spark has made of expressions, without the constants that must not leave.

Spark calls a column without an alias by its expression: ``concat(name, 123-45-6789)``. In a dataset the column really
has that name, and is reported under it. Between operators the name is only a text about the expression, so it is our
text of it, in which constants are as they may leave: ``concat(name, <string>)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from headwater_plan.nodes import (
    Aggregate,
    Attribute,
    Cast,
    Column,
    Definition,
    Expression,
    Literal,
    Project,
    Recursion,
    Relation,
    Rename,
    Shown,
    Union,
    Window,
)
from headwater_plan.traversal import in_order, within
from headwater_spark.tracing.sql import sql

_WORD: Final = re.compile(r"\w+")


def shown_names(root: Relation) -> Mapping[int, str]:
    """By expression id, what to call each column below the root whose name may hold a constant."""
    names: dict[int, str] = {}
    relations = list(in_order(root))
    rounds = [r for r in relations if isinstance(r, Recursion)]
    for relation in relations * (2 if rounds else 1):  # a round's columns are known after the first one
        match relation:
            case (
                Project(definitions=definitions)
                | Aggregate(definitions=definitions)
                | Window(definitions=definitions)
            ):
                names.update(_of_definitions(definitions, names))
            case Recursion(outputs=outputs, anchor=anchor, previous=previous):
                names.update(_by_position(outputs, anchor, names))
                names.update(_by_position(previous.outputs, anchor, names))
            case Rename(outputs=outputs, child=child):
                names.update(_by_position(outputs, child, names))
            case Union(outputs=outputs, inputs=inputs):
                for each in reversed(inputs):
                    names.update(_by_position(outputs, each, names))
            case _:
                pass
    return names


def _of_definitions(definitions: Iterable[Definition], names: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    for each in definitions:
        e, a = each.expression, each.attribute
        if isinstance(e, Column):
            if e.id in names and (e.id == a.id or e.name == a.name):
                yield a.id, names[e.id]
        elif _may_be_made_of(e, a.name) and _holds(e, names):
            yield a.id, sql(e, names=names)


def _by_position(
    outputs: Sequence[Attribute], child: Relation, names: Mapping[int, str]
) -> Iterator[tuple[int, str]]:
    pairs = zip(outputs, child.outputs, strict=False)
    return ((a.id, names[b.id]) for a, b in pairs if b.id in names and a.name == b.name)


def _may_be_made_of(e: Expression, name: str) -> bool:
    """Whether Spark may have made the name of the expression: a word is an alias, unless it is the constant itself."""
    while isinstance(e, Cast):
        e = e.child
    same = isinstance(e, Literal) and str(e.value).casefold() == name.casefold()
    return same or not _WORD.fullmatch(name)


def _holds(e: Expression, names: Mapping[int, str]) -> bool:
    """Whether a constant that must not leave is in the expression, or in the name of one of its columns."""
    return any(
        (isinstance(part, Literal) and _is_hidden(part)) or (isinstance(part, Column) and part.id in names)
        for part in within(e)
    )


def _is_hidden(e: Literal) -> bool:
    return e.value is not None and (e.shown is not Shown.VALUE or e.as_value != e.text)
