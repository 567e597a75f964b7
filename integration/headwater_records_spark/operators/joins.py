"""Joins, row by row whichever way Spark runs them, and unions."""

from __future__ import annotations

from functools import cache
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from headwater_records.nested.expressions import looked_at, root_of
from headwater_records.nested.steps import Join, Matched, Once, Same, Union
from headwater_records_spark.context import Built, Context, keys, packed_columns, restored
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.expressions import read
from headwater_records_spark.jvm import CATALYST, LOGICAL, Jvm, key, kind, listed, optional, output
from headwater_records_spark.operators.keys import key_of, sides_of

WITHOUT_ORDER = {"LogicalRelation", "Project", "Filter", "Generate", "Union", "SubqueryAlias"}
TITLES = {
    "Inner": "inner",
    "Cross": "cross",
    "LeftOuter": "left outer",
    "RightOuter": "right outer",
    "FullOuter": "full outer",
}


def joined_by(jvm: Jvm, left: Any, right: Any, how: str, condition: Column) -> Any:
    """A join of two plans by a condition over the columns of both."""
    both = jvm.one(LOGICAL + "LocalRelation").apply(jvm.seq([*output(left), *output(right)]))
    return joined(jvm, left, right, how, jvm.expression(both, condition.alias("x")).child())


def joined(jvm: Jvm, left: Any, right: Any, how: str, condition: Any) -> Any:
    """A join of two plans."""
    option = jvm.view.scala.Option.apply(condition)
    return jvm.type(LOGICAL + "Join")(
        left, right, jvm.one(f"{CATALYST}plans.{how}"), option, jvm.type(LOGICAL + "JoinHint").NONE()
    )


def pair(context: Context, left: Built, right: Built) -> Column:
    """The derivation of a pair."""
    return F.struct(context.column(left.made_of).alias("l"), context.column(right.made_of).alias("r"))


def common(context: Context, plan: Any, built: Built) -> tuple[Built, Once | None]:
    """An input without the derivation of its one row, which may be large, and what gives that, asked for once.

    An input that is not one group of all rows stays as it is.
    """
    while kind(plan) in {"Project", "Filter"}:
        plan = plan.child()
    if not context.once or kind(plan) != "Aggregate" or plan.groupingExpressions().nonEmpty():
        return built, None
    empty = F.lit(None).cast("int").alias(context.name())
    without = context.jvm.select(built.plan, list(built.columns), empty)
    once = cache(lambda: _made_of(context, built))
    return Built(without, output(without)[-1], built.step, built.columns), once


def _made_of(context: Context, built: Built) -> Any:
    built.plan.setAnalyzed()
    row = context.jvm.frame(built.plan).select(context.column(built.made_of)).first()
    return None if row is None else row[0]


def join(context: Context, plan: Any) -> Built:
    """Any join."""
    how = kind(plan.joinType())
    condition = optional(plan.condition())
    accessed = (read(condition),) if condition is not None else ()
    if how == "LeftAnti":
        return _anti(context, plan, accessed)
    if how in {"LeftSemi", "ExistenceJoin"}:
        return _matched(context, plan, how, condition, accessed)
    if how not in TITLES:
        raise UntraceableError(f"Join ({how})")
    reorders = how in {"Inner", "Cross"}
    build = context.begin if reorders else context.build
    left, right = build(plan.left()), build(plan.right())
    once: tuple[Once | None, Once | None] = (None, None)
    if reorders:
        right, of_right = common(context, plan.right(), right)
        left, of_left = common(context, plan.left(), left)
        once = (of_left, of_right)
    made = plan.withNewChildren(context.jvm.seq([left.plan, right.plan]))
    on_the_right = keys(list(right.columns))
    step = Join(context.number(), TITLES[how], left.step, right.step, accessed, on_the_right, once)
    given = set(keys([*left.columns, *right.columns]))
    columns = [each for each in output(made) if key(each) in given]
    made_of = pair(context, left, right)
    if not reorders:
        return context.finish(made, columns, made_of, step)
    # Spark orders inner joins that follow on each other, if nothing is computed between them.
    expression = context.jvm.expression(made, made_of.alias(context.name())).child()
    return Built(made, expression, step, tuple(columns))


def _anti(context: Context, plan: Any, accessed: Any) -> Built:
    """No row of the other side made the result; that none matches is no row either.

    It is built all the same, so that it is read at the version, and for a replay of the records, that are asked for.
    """
    left = context.build(plan.left())
    before, context.absent = context.absent, True
    right = context.build(plan.right())
    context.absent = before
    made = plan.withNewChildren(context.jvm.seq([left.plan, right.plan]))
    own = {key(each) for each in left.columns}
    looked = tuple(part for each in accessed for part in looked_at(each) if root_of(part) in own)
    return Built(made, left.made_of, Same(context.number(), "anti join", left.step, looked), left.columns)


