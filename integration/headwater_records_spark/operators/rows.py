"""Operators over single rows: filters, projections, orders, limits and samples, and rows for each grouping set."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Window
from pyspark.sql import functions as F

from headwater_records.nested.expressions import Computed
from headwater_records.nested.steps import Flatten, Same, Select, Variants
from headwater_records_spark.context import Built, Context, is_computed
from headwater_records_spark.expressions import read
from headwater_records_spark.jvm import key, kind, listed, output
from headwater_records_spark.operators.subqueries import with_values

TITLES = {
    "Filter": "filter",
    "Sort": "sort",
    "GlobalLimit": "limit",
    "LocalLimit": "limit",
    "Offset": "offset",
    "Tail": "tail",
    "Sample": "sample",
    "Repartition": "repartition",
    "RepartitionByExpression": "repartition",
    "RebalancePartitions": "repartition",
}
UNREPEATABLE = {"GlobalLimit", "LocalLimit", "Offset", "Tail", "Sample"}
SILENT = {"LocalLimit", "Repartition", "RepartitionByExpression", "RebalancePartitions"}


def same(context: Context, plan: Any) -> Built:
    """An operator that passes rows on, or not."""
    name = kind(plan)
    if name in UNREPEATABLE:
        context.ordered.add(TITLES[name])
    if name == "Sample" and plan.withReplacement():
        return _copies(context, plan)
    built = context.begin(plan.child()) if name == "Filter" else context.build(plan.child())
    columns = built.columns
    built, plan = with_values(context, plan, built)
    _note(context, plan)
    made = plan.withNewChildren(context.jvm.seq([built.plan]))
    if name in SILENT or name not in TITLES:
        return Built(made, built.made_of, built.step, columns)
    accessed = tuple(read(each) for each in listed(plan.expressions())) if name in {"Filter", "Sort"} else ()
    step = Same(context.number(), TITLES[name], built.step, accessed)
    return Built(made, built.made_of, step, columns)


def _copies(context: Context, plan: Any) -> Built:
    """A sample with replacement: the copies of a row are numbered, as each is a row."""
    built = context.build(plan.child())
    sampled = plan.withNewChildren(context.jvm.seq([built.plan]))
    name = context.name()
    row = context.column(built.made_of)
    copies = F.row_number().over(Window.partitionBy(row).orderBy(row))
    given = [*map(context.column, built.columns), row]
    made = context.jvm.over(sampled, lambda frame: frame.select(*given, copies.alias(name)))
    number = next(each for each in output(made) if each.name() == name)
    step = Flatten(context.number(), built.step, Computed(()), (), kind="sample")
    pair = F.struct(row.alias("c"), context.column(number).alias("n"))
    return context.finish(made, list(built.columns), pair, step)


def project(context: Context, plan: Any) -> Built:
    """A projection."""
    wanted = output(plan)
    if all(kind(each) == "AttributeReference" for each in listed(plan.projectList())):
        return _narrowed(context, plan, wanted)
    built = context.build(plan.child())
    built, plan = with_values(context, plan, built)
    _note(context, plan)
    projected = listed(plan.projectList())
    outputs = tuple((key(each), read(each)) for each in projected)
    made = context.jvm.select(built.plan, [*projected, built.made_of])
    step = Select(context.number(), built.step, outputs)
    return Built(made, output(made)[-1], step, tuple(wanted))


def _narrowed(context: Context, plan: Any, wanted: list[Any]) -> Built:
    """Some of the columns as they are; a projection between inner joins would keep Spark from ordering them."""
    built = context.begin(plan.child())
    if is_computed(built):
        return context.matched(built, wanted)
    return Built(built.plan, built.made_of, built.step, tuple(wanted))


def _note(context: Context, plan: Any) -> None:
    """Remember what may come out otherwise when it runs again."""
    if any(not each.deterministic() for each in listed(plan.expressions())):
        context.ordered.add("a value that is not deterministic")


def grouping_sets(context: Context, plan: Any) -> Built:
    """ROLLUP, CUBE and GROUPING SETS: each row once for each set."""
    built = context.build(plan.child())
    jvm = context.jvm
    projections = [listed(each) for each in listed(plan.projections())]
    variants = tuple(
        tuple((key(attribute), read(each)) for attribute, each in zip(output(plan), row, strict=True))
        for row in projections
    )
    numbers = [jvm.expression(built.plan, F.lit(n).alias("n")).child() for n in range(len(projections))]
    number = output(jvm.select(built.plan, [], F.lit(0).alias(context.name())))[0]
    rows = [jvm.seq([*row, built.made_of, each]) for row, each in zip(projections, numbers, strict=True)]
    below = built.made_of.newInstance()
    made = jvm.type("org.apache.spark.sql.catalyst.plans.logical.Expand")(
        jvm.seq(rows), jvm.seq([*output(plan), below, number]), built.plan
    )
    step = Variants(context.number(), built.step, variants)
    pair = F.struct(context.column(below).alias("c"), context.column(number).alias("n"))
    return context.finish(made, output(plan), pair, step)
