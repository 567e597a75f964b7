"""Who holds a personal attribute, in which form, and by which jobs: the exposure of personal data.

Theory of operation
===================

Exposure goes forward from an attribute over edges of both types. What arrives at a path arrives in a *form*,
and a route's form is the weakest on it, in this order:

IDENTITY
    the value itself: moved, renamed, nested in a list, or picked out of several;
TRANSFORMED
    computed from it: a substring, a cast, a UDF;
AGGREGATED
    computed from many such values: a sum, an average;
MASKED
    a hash, a digest, a mask, a count: OpenLineage's ``masking``;
INFLUENCED
    not the value, but it decided which rows are there, or where: FILTER, JOIN, GROUP_BY, …

``collect_list`` and ``max`` are aggregations by OpenLineage's words, but one person's value survives them
whole: what only NESTs or PICKs counts as IDENTITY here. From the first INDIRECT edge on, a route is
INFLUENCED, with that edge's subtype as its *kind*, whatever follows.

The forms of all routes are found by a breadth-first search over pairs (node, form), of which there are a few
for each node, so routes are never enumerated. The first visit to a pair has the shortest route; its
predecessors are the *witness*. All attributes share one exploration of the store (``search``), and each has
its own pass in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from headwater_backend.model import (
    DatasetKey,
    Direction,
    Edge,
    Incomplete,
    LineageType,
    NodeKey,
    Transformation,
)
from headwater_backend.ports import LineageStore
from headwater_backend.questions import categories
from headwater_backend.questions.closure import missing, transformation_order, untold
from headwater_backend.questions.find import labels, resolve
from headwater_backend.questions.personal import Attribute, personal
from headwater_backend.questions.search import ALL_TYPES, Bounds, Exploration, explore

if TYPE_CHECKING:
    from headwater_backend.rules import Rule


class Form(IntEnum):
    """In which form a value arrives; the lower, the stronger."""

    IDENTITY = 0
    TRANSFORMED = 1
    AGGREGATED = 2
    MASKED = 3
    INFLUENCED = 4


@dataclass(frozen=True, slots=True, order=True)
class Arrival:
    """A form; ``kind`` is the influence's subtype when it is INFLUENCED, else empty."""

    form: Form
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ExposedOutput:
    """A path that holds the attribute or is influenced by it.

    ``arrivals`` are the forms of all routes, strongest first; ``witness`` is a shortest
    route of the strongest.
    """

    node: NodeKey
    arrivals: tuple[Arrival, ...]
    distance: int
    witness: tuple[Edge, ...]

    @property
    def form(self) -> Form:
        return self.arrivals[0].form

    @property
    def forms(self) -> tuple[Form, ...]:
        """All forms, strongest first."""
        return tuple(sorted({arrival.form for arrival in self.arrivals}))

    @property
    def kinds(self) -> tuple[str, ...]:
        """How it is influenced, sorted; empty when it is not."""
        return tuple(arrival.kind for arrival in self.arrivals if arrival.kind)


@dataclass(frozen=True, slots=True)
class AttributeExposure:
    """What became of one attribute; outputs by strength, then by name."""

    attribute: Attribute
    outputs: tuple[ExposedOutput, ...]
    incomplete: tuple[Incomplete, ...]

    @property
    def complete(self) -> bool:
        return not self.incomplete


@dataclass(frozen=True, slots=True)
class ExposureReport:
    """The exposure of each attribute asked for, and all that is known to be missing.

    ``labels`` says how each path in it is written for people.
    """

    attributes: tuple[AttributeExposure, ...]
    incomplete: tuple[Incomplete, ...]
    labels: Mapping[NodeKey, str]

    @property
    def complete(self) -> bool:
        return not self.incomplete


def exposure(
    store: LineageStore,
    node: NodeKey | None = None,
    category: str | None = None,
    rules: Sequence[Rule] = (),
    bounds: Bounds | None = None,
) -> ExposureReport:
    """The exposure of all personal attributes, of those at or under ``node``, or of a category and its kinds.

    A path that nobody named personal is answered as asked, with the categories of what holds it, if any.
    Raises ``UnknownDataset``, ``UnknownPath``, ``UnknownCategory``, ``StoreUnavailable``.
    """
    bounds = bounds or Bounds()
    named = personal(store, rules)
    asked = named.attributes if node is None else _at(named.attributes, resolve(store, node))
    if category is not None:
        asked = tuple(_of_category(asked, categories.checked(category)))
    found = explore(store, [attribute.node for attribute in asked], Direction.FORWARD, ALL_TYPES, bounds)
    beyond = untold(store, found)
    gaps = missing(store, found, beyond)
    exposures = tuple(_exposure(attribute, found, gaps, beyond, bounds) for attribute in asked)
    all_gaps = {gap: None for each in exposures for gap in each.incomplete}
    return ExposureReport(exposures, (*all_gaps, *named.unclear), labels(store, _mentioned(exposures)))


def _mentioned(exposures: Iterable[AttributeExposure]) -> Iterator[NodeKey]:
    for each in exposures:
        yield each.attribute.node
        for output in each.outputs:
            yield output.node
            for edge in output.witness:
                yield from (edge.source, edge.target)