def _matched(context: Context, plan: Any, how: str, condition: Any, accessed: Any) -> Built:
    """Each left row once, with all right rows that match it: a join, and the left row's group of it."""
    left, right = context.build(plan.left()), context.build(plan.right())
    by_key = _by_key(context, plan, left, right, accessed) if how == "LeftSemi" else None
    if by_key is not None:
        return by_key
    jvm = context.jvm
    outer = "Inner" if how == "LeftSemi" else "LeftOuter"
    pairs = joined(jvm, left.plan, right.plan, outer, condition)
    row, members, own = context.name(), context.name(), context.name()
    grouped = jvm.over(
        pairs,
        lambda frame: frame.groupBy(context.column(left.made_of).alias(own)).agg(
            F.first(packed_columns(jvm, list(left.columns))).alias(row),
            F.collect_list(context.column(right.made_of)).alias(members),
        ),
    )
    columns = restored(jvm, grouped, row, list(left.columns))
    exists = None
    if how == "ExistenceJoin":
        attribute = plan.joinType().exists()
        exists = key(attribute)
        found = jvm.expression(grouped, (F.size(F.col(members)) > 0).alias("x")).child()
        columns.append(jvm.alias(found, attribute))
    step = Matched(
        context.number(), "semi" if exists is None else "existence", left.step, right.step, accessed,
        keys(list(right.columns)), exists,
    )  # fmt: skip
    by_name = {each.name(): context.column(each) for each in output(grouped)}
    made_of = F.struct(by_name[own].alias("l"), by_name[members].alias("r"))
    finished = context.finish(grouped, columns, made_of, step)
    return Built(finished.plan, finished.made_of, step, tuple(output(finished.plan)[:-1]))


def _are_all_seen(plan: Any, values: list[Any]) -> bool:
    """Whether a join reads all rows that match, and not one of several: a merge with rows in order ends early."""
    return _has_no_order(plan) or _has_one_row_for(plan, {key(each) for each in values if _is_column(each)})


def _has_no_order(plan: Any) -> bool:
    buckets = kind(plan) == "LogicalRelation" and plan.relation().bucketSpec().isDefined()
    return kind(plan) in WITHOUT_ORDER and not buckets and all(map(_has_no_order, listed(plan.children())))


def _has_one_row_for(plan: Any, columns: set[str]) -> bool:
    """Whether no two rows have the same in these columns."""
    if kind(plan) in {"Filter", "Project", "SubqueryAlias"}:
        return _has_one_row_for(listed(plan.children())[0], columns)
    groups = listed(plan.groupingExpressions()) if kind(plan) == "Aggregate" else []
    return bool(groups) and all(_is_column(each) and key(each) in columns for each in groups)


def _is_column(expression: Any) -> bool:
    return kind(expression) == "AttributeReference"


def _by_key(context: Context, plan: Any, left: Built, right: Built, accessed: Any) -> Built | None:
    """A semi join as it is, if the rows on the right are kept with what has to be equal: the derivation has the key."""
    members = context.members
    sides = sides_of(optional(plan.condition()), left, right)
    if members is None or sides is None or not _are_all_seen(plan.right(), sides[1]):
        return None
    own, other = (key_of(context, members, *each) for each in ((left, sides[0]), (right, sides[1])))
    if own is None or other is None:
        return None
    step = Matched(context.number(), "semi", left.step, right.step, accessed, keys(list(right.columns)))
    kept = members.passed(step.number, right, other)
    made = plan.withNewChildren(context.jvm.seq([left.plan, kept]))
    given = F.struct(own.a.alias("a"), own.b.alias("b"))
    made_of = F.struct(context.column(left.made_of).alias("l"), given.alias("g"))
    return context.finish(made, list(left.columns), made_of, step)


def union(context: Context, plan: Any) -> Built:
    """UNION ALL: rows with the number of their input."""
    parts = [context.build(each) for each in listed(plan.children())]
    wanted = output(plan)
    types = [context.jvm.type_of(part.made_of) for part in parts]
    plans = []
    for number, part in enumerate(parts):
        own = [
            (context.column(part.made_of) if place == number else F.lit(None).cast(each)).alias(f"c{place}")
            for place, each in enumerate(types)
        ]
        made_of = F.struct(F.lit(number).alias("b"), *own).alias(context.name())
        plans.append(context.jvm.select(part.plan, list(part.columns), made_of))
    made = plan.withNewChildren(context.jvm.seq(plans))
    places = [keys(list(part.columns)) for part in parts]
    columns = tuple(
        (key(each), tuple(place[number] for place in places)) for number, each in enumerate(wanted)
    )
    step = Union(context.number(), tuple(part.step for part in parts), columns)
    given = output(made)
    # the analysed union has the first input's attributes; under them, a projection keeps the identities asked for
    aliases = [
        each if key(each) == key(attribute) else context.jvm.alias(each, attribute)
        for each, attribute in zip(given[:-1], wanted, strict=True)
    ]
    renamed = context.jvm.select(made, [*aliases, given[-1]])
    return Built(renamed, output(renamed)[-1], step, tuple(output(renamed)[:-1]))
