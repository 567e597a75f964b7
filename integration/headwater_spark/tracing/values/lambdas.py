"""Functions with lambdas: the parameters are bound to the paths of elements, keys and values.

What the body gives is traced like any expression, so ``transform(items, i -> i.price)`` reads just that member.
The result of a predicate or comparator only decides which elements stay, or in what order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

from headwater_facets.kinds import Access, Manipulation, Retains, Subtype
from headwater_plan.nodes import Call, Expression, Lambda
from headwater_plan.types import ELEMENT, KEY, VALUE
from headwater_spark.tracing.values.function_names import name_of
from headwater_spark.tracing.values.functions.collections import measured
from headwater_spark.tracing.values.functions.steps import compute, conditional, direct, extent, named_as
from headwater_spark.tracing.values.value import (
    NOTHING,
    Value,
    apply,
    collapse,
    construct,
    extract,
    merge,
    sources,
)

MOST_ROUNDS = 12
"""Elements after which an accumulator that still takes in other paths is traced as a whole."""


class Tracer(Protocol):
    """What a rule needs of the tracing of one operator's expressions."""

    @property
    def operator(self) -> int:
        """The id of the operator whose expression it is."""

    def trace(self, expression: Expression, /) -> Value:
        """The value of an expression."""

    def body(self, function: Lambda, /, *arguments: Value) -> Value:
        """The lambda's result when its parameters are the given values."""


Rule: TypeAlias = Callable[[Tracer, Call, Sequence[Value], Sequence[Lambda]], Value]
"""(tracer, call, values of the other arguments, the lambdas) → value of the result."""


def position(tracer: Tracer, array: Value) -> Value:
    """An element's index: it comes from the array itself."""
    how = direct(tracer.operator, Manipulation.COMPUTE, subtype=Subtype.TRANSFORMATION, retains=Retains.FACT)
    return apply(collapse(array), how)


def transform(tracer: Tracer, call: Call, args: Sequence[Value], functions: Sequence[Lambda]) -> Value:
    array = args[0]
    body = tracer.body(functions[0], extract(array, ELEMENT), position(tracer, array))
    return merge((construct([(ELEMENT, body)]), extent([array], tracer.operator)))


def keep_elements(tracer: Tracer, call: Call, args: Sequence[Value], functions: Sequence[Lambda]) -> Value:
    """filter: the array as it is, decided by the body."""
    array = args[0]
    decision = tracer.body(functions[0], extract(array, ELEMENT), position(tracer, array))
    return merge((array, conditional(decision, tracer.operator)))


def order_elements(tracer: Tracer, call: Call, args: Sequence[Value], functions: Sequence[Lambda]) -> Value:
    """array_sort with a comparator of two elements: the array as it is, decided by the body."""
    element = extract(args[0], ELEMENT)
    decision = tracer.body(functions[0], element, element)
    return merge((args[0], conditional(decision, tracer.operator)))


def test_elements(tracer: Tracer, call: Call, args: Sequence[Value], functions: Sequence[Lambda]) -> Value:
    """exists, forall: a truth value computed from what the body reads."""
    decision = tracer.body(functions[0], extract(args[0], ELEMENT))
    how = direct(
        tracer.operator, Manipulation.COMPUTE, subtype=Subtype.TRANSFORMATION, function=name_of(call)
    )
    chosen = extent(args[:1], tracer.operator)
    return merge((apply(collapse(decision), how), conditional(decision, tracer.operator), chosen))


def aggregate(tracer: Tracer, call: Call, args: Sequence[Value], functions: Sequence[Lambda]) -> Value:
    """aggregate, reduce: the accumulator starts as the zero and takes in each element."""
    array, zero = args[:2]
    element = extract(array, ELEMENT)
    accumulated = _accumulated(tracer, functions[0], zero, element)
    result = tracer.body(functions[1], accumulated) if len(functions) > 1 else accumulated
    how = direct(tracer.operator, Manipulation.AGGREGATE, subtype=Subtype.AGGREGATION, function=name_of(call))
    taken = collapse(tracer.body(functions[0], NOTHING, element))
    decided = extent([array], tracer.operator) if taken.edges else measured(call, [array], tracer.operator)
    return merge((apply(collapse(result), how), decided))


def _accumulated(tracer: Tracer, function: Lambda, zero: Value, element: Value) -> Value:
    """The accumulator after any number of elements: a value may pass from one of its members to the next each time."""
    accumulated = zero
    taken, kept = function.body.type, function.parameters[0].type
    for _ in range(MOST_ROUNDS):
        body = named_as(tracer.body(function, accumulated, element), taken, kept, tracer.operator)
        following = merge((accumulated, body))
        if sources(following) == sources(accumulated):
            return following
        accumulated = following
    return collapse(accumulated)


def zip_with(tracer: Tracer, call: Call, args: Sequence[Value], functions: Sequence[Lambda]) -> Value:
    body = tracer.body(functions[0], *(extract(a, ELEMENT) for a in args[:2]))
    return merge((construct([(ELEMENT, body)]), extent(args[:2], tracer.operator)))


def transform_keys(tracer: Tracer, call: Call, args: Sequence[Value], functions: Sequence[Lambda]) -> Value:
    key, value = extract(args[0], KEY), extract(args[0], VALUE)
    made = construct([(KEY, tracer.body(functions[0], key, value)), (VALUE, value)])
    return merge((made, extent(args[:1], tracer.operator)))


def transform_values(tracer: Tracer, call: Call, args: Sequence[Value], functions: Sequence[Lambda]) -> Value:
    key, value = extract(args[0], KEY), extract(args[0], VALUE)
    made = construct([(KEY, key), (VALUE, tracer.body(functions[0], key, value))])
    return merge((made, extent(args[:1], tracer.operator)))


def map_filter(tracer: Tracer, call: Call, args: Sequence[Value], functions: Sequence[Lambda]) -> Value:
    decision = tracer.body(functions[0], extract(args[0], KEY), extract(args[0], VALUE))
    return merge((args[0], conditional(decision, tracer.operator)))


def map_zip_with(tracer: Tracer, call: Call, args: Sequence[Value], functions: Sequence[Lambda]) -> Value:
    """The keys decide which values meet."""
    key = merge(extract(a, KEY) for a in args[:2])
    met = conditional(key, tracer.operator, Access.INDEX)
    value = merge((tracer.body(functions[0], key, *(extract(a, VALUE) for a in args[:2])), met))
    return merge((construct([(KEY, key), (VALUE, value)]), extent(args[:2], tracer.operator)))


LAMBDAS: Mapping[str, Rule] = {
    "transform": transform,
    "filter": keep_elements,
    "array_sort": order_elements,
    "exists": test_elements,
    "forall": test_elements,
    "aggregate": aggregate,
    "zip_with": zip_with,
    "transform_keys": transform_keys,
    "transform_values": transform_values,
    "map_filter": map_filter,
    "map_zip_with": map_zip_with,
}


def value_of(call: Call, tracer: Tracer) -> Value:
    """The result of a function with lambdas; an unknown one may give anything its arguments and bodies hold."""
    functions = [a for a in call.args if isinstance(a, Lambda)]
    args = [tracer.trace(a) for a in call.args if not isinstance(a, Lambda)]
    rule = LAMBDAS.get(call.function)
    if rule is not None and args:
        return rule(tracer, call, args, functions)
    bodies = [tracer.body(f, *([NOTHING] * len(f.parameters))) for f in functions]
    return compute(call, [*args, *bodies], tracer.operator)
