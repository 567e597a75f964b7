"""Generators: what makes several rows of one, and of which element of it each was made."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F

from headwater_records.nested.expressions import Column, Computed, Expression
from headwater_records.nested.steps import Flatten, Select
from headwater_records_spark.context import Built, Context
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.expressions import read
from headwater_records_spark.jvm import key, kind, listed, output


def flatten(context: Context, plan: Any) -> Built:
    """A generator: of an array or a map it is known which element became which row."""
    generator = plan.generator()
    name = kind(generator)
    if name not in {"Explode", "PosExplode", "Inline", "Stack", "JsonTuple", "ReplicateRows"}:
        raise UntraceableError(f"Generate ({name})", "which row is made of which element is not known")
    built = context.build(plan.child())
    if name == "ReplicateRows":
        return _replicated(context, plan, built)
    if name == "JsonTuple":
        return _of_text(context, plan, built)
    collection = _stacked(context, built, generator) if name == "Stack" else generator.child()
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
    if name not in {"Inline", "Stack"}:
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


def _stacked(context: Context, built: Built, generator: Any) -> Any:
    """The rows of ``stack`` as an array of structs: what is missing in the last one is NULL."""
    rows, *values = listed(generator.children())
    fields = list(generator.elementSchema().fields())
    given = [context.column(each) for each in values]
    given += [F.lit(None)] * (rows.eval(None) * len(fields) - len(values))
    types = [each.dataType().catalogString() for each in values]
    types += ["void"] * (len(given) - len(values))
    elements = []
    for start in range(0, len(given), len(fields)):
        element = []
        for place, field in enumerate(fields):
            value, type_of = given[start + place], types[start + place]
            if type_of != field.dataType().catalogString():
                value = value.cast(field.dataType().sql())
            element.append(value.alias(field.name()))
        elements.append(F.struct(*element))
    return context.jvm.expression(built.plan, F.array(*elements).alias("x")).child()


def _of_text(context: Context, plan: Any, built: Built) -> Built:
    """``json_tuple``: one row for each, with what is in a text of it."""
    text, *names = listed(plan.generator().children())
    made = context.jvm.copy(plan, _1=context.jvm.seq([]), _5=built.plan)
    kept, wanted = _kept(plan, built), listed(plan.generatorOutput())
    outputs: list[tuple[str, Expression]] = [(key(each), Column(key(each))) for each in kept]
    for each, name in zip(wanted, names, strict=True):
        outputs.append((key(each), Computed((read(text), read(name)))))
    step = Select(context.number(), built.step, tuple(outputs), "json_tuple")
    selected = context.jvm.select(made, [*kept, *wanted, built.made_of])
    return Built(selected, output(selected)[-1], step, (*kept, *wanted))
