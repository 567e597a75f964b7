"""``applyInPandas``: a function of whole groups, of which each row of the result is made of all rows of its group.

The function runs inside another one, which takes the derivations off its argument and puts them beside its result. The
driver does not read it: what was pickled is only unpickled where Spark would.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StringType, StructType

from headwater_records.nested.expressions import Column, Computed
from headwater_records.nested.steps import Flatten, Group
from headwater_records_spark.context import Built, Context
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.jvm import LOGICAL, key, output
from headwater_records_spark.jvm import listed as values_of
from headwater_records_spark.operators.groups import list_of

GROUPED_MAP = 201
"""Of functions that take and give a data frame of pandas; others take iterators of them."""


def in_pandas(context: Context, plan: Any) -> Built:
    """The rows that a function makes of each group."""
    function = plan.functionExpr()
    if function.evalType() != GROUPED_MAP or not function.func().broadcastVars().isEmpty():
        reason = "only functions from one frame to one frame, without broadcast variables, are run again"
        raise UntraceableError("FlatMapGroupsInPandas", reason)
    built = context.build(plan.child())
    jvm = context.jvm
    grouping = values_of(plan.groupingAttributes())
    data, wanted = output(plan.child())[len(grouping) :], output(plan)
    given = context.name()
    member = F.to_json(F.struct(context.column(built.made_of).alias("m"))).alias(given)
    below = jvm.select(built.plan, [*grouping, *data], member)
    names = context.name(), context.name()
    schema = jvm.frame(jvm.one(LOGICAL + "LocalRelation").apply(plan.output())).schema
    returned = StructType([*schema.fields]).add(names[0], StringType()).add(names[1], IntegerType())
    wrapped = F.pandas_udf(_beside(_pickled(context, function), schema.names, names), returned, GROUPED_MAP)
    call = wrapped(*map(context.column, [*data, output(below)[-1]]))
    added = [
        each.toAttribute()
        for each in (
            jvm.expression(below, F.lit("").alias(names[0])),
            jvm.expression(below, F.lit(0).alias(names[1])),
        )
    ]
    udf = jvm.expression(below, call.alias("x")).child()
    made = jvm.copy(plan, _1=udf, _2=jvm.seq([*wanted, *added]), _3=below)
    context.ordered.add("applyInPandas")
    opaque = Computed(tuple(Column(key(each)) for each in data))
    keys = tuple(Column(key(each)) for each in grouping)
    group = Group(
        context.number(),
        built.step,
        keys,
        tuple((key(each), opaque) for each in wanted),
        (),
        "group in pandas",
    )
    step = Flatten(context.number(), group, Computed(()), (), kind="rows of the group")
    members = F.from_json(context.column(added[0]), list_of(context, built, []))
    pair = F.struct(F.struct(members.alias("m")).alias("c"), context.column(added[1]).alias("n"))
    finished = context.finish(made, wanted, pair, step)
    _note_groups(context, finished, group)
    return finished


def _note_groups(context: Context, finished: Built, group: Group) -> None:
    """The groups alone: the first row of each has its members."""
    row, name = context.column(finished.made_of), context.name()
    groups = context.jvm.over(
        finished.plan,
        lambda frame: frame.filter(row.getField("n") == 1).select(row.getField("c").alias(name)),
    )
    context.built.append(Built(groups, output(groups)[-1], group, ()))


def _pickled(context: Context, function: Any) -> bytes:
    tag = context.jvm.one("scala.reflect.ClassTag").Byte()
    return bytes(function.func().command().toArray(tag))


def _beside(command: bytes, columns: list[str], added: tuple[str, str]) -> Callable[[Any, Any], Any]:
    """The function with the members of the group, as JSON, and a number in two more columns of its result."""

    def apply(group: Any, rows: Any) -> Any:
        import inspect  # noqa: PLC0415 - where it runs

        from pyspark import cloudpickle  # noqa: PLC0415 - where it runs

        function = cloudpickle.loads(command)[0]
        members, frame = rows.iloc[:, -1], rows.iloc[:, :-1]
        takes_key = len(inspect.getfullargspec(function).args) == 2
        result = function(group, frame) if takes_key else function(frame)
        if not len(result.columns):
            return result
        if not any(isinstance(each, str) for each in result.columns):
            result = result.set_axis(columns, axis=1)
        texts = "[" + ",".join(members) + "]"
        return result.assign(**{added[0]: texts, added[1]: range(1, len(result) + 1)})

    return apply
