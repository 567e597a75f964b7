"""Functions of Python over whole groups and partitions: each row is made of all rows of its group or its partition.

Of two inputs that are grouped together, it is made of all rows of both groups.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F

from headwater_records.nested.expressions import Column, Computed
from headwater_records.nested.steps import Flatten, Group, Join, Select
from headwater_records_spark.context import Built, Context, keys
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.jvm import key, kind, listed, output
from headwater_records_spark.operators import python_functions as python


def of_partitions(context: Context, plan: Any) -> Built:
    """``mapInPandas`` and ``mapInArrow``: the rows that a function makes of each partition."""
    if plan.isBarrier():
        raise UntraceableError(kind(plan), "in barrier mode partitions may tell each other of their rows")
    function = python.function_of(plan, plan.functionExpr(), (python.MAP_IN_PANDAS, python.MAP_IN_ARROW))
    built = context.build(plan.child())
    data = output(plan.child())
    below = python.with_members(context, built, data)
    found = python.called(
        context, output(plan), function, output(below),
        lambda call, columns: context.jvm.copy(plan, _0=call, _1=columns, _2=below),
    )  # fmt: skip
    return _of_one(context, plan, built, [], found)


def of_groups(context: Context, plan: Any) -> Built:
    """``applyInPandas`` and ``applyInArrow``: the rows that a function makes of each group."""
    evaluated = (python.GROUPS_IN_PANDAS, python.GROUPS_IN_ARROW)
    function = python.function_of(plan, plan.functionExpr(), evaluated)
    built = context.build(plan.child())
    grouping = listed(plan.groupingAttributes())
    data = output(plan.child())[len(grouping) :]
    below = python.with_members(context, built, [*grouping, *data])
    found = python.called(
        context, output(plan), function, [*data, output(below)[-1]],
        lambda call, columns: context.jvm.copy(plan, _1=call, _2=columns, _3=below),
    )  # fmt: skip
    return _of_one(context, plan, built, grouping, found)


def _of_one(context: Context, plan: Any, built: Built, grouping: list[Any], found: python.Called) -> Built:
    _noted(context, plan)
    data = keys(output(plan.child())[len(grouping) :])
    opaque = Computed(tuple(map(Column, data)))
    by = tuple(Column(key(each)) for each in grouping)
    outputs = tuple((key(each), opaque) for each in output(plan))
    of = "group" if kind(plan).startswith("FlatMap") else "partition"
    group = Group(context.number(), built.step, by, outputs, (), f"{of} in Python")
    step = Flatten(context.number(), group, Computed(()), (), kind=f"rows of the {of}")
    python.note(context, found, group, F.struct(python.members(context, built, found.of_lists[0]).alias("m")))
    member = F.struct(python.members(context, built, found.texts[0]).alias("m"))
    pair = F.struct(member.alias("c"), context.column(found.number).alias("n"))
    return context.finish(found.rows, output(plan), pair, step)


def of_cogroups(context: Context, plan: Any) -> Built:
    """The rows that a function makes of each two groups with the same key."""
    evaluated = (python.COGROUPS_IN_PANDAS, python.COGROUPS_IN_ARROW)
    function = python.function_of(plan, plan.functionExpr(), evaluated)
    sides = [context.build(each) for each in (plan.left(), plan.right())]
    lengths = (plan.leftGroupingLen(), plan.rightGroupingLen())
    given = [output(each) for each in (plan.left(), plan.right())]
    below = [python.with_members(context, each, columns) for each, columns in zip(sides, given, strict=True)]
    passed = [output(each)[length:] for each, length in zip(below, lengths, strict=True)]
    found = python.called(
        context, output(plan), function, [*passed[0], *passed[1]],
        lambda call, columns: context.jvm.copy(plan, _2=call, _3=columns, _4=below[0], _5=below[1]),
        inputs=2,
    )  # fmt: skip
    _noted(context, plan)
    data = [columns[length:] for columns, length in zip(given, lengths, strict=True)]
    groups = [
        Group(
            context.number(), built.step, tuple(map(Column, keys(columns[:length]))),
            tuple((each, Computed((Column(each),))) for each in keys(columns[length:])), (), "group in Python",
        )
        for built, columns, length in zip(sides, given, lengths, strict=True)
    ]  # fmt: skip
    both = Join(context.number(), "cogroup", groups[0], groups[1], (), keys(data[1]))
    opaque = Computed(tuple(map(Column, keys([*data[0], *data[1]]))))
    outputs = tuple((key(each), opaque) for each in output(plan))
    select = Select(context.number(), both, outputs, "function of groups")
    step = Flatten(context.number(), select, Computed(()), (), kind="rows of the group")
    in_lists = _pair(context, sides, found.of_lists)
    for inner, value in (
        (groups[0], in_lists.getField("l")), (groups[1], in_lists.getField("r")), (both, in_lists),
        (select, in_lists),
    ):  # fmt: skip
        python.note(context, found, inner, value)
    pair = F.struct(_pair(context, sides, found.texts).alias("c"), context.column(found.number).alias("n"))
    return context.finish(found.rows, output(plan), pair, step)


def _pair(context: Context, sides: list[Built], texts: list[Any]) -> Any:
    """The derivation of two groups, of which one may have no members."""
    lists = [python.members(context, built, text) for built, text in zip(sides, texts, strict=True)]
    left, right = (F.when(F.size(each) > 0, F.struct(each.alias("m"))) for each in lists)
    return F.struct(left.alias("l"), right.alias("r"))


def _noted(context: Context, plan: Any) -> None:
    """Another run may give a function its rows in another order."""
    context.ordered.add(f"a function of Python ({kind(plan)})")
