"""Windows: beside each function runs a list of the derivations in the same frame."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F

from headwater_records.nested.steps import Framed, Window
from headwater_records_spark.context import Built, Context
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.expressions import read
from headwater_records_spark.jvm import EXPRESSIONS, key, kind, listed, output

OF_ALL = {"NTile", "PercentRank", "CumeDist"}
"""Functions whose result depends on the whole partition, whatever their frame."""
RANKS = {"RowNumber", "Rank", "DenseRank", *OF_ALL}


def window(context: Context, plan: Any) -> Built:
    """A window with one partition and order, and one or more frames."""
    built = context.build(plan.child())
    jvm = context.jvm
    functions = listed(plan.windowExpressions())
    frames: dict[str, tuple[int, Any]] = {}
    columns = []
    for each in functions:
        expression = each.child()
        if kind(expression) != "WindowExpression":
            raise UntraceableError(f"Window ({kind(expression)})")
        spec = _spec(context, expression)
        number = frames.setdefault(spec.toString(), (len(frames), spec))[0]
        columns.append(_column(each, expression, number, plan))
    context.ordered.add("a window")
    first = plan.withNewChildren(jvm.seq([built.plan]))
    members = [_members(context, built, spec) for _, spec in frames.values()]
    made = jvm.copy(plan, _0=jvm.seq(members), _3=first)
    lists = output(made)[-len(members) :]
    own = [F.struct(context.column(built.made_of).alias("o"), *_fields(context, lists))]
    keys = [read(each) for each in listed(plan.partitionSpec())]
    keys += [read(each.child()) for each in listed(plan.orderSpec())]
    step = Window(context.number(), built.step, tuple(columns), tuple(keys))
    return context.finish(made, [*built.columns, *[each.toAttribute() for each in functions]], own[0], step)


def _fields(context: Context, lists: list[Any]) -> list[Any]:
    return [context.column(each).alias(f"f{number}") for number, each in enumerate(lists)]


def _spec(context: Context, expression: Any) -> Any:
    function, spec = expression.windowFunction(), expression.windowSpec()
    ignores = kind(function) in {"Lag", "Lead", "NthValue"} and function.ignoreNulls()
    if kind(function) not in OF_ALL and not ignores:
        return spec
    jvm = context.jvm
    names = ("RowFrame", "UnboundedPreceding", "UnboundedFollowing")
    frame = jvm.type(EXPRESSIONS + "SpecifiedWindowFrame")(*[jvm.one(EXPRESSIONS + name) for name in names])
    return jvm.copy(spec, _2=frame)


def _members(context: Context, built: Built, spec: Any) -> Any:
    name = context.name()
    listing = context.jvm.aggregate(built.plan, F.collect_list(context.column(built.made_of)).alias(name))
    expression = context.jvm.type(EXPRESSIONS + "WindowExpression")(listing.child(), spec)
    return context.jvm.alias(expression, listing.toAttribute())


def _column(alias: Any, expression: Any, frame: int, plan: Any) -> Framed:
    function = expression.windowFunction()
    name = kind(function)
    if name == "AggregateExpression":
        function = function.aggregateFunction()
        name = kind(function)
    arguments = tuple(read(each) for each in listed(function.children()))
    if name in RANKS:
        arguments = tuple(read(each.child()) for each in listed(plan.orderSpec()))
    return Framed(key(alias), name, arguments, frame)
