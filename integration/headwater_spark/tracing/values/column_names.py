"""Columns whose names are values.

A pivot names columns after values of the column by which it distributes others, and an unpivot writes names of columns
as values. Names of columns that were read may be values that another job made names of: nobody knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

from headwater_facets.kinds import Access, LineageType, Manipulation, Retains, Subtype
from headwater_plan.nodes import AggregateCall, Call, Case, Cast, Column, Element, Expression, Literal
from headwater_plan.types import AtomicType
from headwater_spark.tracing.values.functions import direct
from headwater_spark.tracing.values.ids import only
from headwater_spark.tracing.values.value import How, Value, apply, collapse

_DATE: Final = AtomicType("date")
_TIMESTAMP: Final = AtomicType("timestamp")
_EPOCH: Final = date(1970, 1, 1)


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
        text = _text(value)
        return text is None or name == text or name.startswith(f"{text}_")
    return value is None or name.startswith(("{", "["))


def _text(literal: Literal) -> str | None:
    """The value as Spark casts it to text; None where that is not known. Of a date, Spark has the number of days."""
    match literal.value:
        case None:
            return "null" if literal.text == "NULL" else None
        case bool():
            return str(literal.value).lower()
        case int() if literal.type == _DATE:
            return (_EPOCH + timedelta(literal.value)).isoformat()
        case int() if literal.type == _TIMESTAMP:
            return None
        case _:
            return str(literal.value)


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


def named(row: tuple[Expression, ...], at: int) -> tuple[Column, ...]:
    """The columns whose names an unpivoted row has as a value: they stand behind it."""
    value, columns = row[at], tuple(map(_without_cast, row[at + 1 :]))
    found = tuple(each for each in columns if isinstance(each, Column))
    is_name = isinstance(value, Literal) and value.value == "_".join(each.name for each in found)
    return found if is_name and len(found) == len(columns) else ()


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
