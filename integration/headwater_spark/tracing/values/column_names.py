"""Columns whose names are values.

A pivot names columns after values of the column by which it distributes others, and an unpivot writes names of columns
as values. Which values a pivot without a list has is collected by Spark; a list that the program gives is as good as
collected once it has collected anything, else its names are the program's own, and the column decides only.

Names of columns that were read may be values that another job made names of: nobody knows.
"""

from __future__ import annotations

from typing import Final

from headwater_facets.kinds import Access, LineageType, Manipulation, Retains, Subtype
from headwater_spark.ir import AggregateCall, Call, Case, Cast, Column, Element, Expression, Literal
from headwater_spark.tracing.values.functions import direct
from headwater_spark.tracing.values.ids import only
from headwater_spark.tracing.values.readback import is_constant
from headwater_spark.tracing.values.value import How, Value, apply, collapse

_PIVOT: Final = "PivotFirst"


def pivoting(e: Expression) -> Expression | None:
    """What an aggregate distributes its argument by; Spark has two ways to write a pivot."""
    call = e.call if isinstance(e, AggregateCall) else None
    if not isinstance(call, Call) or not call.args:
        return None
    if call.function == _PIVOT:
        return call.args[0]
    match call.args[0]:
        case Case(predicates=(Call(function="EqualNullSafe", args=(by, value)),)) if is_constant(value):
            return by
        case _:
            return None


def pivoted_column(e: Expression) -> int | None:
    """The id of the column out of which a pivoted value is taken."""
    return e.child.id if isinstance(e, Element) and isinstance(e.child, Column) else None


def is_array_of_pivoted(e: Expression) -> bool:
    """Whether the column is the array of all pivoted values, which has a name of Spark's."""
    return isinstance(e, AggregateCall) and isinstance(e.call, Call) and e.call.function == _PIVOT


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
