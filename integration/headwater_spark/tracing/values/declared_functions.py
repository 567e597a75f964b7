"""What a user function does to the paths of its arguments, flow by flow: as it is declared, or as its code was read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headwater_facets.kinds import Access, Manipulation, Retains, Subtype
from headwater_plan.declarations import Declaration, Flow
from headwater_plan.readings import ReadFlow, Reading
from headwater_spark.tracing.values.functions import conditional, direct, extent
from headwater_spark.tracing.values.value import (
    NOTHING,
    How,
    Value,
    apply,
    collapse,
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


def read_value(reading: Reading, name: str, args: Sequence[Value], operator: int) -> Value:
    """The result's value: each flow that was read at its place."""
    flows = [_read_flow(flow, name, args, operator) for flow in reading.flows]
    found = merge(flows) if flows else NOTHING
    return found if collapse(found).edges else merge((found, constant(f"{name}()")))


def _read_flow(flow: ReadFlow, name: str, args: Sequence[Value], operator: int) -> Value:
    source = args[flow.argument] if flow.argument < len(args) else NOTHING
    for step in flow.source:
        source = extract(source, step)
    if flow.decides and flow.extent:
        return _placed(extent([source], operator), reversed(flow.target))
    if flow.decides:
        access = Access.NULL_TEST if flow.decides == "NULL_TEST" else Access.CONDITION
        return _placed(conditional(source, operator, access), reversed(flow.target))
    return _placed(apply(source, _how_read(flow, name, operator)), reversed(flow.target))


def _how_read(flow: ReadFlow, name: str, operator: int) -> How:
    """Only what hides a value is said to: what can be read back is computed."""
    if flow.moves:
        moved = (*flow.manipulation, *(Manipulation.CONSTRUCT,) * bool(flow.target))
        return direct(operator, *dict.fromkeys(moved))
    hides = {Manipulation.MASK, Manipulation.COUNT}
    masking = bool(hides & set(flow.manipulation)) and not flow.retains.readable
    kept = tuple(m for m in flow.manipulation if masking or m not in hides) or (Manipulation.COMPUTE,)
    return direct(
        operator,
        *kept,
        subtype=Subtype.TRANSFORMATION,
        masking=masking,
        function=name,
        retains=flow.retains,
    )


def _placed(value: Value, steps_from_within: Iterable[str]) -> Value:
    for step in steps_from_within:
        value = construct([(step, value)])
    return value
