"""What a declared user function does to the paths of its arguments: its declaration, flow by flow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headwater_facets.kinds import Manipulation, Retains, Subtype
from headwater_plan.declarations import Declaration, Flow
from headwater_spark.tracing.values.functions import conditional, direct
from headwater_spark.tracing.values.value import (
    NOTHING,
    How,
    Value,
    apply,
    constant,
    construct,
    extract,
    merge,
)


def declared_value(declaration: Declaration, args: Sequence[Value], operator: int) -> Value:
    """The result's value: each flow at its place, made of what is at its source."""
    flows = [_flow(flow, declaration, args, operator) for flow in declaration.flows]
    return merge(flows) if flows else constant(f"{declaration.name}()")


def _flow(flow: Flow, declaration: Declaration, args: Sequence[Value], operator: int) -> Value:
    source = args[flow.argument] if flow.argument < len(args) else NOTHING
    for step in flow.source:
        source = extract(source, step)
    if flow.target is None:
        return conditional(source, operator)
    return _placed(apply(source, _how(flow, declaration, operator)), reversed(flow.target))


def _how(flow: Flow, declaration: Declaration, operator: int) -> How:
    name = declaration.name
    if declaration.masking:
        return direct(
            operator,
            Manipulation.MASK,
            subtype=Subtype.TRANSFORMATION,
            masking=True,
            function=name,
            retains=Retains.TOKEN,
        )
    if flow.moves:
        moved = (Manipulation.EXTRACT,) * bool(flow.source) + (Manipulation.CONSTRUCT,) * bool(flow.target)
        return direct(operator, *moved)
    return direct(operator, Manipulation.COMPUTE, subtype=Subtype.TRANSFORMATION, function=name)


def _placed(value: Value, steps_from_within: Iterable[str]) -> Value:
    for step in steps_from_within:
        value = construct([(step, value)])
    return value
