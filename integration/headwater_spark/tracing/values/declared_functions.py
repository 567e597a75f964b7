"""What a user function does to the paths of its arguments, flow by flow: as it is declared, or as its code was read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from headwater_facets.kinds import Access, LineageType, Manipulation, Retains, Subtype
from headwater_plan.declarations import Declaration, Flow
from headwater_plan.readings import ReadFlow, Reading
from headwater_spark.tracing.values.functions.steps import conditional, direct, extent
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
        manipulated = (Manipulation.EXTRACT,) * bool(flow.source) + (Manipulation.CONSTRUCT,) * bool(
            flow.target
        )
        return direct(operator, *manipulated)
    return direct(operator, Manipulation.COMPUTE, subtype=Subtype.TRANSFORMATION, function=name)


def read_value(reading: Reading, name: str, args: Sequence[Value], operator: int) -> Value:
    """The result's value: each flow that was read at its place."""
    flows = [_read_flow(flow, name, args, operator) for flow in reading.flows]
    found = merge(flows) if flows else NOTHING
    flowing = any(e.how.type is LineageType.DIRECT for e in collapse(found).edges)
    return found if flowing else merge((found, constant(f"{name}()")))


Frame = Mapping[str, Value]
"""Values of columns by name."""


def read_columns(
    reading: Reading, name: str, frames: Sequence[Frame], columns: Sequence[str], operator: int
) -> tuple[dict[str, Value], Value]:
    """The values of the result's columns, and what may have chosen its rows: whatever did not only move."""
    places = {(i, c): p for p, (i, c) in enumerate((i, c) for i, frame in enumerate(frames) for c in frame)}
    values = [value for frame in frames for value in frame.values()]
    flows = [each for flow in reading.flows for each in _of_columns(flow, frames, places)]
    found = {}
    for column in columns:
        own = [_below(f) for f in flows if f.target[:1] in ((), (column,))]
        found[column] = read_value(replace(reading, flows=tuple(own)), name, values, operator)
    choosing = [replace(f, target=()) for f in flows if not f.moves]
    return found, merge(_read_flow(f, name, values, operator) for f in choosing)


def _of_columns(
    flow: ReadFlow, frames: Sequence[Frame], places: Mapping[tuple[int, str], int]
) -> Iterator[ReadFlow]:
    """The flow from columns in place of frames: of a whole frame from each, of how many rows it has from none."""
    if flow.argument >= len(frames) or (flow.extent and not flow.source):
        return
    frame = frames[flow.argument]
    if not flow.source:
        how = (Manipulation.COMPUTE,) if flow.moves else flow.manipulation
        retains = Retains.CONTAINS if flow.moves else flow.retains
        for name in frame:
            place = places[flow.argument, name]
            yield replace(flow, argument=place, manipulation=how, retains=retains)
        return
    rest = flow.source[1:]
    whole = flow.moves and not rest
    kept = tuple(m for m in flow.manipulation if not (whole and m is Manipulation.EXTRACT))
    if flow.source[0] in frame:
        place = places[flow.argument, flow.source[0]]
        yield replace(flow, argument=place, source=rest, manipulation=kept)


def _below(flow: ReadFlow) -> ReadFlow:
    return replace(flow, target=flow.target[1:])


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
    """Only what hides a value is masking: what can be read back is computed."""
    if flow.moves:
        manipulated = (*flow.manipulation, *(Manipulation.CONSTRUCT,) * bool(flow.target))
        return direct(operator, *dict.fromkeys(manipulated))
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
