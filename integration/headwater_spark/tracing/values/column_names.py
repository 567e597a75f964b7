"""Columns whose names are values.

A pivot names columns after values of the column by which it distributes others, and an unpivot writes names of columns
as values: Spark's own, or one that a program makes of the constants ``lit(name)`` beside the columns. Names of columns
that were read may be values that another job made names of: nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from headwater_facets.kinds import Access, LineageType, Manipulation, Retains, Subtype
from headwater_plan.nodes import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Column,
    Construct,
    Element,
    Expression,
    Literal,
)
from headwater_plan.traversal import parts_of
from headwater_plan.types import ArrayType, MapType
from headwater_spark.tracing.values.functions.steps import direct
from headwater_spark.tracing.values.ids import only
from headwater_spark.tracing.values.literals import text_of
from headwater_spark.tracing.values.value import How, Value, apply, collapse


class Pivoting(NamedTuple):
    """What an aggregate distributes its argument by, and for which values of that: into an array, or one alone."""

    by: Expression
    values: tuple[Expression, ...]
    in_array: bool


def pivoting(e: Expression) -> Pivoting | None:
    """What a pivot's aggregate distributes by; Spark has two ways to write one."""
    call = e.call if isinstance(e, AggregateCall) else None
    match call:
        case Call(function="pivot_first", args=(by, _, *values)):
            return Pivoting(by, tuple(values), in_array=True)
        case Call(args=(Case(predicates=(Call(function="<=>", args=(by, value)),)), *_)):
            return Pivoting(by, (value,), in_array=False)
        case _:
            return None


def pivoted_column(e: Expression) -> tuple[int, int] | None:
    """The id of the column out of which a pivoted value is taken, and the position of the value."""
    match e:
        case Element(child=Column(id=column), key=Literal(value=int(position))):
            return column, position
        case _:
            return None


def is_named_after(name: str, values: Sequence[Expression], position: int = 0) -> bool:
    """Whether the column has the name that a pivot gives it for the value at that position, or may have it: plans do
    not always have the values.
    """
    value = _without_cast(values[position]) if 0 <= position < len(values) else None
    if isinstance(value, Literal):
        text = text_of(value)
        return text is None or name == text or name.startswith(f"{text}_")
    return value is None or name.startswith(("{", "["))


def in_name(by: Value, operator: int) -> Value:
    """The values of a column in the names of others."""
    how = direct(
        operator,
        Manipulation.SERIALIZE,
        subtype=Subtype.TRANSFORMATION,
        function="pivot",
        retains=Retains.CONTAINS,
    )
    return apply(collapse(by), how)


def rows_beside(collection: Expression) -> Iterator[tuple[Expression, ...]]:
    """The rows that a program makes of columns of one, to be taken apart later: structs in an array, pairs in a map."""
    if not isinstance(collection, Construct):
        return
    parts = [part for _, part in collection.parts]
    if isinstance(collection.type, MapType):
        yield from zip(parts[::2], parts[1::2], strict=False)
    elif isinstance(collection.type, ArrayType):
        structs = (_without_cast(part) for part in parts)
        yield from (tuple(p for _, p in s.parts) for s in structs if isinstance(s, Construct))


def rows_stacked(values: Sequence[Expression], width: int) -> Iterator[tuple[Expression, ...]]:
    """The rows of ``stack``."""
    return (tuple(values[begin : begin + width]) for begin in range(0, len(values), width))


def named(name: Literal, row: Sequence[Expression]) -> tuple[Column, ...]:
    """The columns in an unpivoted row that have the constant as their name, each or together."""
    columns = tuple(found for e in row for found in _columns(e))
    alone = tuple(each for each in columns if each.name == name.value)
    together = len(columns) > 1 and name.value == "_".join(each.name for each in columns)
    return columns if together else alone


def _columns(e: Expression) -> Iterator[Column]:
    if isinstance(e, Column):
        yield e
    for part in parts_of(e):
        yield from _columns(part)


def perhaps_in_name(column: Value, name: str, operator: int) -> Value:
    """The column's own value, which may be in its name, if that was read from a dataset."""
    as_read = (e for e in column.edges if e.how.carries_structure and (e.origin.name, *e.path)[-1] == name)
    how = How(
        LineageType.INDIRECT,
        Subtype.CONDITIONAL,
        manipulation=(Manipulation.OPAQUE,),
        access=Access.DRIVER,
        operators=only(operator),
    )
    return Value(tuple(e._replace(how=how) for e in as_read))


def _without_cast(e: Expression) -> Expression:
    while isinstance(e, Cast):
        e = e.child
    return e
