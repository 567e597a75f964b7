"""Generators: one row becomes rows. What each of their columns is made of, in the order of the columns.

A position comes from the collection itself. A generator that is in no table gives, in every column, what its
function gives (a UDTF: anything of its arguments).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from headwater_facets.kinds import Manipulation
from headwater_plan.nodes import Call, Expression, ReadCall
from headwater_plan.types import ELEMENT, KEY, VALUE, ArrayType, MapType, StructType
from headwater_spark.tracing.values.column_names import rows_stacked
from headwater_spark.tracing.values.expressions import Tracer
from headwater_spark.tracing.values.functions.steps import compute, direct
from headwater_spark.tracing.values.functions.texts import json_member, parse
from headwater_spark.tracing.values.value import NOTHING, Value, apply, collapse, extract, merge

Rule: TypeAlias = Callable[[Call, int, Tracer], Iterator[Value]]
"""(call, how many columns, tracer) → the values of the columns."""


def _flattened(value: Value, tracer: Tracer) -> Value:
    return apply(value, direct(tracer.operator, Manipulation.FLATTEN))


def outer(call: Call, width: int, tracer: Tracer) -> Iterator[Value]:
    """The same columns, null where there is nothing to flatten."""
    return generated(call.args[0], width, tracer)


def explode(call: Call, _: int, tracer: Tracer) -> Iterator[Value]:
    """The elements of an array, or the keys and values of a map."""
    collection = call.args[0]
    value = tracer.trace(collection)
    steps = (KEY, VALUE) if isinstance(collection.type, MapType) else (ELEMENT,)
    return (_flattened(extract(value, step), tracer) for step in steps)


def with_position(call: Call, width: int, tracer: Tracer) -> Iterator[Value]:
    yield compute(call, [tracer.trace(call.args[0])], tracer.operator)
    yield from explode(call, width, tracer)


def inline(call: Call, _: int, tracer: Tracer) -> Iterator[Value]:
    """The members of an array's structs."""
    element = extract(tracer.trace(call.args[0]), ELEMENT)
    return (_flattened(extract(element, name), tracer) for name in _element_members(call.args[0]))


def _element_members(structs: Expression) -> list[str]:
    element = structs.type.element if isinstance(structs.type, ArrayType) else None
    return [f.name for f in element.fields] if isinstance(element, StructType) else []


def stack(call: Call, width: int, tracer: Tracer) -> Iterator[Value]:
    """Values row by row: every ``width``-th is of the same column."""
    values = call.args[1:]
    tracer.unpivot(rows_stacked(values, width))
    return (_flattened(merge(map(tracer.trace, values[i::width])), tracer) for i in range(width))


def json_tuple(call: Call, _: int, tracer: Tracer) -> Iterator[Value]:
    """Each column is parsed from the text under its own key."""
    text, *keys = call.args
    value = tracer.trace(text)
    return (
        json_member(replace(call, args=(text, key)), [value, tracer.trace(key)], tracer.operator)
        for key in keys
    )


def variant_explode(call: Call, width: int, tracer: Tracer) -> Iterator[Value]:
    """Position, key and value of a variant's parts, whose types no schema says."""
    value = tracer.trace(call.args[0])
    yield compute(call, [value], tracer.operator)
    parsed = parse(replace(call, args=call.args[:1]), [value], tracer.operator)
    yield from (_flattened(parsed, tracer) for _ in range(width - 1))


GENERATORS: Mapping[str, Rule] = {
    "outer": outer,
    "explode": explode,
    "posexplode": with_position,
    "inline": inline,
    "stack": stack,
    "json_tuple": json_tuple,
    "variant_explode": variant_explode,
}


ONE_FOR_ONE = frozenset({"stack", "json_tuple"})
"""Generators that give as many rows whatever the values are."""


def deciding_rows(generator: Expression, tracer: Tracer) -> Value:
    """What may decide how many rows the generator gives: the collection it takes apart, else all its arguments."""
    match generator:
        case Call(function="outer", args=(inner,)):
            return deciding_rows(inner, tracer)
        case Call(function="explode" | "posexplode" | "inline", args=(collection,)):
            return tracer.trace(collection)
        case Call(function=function) if function in ONE_FOR_ONE:
            return NOTHING
        case _:
            return collapse(tracer.trace(generator))


def generated(generator: Expression, width: int, tracer: Tracer) -> Iterator[Value]:
    """The values of a generator's columns."""
    if isinstance(generator, Call) and generator.args and (rule := GENERATORS.get(generator.function)):
        return rule(generator, width, tracer)
    value = tracer.trace(generator)
    row = generator.type.element if isinstance(generator.type, ArrayType) else generator.type
    if isinstance(generator, ReadCall) and isinstance(row, StructType) and len(row.fields) == width:
        return (extract(value, field.name) for field in row.fields)
    return (value for _ in range(width))
