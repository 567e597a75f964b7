"""``applyInPandas``: a function of whole groups, of which each row of the result is made of all rows of its group.

Of two inputs that are grouped together, it is made of all rows of both groups.

The function runs inside another one, which takes the derivations off its argument and puts them beside its result. The
driver does not read it: what was pickled is only unpickled where Spark would.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StringType, StructType

from headwater_records.nested.expressions import Column, Computed
from headwater_records.nested.steps import Flatten, Group, Join, Select
from headwater_records_spark.context import Built, Context, keys
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.jvm import LOGICAL, key, kind, output
from headwater_records_spark.jvm import listed as values_of
from headwater_records_spark.operators.groups import list_of

GROUPED_MAP = 201
COGROUPED_MAP = 206
"""Of functions that take and give data frames of pandas; others take iterators of them."""


def in_pandas(context: Context, plan: Any) -> Built:
    """The rows that a function makes of each group."""
    function = _function(plan, GROUPED_MAP)
    built = context.build(plan.child())
    jvm = context.jvm
    grouping = values_of(plan.groupingAttributes())
    data, wanted = output(plan.child())[len(grouping) :], output(plan)
    below = _with_members(context, built, [*grouping, *data])
    udf, added = _called(context, plan, function, [below], [*data, output(below)[-1]])
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
    _note(context, finished, group, "c")
    return finished


def cogrouped_in_pandas(context: Context, plan: Any) -> Built:
    """The rows that a function makes of each two groups with the same key."""
    function = _function(plan, COGROUPED_MAP)
    jvm = context.jvm
    sides = [context.build(each) for each in (plan.left(), plan.right())]
    lengths = (plan.leftGroupingLen(), plan.rightGroupingLen())
    given = [output(each) for each in (plan.left(), plan.right())]
    below = [_with_members(context, each, columns) for each, columns in zip(sides, given, strict=True)]
    passed = [(*output(each)[length:],) for each, length in zip(below, lengths, strict=True)]
    udf, added = _called(context, plan, function, below, [each for side in passed for each in side])
    wanted = output(plan)
    made = jvm.copy(plan, _2=udf, _3=jvm.seq([*wanted, *added]), _4=below[0], _5=below[1])
    context.ordered.add("applyInPandas")
    groups = []
    for built, columns, length in zip(sides, given, lengths, strict=True):
        of_group = tuple((key(each), Computed((Column(key(each)),))) for each in columns[length:])
        by = tuple(Column(key(each)) for each in columns[:length])
        groups.append(Group(context.number(), built.step, by, of_group, (), "group in pandas"))
    data = [keys(columns[length:]) for columns, length in zip(given, lengths, strict=True)]
    both = Join(context.number(), "cogroup", groups[0], groups[1], (), data[1])
    opaque = Computed(tuple(Column(each) for side in data for each in side))
    select = Select(
        context.number(), both, tuple((key(each), opaque) for each in wanted), "function of groups"
    )
    step = Flatten(context.number(), select, Computed(()), (), kind="rows of the group")
    members = [
        F.from_json(context.column(each), list_of(context, built, []))
        for each, built in zip(added[:2], sides, strict=True)
    ]
    left, right = (F.when(F.size(each) > 0, F.struct(each.alias("m"))) for each in members)
    pair = F.struct(
        F.struct(left.alias("l"), right.alias("r")).alias("c"), context.column(added[2]).alias("n")
    )
    finished = context.finish(made, wanted, pair, step)
    for inner, path in ((groups[0], "c.l"), (groups[1], "c.r"), (both, "c"), (select, "c")):
        _note(context, finished, inner, path)
    return finished


def _function(plan: Any, evaluated: int) -> Any:
    """The function of a plan, if it can be run inside another one."""
    function = plan.functionExpr()
    if function.evalType() != evaluated or not function.func().broadcastVars().isEmpty():
        reason = "only functions from frames to one frame, without broadcast variables, are run again"
        raise UntraceableError(kind(plan), reason)
    return function


def _with_members(context: Context, built: Built, columns: list[Any]) -> Any:
    """The input with the derivation of each row as a text behind its columns."""
    member = F.to_json(F.struct(context.column(built.made_of).alias("m"))).alias(context.name())
    return context.jvm.select(built.plan, columns, member)


def _called(
    context: Context, plan: Any, function: Any, below: list[Any], passed: list[Any]
) -> tuple[Any, list[Any]]:
    """The call of the function inside another one, with these columns, and the columns that it gives besides."""
    jvm = context.jvm
    names = [context.name() for _ in (*below, "number")]
    schema = jvm.frame(jvm.one(LOGICAL + "LocalRelation").apply(plan.output())).schema
    returned = StructType([*schema.fields])
    for name in names[:-1]:
        returned = returned.add(name, StringType())
    returned = returned.add(names[-1], IntegerType())
    command = _pickled(context, function)
    beside = (
        _beside(command, schema.names, names)
        if len(below) == 1
        else _beside_both(command, schema.names, names)
    )
    call = F.pandas_udf(beside, returned, function.evalType())(*map(context.column, passed))
    given = jvm.one(LOGICAL + "LocalRelation").apply(jvm.seq(passed))
    added = [
        jvm.expression(given, F.lit(0 if name == names[-1] else "").alias(name)).toAttribute()
        for name in names
    ]
    return jvm.expression(given, call.alias("x")).child(), added


def _note(context: Context, finished: Built, step: Any, path: str) -> None:
    """A step below the rows: the first row of each group has its derivation."""
    row, name = context.column(finished.made_of), context.name()
    value = row
    for each in path.split("."):
        value = value.getField(each)
    inner = context.jvm.over(
        finished.plan,
        lambda frame: frame.filter((row.getField("n") == 1) & value.isNotNull()).select(value.alias(name)),
    )
    context.built.append(Built(inner, output(inner)[-1], step, ()))


def _pickled(context: Context, function: Any) -> bytes:
    tag = context.jvm.one("scala.reflect.ClassTag").Byte()
    return bytes(function.func().command().toArray(tag))


def _beside(command: bytes, columns: list[str], added: list[str]) -> Callable[[Any, Any], Any]:
    """The function with the members of the group, as JSON, and a number in two more columns of its result."""

    both = _of_frames(command, columns, added)

    def apply(group: Any, rows: Any) -> Any:
        return both(group, rows)

    return apply


def _beside_both(command: bytes, columns: list[str], added: list[str]) -> Callable[[Any, Any, Any], Any]:
    """The same of a function of two groups, whose members stand in a column each."""
    both = _of_frames(command, columns, added)

    def apply(group: Any, left: Any, right: Any) -> Any:
        return both(group, left, right)

    return apply


def _of_frames(command: bytes, columns: list[str], added: list[str]) -> Callable[..., Any]:
    def apply(group: Any, *given: Any) -> Any:
        import inspect  # noqa: PLC0415 - where it runs

        from pyspark import cloudpickle  # noqa: PLC0415 - where it runs

        function = cloudpickle.loads(command)[0]
        frames = [each.iloc[:, :-1] for each in given]
        takes_key = len(inspect.getfullargspec(function).args) == len(frames) + 1
        result = function(group, *frames) if takes_key else function(*frames)
        if not len(result.columns):
            return result
        if not any(isinstance(each, str) for each in result.columns):
            result = result.set_axis(columns, axis=1)
        texts = {
            name: "[" + ",".join(each.iloc[:, -1]) + "]" for name, each in zip(added, given, strict=False)
        }
        return result.assign(**texts, **{added[-1]: range(1, len(result) + 1)})

    return apply
