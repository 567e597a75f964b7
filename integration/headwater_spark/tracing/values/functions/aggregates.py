"""Rules of aggregate functions, and of those over windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headwater_facets.kinds import LineageType, Manipulation, Retains, Subtype
from headwater_plan.nodes import Call
from headwater_plan.types import ELEMENT
from headwater_spark.tracing.values.functions.steps import (
    by_value,
    called,
    conditional,
    direct,
    has_parts,
    unknown,
)
from headwater_spark.tracing.values.value import How, Value, apply, collapse, constant, construct, merge


def pick(call: Call, args: Sequence[Value], operator: int) -> Value:
    """One record's value survives as it is; further arguments decide which."""
    how = direct(operator, Manipulation.PICK, subtype=Subtype.AGGREGATION)
    first, *deciding = args
    return merge((apply(first, how), *(conditional(d, operator) for d in deciding)))


def extreme(call: Call, args: Sequence[Value], operator: int) -> Value:
    """MIN, MAX: one record's value survives, chosen by the value itself. Of a struct, each member has a say."""
    picked = pick(call, args, operator)
    return merge((picked, conditional(args[0], operator))) if has_parts(call.args[0].type) else picked


def pivot_first(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Pivoted values, in an array of Spark's own making; the pivot column decides where."""
    how = direct(operator, Manipulation.PICK, subtype=Subtype.AGGREGATION)
    pivot, value = args[:2]
    return merge((construct([(ELEMENT, apply(value, how))]), conditional(pivot, operator)))


def neighbour(call: Call, args: Sequence[Value], operator: int) -> Value:
    """LAG, LEAD: another row's value, or the default."""
    how = direct(operator, Manipulation.PICK, subtype=Subtype.TRANSFORMATION)
    return merge(apply(v, how) for v in (args[0], *args[2:3]))


def nest(call: Call, args: Sequence[Value], operator: int) -> Value:
    how = direct(operator, Manipulation.NEST, subtype=Subtype.AGGREGATION)
    return construct([(ELEMENT, apply(args[0], how))])


def nest_by_value(call: Call, args: Sequence[Value], operator: int) -> Value:
    """As ``nest``, each value once, or the greatest only: the values decide which of them stay."""
    return merge((nest(call, args, operator), by_value(args[0], call.args[0].type, operator)))


def aggregate(call: Call, args: Sequence[Value], operator: int) -> Value:
    """The default of aggregate functions."""
    how = called(call, operator, Manipulation.AGGREGATE, subtype=Subtype.AGGREGATION)
    return apply(collapse(merge(args)), how) if args else unknown(call)


def count(call: Call, args: Sequence[Value], operator: int) -> Value:
    """How many, not which: masking. ``count(*)`` counts a literal and reads no path."""
    how = called(call, operator, Manipulation.COUNT, subtype=Subtype.AGGREGATION)
    counted = apply(collapse(merge(args)), how)
    return counted if counted.edges else constant(f"{call.pretty.lower()}(*)")


def text_list(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Values joined to a text, in an order that further arguments decide."""
    how = called(call, operator, Manipulation.SERIALIZE, subtype=Subtype.AGGREGATION)
    first, *deciding = args
    return merge((apply(collapse(first), how), *(conditional(d, operator) for d in deciding)))


def of_few(value: Value) -> Value:
    """The value of a window: its rows may be few, and the next window shows the difference."""
    edges = tuple(e._replace(how=_of_few(e.how)) for e in value.edges)
    members = {step: of_few(member) for step, member in value.members.items()}
    return replace(value, edges=edges, members=members)


def _of_few(how: How) -> How:
    if how.type is LineageType.INDIRECT:
        return replace(how, reveals=Retains.FACT) if how.reveals is Retains.STATISTIC else how
    counted = Manipulation.COUNT in how.manipulation
    few = how.retains is Retains.STATISTIC and not counted
    return replace(how, retains=Retains.OF_FEW) if few else how


def with_condition(value: Value, condition: Value | None, operator: int) -> Value:
    """The value, decided by a condition."""
    return value if condition is None else merge((value, conditional(condition, operator)))
