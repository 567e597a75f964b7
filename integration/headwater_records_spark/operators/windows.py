"""Windows: beside each function runs a list of the derivations in the same frame.

Where a write keeps members by key, no list does: each row has the key of its partition, and where its frames begin and
end in it.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from headwater_records.nested.steps import Framed, Window
from headwater_records_spark.context import Built, Context
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.expressions import read
from headwater_records_spark.jvm import EXPRESSIONS, key, kind, listed, output
from headwater_records_spark.normal import in_python
from headwater_records_spark.operators.keys import key_of

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
    keys = [read(each) for each in listed(plan.partitionSpec())]
    keys += [read(each.child()) for each in listed(plan.orderSpec())]
    step = Window(context.number(), built.step, tuple(columns), tuple(keys))
    specs = [spec for _, spec in frames.values()]
    by_key = _by_key(context, built, plan, specs, step)
    if by_key is not None:
        return by_key
    first = plan.withNewChildren(jvm.seq([built.plan]))
    members = [_members(context, built, spec) for spec in specs]
    made = jvm.copy(plan, _0=jvm.seq(members), _3=first)
    lists = output(made)[-len(members) :]
    own = F.struct(context.column(built.made_of).alias("o"), *_fields(context, lists))
    return context.finish(made, [*built.columns, *[each.toAttribute() for each in functions]], own, step)


def _by_key(context: Context, built: Built, plan: Any, specs: list[Any], step: Window) -> Built | None:
    """The window with the key of its partition and the ends of frames, counted from 1 in the order of the partition.

    Members are kept in that order, as the window sees them. None if they cannot be kept by key.
    """
    if context.members is None or in_python(plan):
        return None
    key = key_of(context, context.members, built, listed(plan.partitionSpec()))
    if key is None:
        return None
    kept = F.max(context.column(context.members.kept(step.number, built, key, ())))
    # what is not needed of a partition is left out by Spark only if no function asks for more
    all_seen = specs[0] if all(map(_is_expanding, specs)) else _of_all(context, specs[0])
    ends = [(spec, _upto(context, spec)) for spec in specs]
    counted = {each.toString(): each for pair in ends for each in pair}
    counts = [_over(context, built, F.count(F.lit(1)), each) for each in counted.values()]
    parts = [_over(context, built, kept, all_seen), *counts]
    functions = listed(plan.windowExpressions())
    made = context.jvm.copy(plan, _0=context.jvm.seq([*functions, *parts]), _3=built.plan)
    first, *numbers = map(context.column, output(made)[-len(parts) :])
    count = dict(zip(counted, numbers, strict=True))
    own = [
        context.column(built.made_of).alias("o"),
        F.struct(first.alias("a"), key.b.alias("b")).alias("w"),
        *[
            _between(count[spec.toString()], count[upto.toString()]).alias(f"f{number}")
            for number, (spec, upto) in enumerate(ends)
        ],
    ]
    columns = [*built.columns, *[each.toAttribute() for each in functions]]
    return context.finish(made, columns, F.struct(*own), step)


def _between(size: Column, last: Column) -> Column:
    """The positions of the first and the last row of a frame of so many."""
    return F.struct((last - size + 1).cast("int").alias("lo"), last.cast("int").alias("hi"))


def _over(context: Context, built: Built, function: Column, spec: Any) -> Any:
    aggregate = context.jvm.aggregate(built.plan, function.alias(context.name()))
    expression = context.jvm.type(EXPRESSIONS + "WindowExpression")(aggregate.child(), spec)
    return context.jvm.alias(expression, aggregate.toAttribute())


def _upto(context: Context, spec: Any) -> Any:
    """The window from its beginning to the end of the frame."""
    jvm, frame = context.jvm, spec.frameSpecification()
    begin = jvm.one(EXPRESSIONS + "UnboundedPreceding")
    return jvm.copy(spec, _2=jvm.copy(frame, _1=begin))


def _is_expanding(spec: Any) -> bool:
    """Whether the frame is of the rows up to this one, by their order."""
    frame = spec.frameSpecification()
    kinds = [kind(each) for each in (frame.frameType(), frame.lower(), frame.upper())]
    return kinds == ["RowFrame", "UnboundedPreceding", "CurrentRow"]


def _fields(context: Context, lists: list[Any]) -> list[Any]:
    return [context.column(each).alias(f"f{number}") for number, each in enumerate(lists)]


def _spec(context: Context, expression: Any) -> Any:
    function, spec = expression.windowFunction(), expression.windowSpec()
    ignores = kind(function) in {"Lag", "Lead", "NthValue"} and function.ignoreNulls()
    if kind(function) not in OF_ALL and not ignores:
        return spec
    return _of_all(context, spec)


def _of_all(context: Context, spec: Any) -> Any:
    jvm = context.jvm
    names = ("RowFrame", "UnboundedPreceding", "UnboundedFollowing")
    frame = jvm.type(EXPRESSIONS + "SpecifiedWindowFrame")(*[jvm.one(EXPRESSIONS + name) for name in names])
    return jvm.copy(spec, _2=frame)


def _members(context: Context, built: Built, spec: Any) -> Any:
    return _over(context, built, F.collect_list(context.column(built.made_of)), spec)


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