def _at(attributes: Sequence[Attribute], node: NodeKey) -> tuple[Attribute, ...]:
    """The attributes at or under the node; without any, a path is taken as one itself."""
    inside = tuple(attribute for attribute in attributes if _holds(node, attribute.node))
    if inside or not node.path:
        return inside
    holders = [attribute for attribute in attributes if _holds(attribute.node, node)]
    named = sorted({category for holder in holders for category in holder.categories})
    return (Attribute(node, tuple(named), ("asked for",)),)


def _holds(one: NodeKey, other: NodeKey) -> bool:
    return one.dataset == other.dataset and other.path[: len(one.path)] == one.path


def _of_category(attributes: Iterable[Attribute], category: str) -> Iterator[Attribute]:
    for attribute in attributes:
        if any(categories.includes(category, key) for key in attribute.categories):
            yield attribute


State = tuple[NodeKey, Arrival]


@dataclass(slots=True)
class _Trace:
    """One attribute's pass: how each (node, form) was first reached, level by level."""

    came_from: dict[State, tuple[State, Edge] | None]
    distance: dict[NodeKey, int]
    cut: set[NodeKey] = field(default_factory=set)


def _exposure(
    attribute: Attribute,
    found: Exploration,
    gaps: Sequence[Incomplete],
    beyond: Mapping[DatasetKey, Sequence[Incomplete]],
    bounds: Bounds,
) -> AttributeExposure:
    trace = _trace(attribute.node, found, bounds)
    outputs = tuple(_outputs(attribute.node, trace))
    datasets = {node.dataset for node in trace.distance}
    own = [gap for gap in gaps if gap.dataset in datasets and gap.reason not in _CUT_REASONS]
    own += [gap for dataset in sorted(datasets) for gap in beyond.get(dataset, ())]
    cut = [Incomplete(found.cut.get(node, "DEPTH"), node.dataset, node.path) for node in sorted(trace.cut)]
    return AttributeExposure(attribute, outputs, (*dict.fromkeys(own), *cut))


_CUT_REASONS = ("DEPTH", "NODE_LIMIT")


def _trace(start: NodeKey, found: Exploration, bounds: Bounds) -> _Trace:
    first: State = (start, Arrival(Form.IDENTITY))
    trace = _Trace({first: None}, {start: 0})
    frontier = [first]
    level = 0
    while frontier:
        trace.cut.update(node for node, _ in frontier if node in found.cut)
        if level == bounds.depth:
            trace.cut.update(node for node, _ in frontier if found.fans.get(node))
            break
        level += 1
        frontier = [
            state for state, edge_from in _next_states(frontier, found) if _visit(trace, state, edge_from)
        ]
        for node, _ in frontier:
            trace.distance.setdefault(node, level)
    return trace


def _next_states(frontier: Sequence[State], found: Exploration) -> Iterator[tuple[State, tuple[State, Edge]]]:
    for state in frontier:
        node, arrival = state
        for fan in found.fans.get(node, ()):
            onward = sorted({_weakest(arrival, _arrival(t)) for t in fan.transformations})
            for edge in fan.edges(Direction.FORWARD):
                for form in onward:
                    yield (edge.target, form), (state, edge)


def _visit(trace: _Trace, state: State, edge_from: tuple[State, Edge]) -> bool:
    """Note how the state was reached; False when it had been already."""
    if state in trace.came_from:
        return False
    trace.came_from[state] = edge_from
    return True


def _arrival(transformation: Transformation) -> Arrival:
    """The form in which a value comes out of one transformation."""
    t = transformation
    if t.type is LineageType.INDIRECT:
        return Arrival(Form.INFLUENCED, t.subtype)
    if t.masking:
        return Arrival(Form.MASKED)
    if t.carries_structure:
        return Arrival(Form.IDENTITY)
    return Arrival(Form.AGGREGATED if t.subtype == "AGGREGATION" else Form.TRANSFORMED)


def _weakest(so_far: Arrival, next_one: Arrival) -> Arrival:
    """The form of a route that goes on; an influence keeps the kind it began with."""
    return so_far if so_far.form >= next_one.form else next_one


def _outputs(start: NodeKey, trace: _Trace) -> Iterator[ExposedOutput]:
    arrivals: dict[NodeKey, list[Arrival]] = {}
    for (node, arrival), edge_from in trace.came_from.items():
        if edge_from is not None:
            arrivals.setdefault(node, []).append(arrival)
    arrivals.pop(start, None)
    for node in sorted(arrivals, key=lambda node: (min(arrivals[node]).form, node)):
        forms = tuple(sorted(arrivals[node]))
        yield ExposedOutput(node, forms, trace.distance[node], _witness(trace, (node, forms[0])))


def _witness(trace: _Trace, state: State) -> tuple[Edge, ...]:
    """The edges of the shortest route to the state, from the attribute on."""
    edges: list[Edge] = []
    step = trace.came_from[state]
    while step is not None:
        before, edge = step
        kinds = tuple(sorted(edge.transformations, key=transformation_order))
        edges.append(edge._replace(transformations=kinds))
        step = trace.came_from[before]
    return tuple(reversed(edges))
