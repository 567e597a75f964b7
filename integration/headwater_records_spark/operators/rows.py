"""Operators over single rows: filters, projections, orders and limits, and what makes several rows of one."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F  # noqa: N812

from headwater_records.nested.expressions import Column, Computed
from headwater_records.nested.steps import Flatten, Same, Select, Variants
from headwater_records_spark.context import Built, Context
from headwater_records_spark.errors import UntraceableError
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
    if name == "Sample" and plan.withReplacement():
        raise UntraceableError("Sample", "with replacement, one row comes several times")
    if name in UNREPEATABLE:
        context.ordered.add(TITLES[name])
    built = context.build(plan.child())
    built, plan = with_values(context, plan, built)
    _note(context, plan)
    made = plan.withNewChildren(context.jvm.seq([built.plan]))
    if name in SILENT or name not in TITLES:
        return Built(made, built.made_of, built.step, built.columns)
    accessed = tuple(read(each) for each in listed(plan.expressions())) if name in {"Filter", "Sort"} else ()
    step = Same(context.number(), TITLES[name], built.step, accessed)
    return Built(made, built.made_of, step, built.columns)


def project(context: Context, plan: Any) -> Built:
    """A projection."""
    built = context.build(plan.child())
    wanted = output(plan)
    built, plan = with_values(context, plan, built)
    _note(context, plan)
    projected = listed(plan.projectList())
    outputs = tuple((key(each), read(each)) for each in projected)
    plain = all(expression == Column(name) for name, expression in outputs)
    made = context.jvm.select(built.plan, [*projected, built.made_of])
    step = built.step if plain else Select(context.number(), built.step, outputs)
    return Built(made, output(made)[-1], step, tuple(wanted))


def _note(context: Context, plan: Any) -> None:
    """Remember what may come out otherwise when it runs again."""
    if any(not each.deterministic() for each in listed(plan.expressions())):
        context.ordered.add("a value that is not deterministic")


def flatten(context: Context, plan: Any) -> Built:
    """A generator: of an array or a map it is known which element became which row."""
    generator = plan.generator()
    name = kind(generator)
    if name not in {"Explode", "PosExplode", "Inline", "ReplicateRows"}:
        raise UntraceableError(f"Generate ({name})", "which row is made of which element is not known")
    built = context.build(plan.child())
    if name == "ReplicateRows":
        return _replicated(context, plan, built)
    collection = generator.child()
    is_map = collection.dataType().catalogString().startswith("map")
    names = [context.name() for _ in range(3 if is_map else 2)]
    explode = F.posexplode_outer if plan.outer() else F.posexplode
    given = [context.column(each) for each in (*built.columns, built.made_of)]
    made = context.jvm.over(
        built.plan, lambda frame: frame.select(*given, explode(context.column(collection)).alias(*names))
    )
    found = {each.name(): each for each in output(made)}
    wanted = listed(plan.generatorOutput())
    values = [found[each] for each in names[1:]]
    position = [found[names[0]]] if name == "PosExplode" else []
    parts, steps = _parts(context, made, name, values, is_map)
    aliases = [
        context.jvm.alias(each, attribute)
        for each, attribute in zip([*position, *parts], wanted, strict=True)
    ]
    step = Flatten(
        context.number(),
        built.step,
        read(collection),
        tuple((key(each), below) for each, below in zip(wanted[len(position) :], steps, strict=True)),
        key(wanted[0]) if position else None,
    )
    kept = _kept(plan, built)
    pair = F.struct(
        context.column(built.made_of).alias("c"), (context.column(found[names[0]]) + 1).alias("n")
    )
    finished = context.finish(made, [*kept, *aliases], pair, step)
    return Built(finished.plan, finished.made_of, step, tuple(output(finished.plan)[:-1]))


def _kept(plan: Any, built: Built) -> list[Any]:
    """The columns of the input that the operator gives."""
    wanted = {key(each) for each in output(plan)}
    return [each for each in built.columns if key(each) in wanted]


def _parts(
    context: Context, plan: Any, name: str, values: list[Any], is_map: bool
) -> tuple[list[Any], list[tuple[str, ...]]]:
    """The expressions of the element's columns, and where each is in the element."""
    if is_map:
        return values, [("key",), ("value",)]
    if name != "Inline":
        return values, [()]
    fields = [each.name() for each in values[0].dataType().fields()]
    parts = [
        context.jvm.expression(plan, context.column(values[0]).getField(each).alias("x")).child()
        for each in fields
    ]
    return parts, [(each,) for each in fields]


def _replicated(context: Context, plan: Any, built: Built) -> Built:
    """INTERSECT ALL and EXCEPT ALL: each row as often as a number says."""
    times, *values = listed(plan.generator().children())
    name = context.name()
    given = [context.column(each) for each in (*built.columns, built.made_of)]
    numbers = F.explode(F.sequence(F.lit(0), F.greatest(context.column(times).cast("int"), F.lit(0))))
    made = context.jvm.over(
        built.plan, lambda frame: frame.select(*given, numbers.alias(name)).filter(F.col(name) > 0)
    )
    wanted = listed(plan.generatorOutput())
    aliases = [context.jvm.alias(each, attribute) for each, attribute in zip(values, wanted, strict=True)]
    outputs = tuple((key(each), read(value)) for each, value in zip(wanted, values, strict=True))
    kept = _kept(plan, built)
    outputs += tuple((key(each), Column(key(each))) for each in kept)
    repeated = Flatten(context.number(), built.step, Computed(()), ())
    step = Select(context.number(), repeated, outputs, "repeat")
    number = next(each for each in output(made) if each.name() == name)
    pair = F.struct(context.column(built.made_of).alias("c"), context.column(number).alias("n"))
    finished = context.finish(made, [*kept, *aliases], pair, step)
    context.built.append(Built(finished.plan, finished.made_of, repeated, ()))
    return Built(finished.plan, finished.made_of, step, tuple(output(finished.plan)[:-1]))


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
