"""What a path is made of, and what is made of it: the transitive closure of the stored edges.

Theory of operation
===================

``search`` meets the edges, breadth first and aware of containment (its rules are told there). From what it
met, this module says of each node

*distance*
    the least number of edges from the start, which is at 0. Levels are visited in order, so it is exact.
*reach*
    DIRECT when some route within the depth uses only edges with a DIRECT transformation, else INFLUENCED. A
    node may be reached early by an influence and later by value, so this is a second pass, over the hops in
    memory: a DIRECT route within the depth lies among them, because each node on it was opened.

What joins the answer by containment has the distance and reach of what it joined at.

What is missing is said: the store's entries for the datasets met, ``DEPTH`` where the depth cut an edge off,
and ``NODE_LIMIT`` where the answer was getting too large. Answers are sorted, and so the same for the same
state of the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from headwater_backend.model import Direction, Edge, Incomplete, JobKey, LineageType, NodeKey, Transformation
from headwater_backend.ports import LineageStore
from headwater_backend.questions.find import labels, resolve
from headwater_backend.questions.search import DIRECT_ONLY, Bounds, Exploration, explore


class Reach(Enum):
    """DIRECT: a value can have come all the way; INFLUENCED: only over an indirect edge."""

    DIRECT = "DIRECT"
    INFLUENCED = "INFLUENCED"


class LineageNode(NamedTuple):
    """A node of an answer; ``distance`` counts edges from the start, ``label`` is for people."""

    key: NodeKey
    label: str
    distance: int
    reach: Reach


@dataclass(frozen=True, slots=True)
class LineageGraph:
    """An answer: the start, then nodes by distance and name; edges from source to target whichever way."""

    nodes: tuple[LineageNode, ...]
    edges: tuple[Edge, ...]
    incomplete: tuple[Incomplete, ...]
    cursor: str | None = None
    """Where a limit ended the answer: what ``questions.lineage`` goes on from."""

    @property
    def complete(self) -> bool:
        return not self.incomplete


def backward(
    store: LineageStore,
    node: NodeKey,
    types: frozenset[LineageType] = DIRECT_ONLY,
    bounds: Bounds | None = None,
) -> LineageGraph:
    """What ``node`` is made of. Raises ``UnknownDataset``, ``UnknownPath``, ``StoreUnavailable``."""
    return lineage(store, node, Direction.BACKWARD, types, bounds)


def forward(
    store: LineageStore,
    node: NodeKey,
    types: frozenset[LineageType] = DIRECT_ONLY,
    bounds: Bounds | None = None,
) -> LineageGraph:
    """What is made of ``node``. Raises ``UnknownDataset``, ``UnknownPath``, ``StoreUnavailable``."""
    return lineage(store, node, Direction.FORWARD, types, bounds)


def lineage(
    store: LineageStore,
    node: NodeKey,
    direction: Direction,
    types: frozenset[LineageType] = DIRECT_ONLY,
    bounds: Bounds | None = None,
) -> LineageGraph:
    """The closure of ``node`` in one direction, over the edges of the given types."""
    bounds = bounds or Bounds()
    found = explore(store, [resolve(store, node)], direction, types, bounds)
    return told(store, found, types, bounds)


def told(
    store: LineageStore, found: Exploration, types: frozenset[LineageType], bounds: Bounds
) -> LineageGraph:
    """The answer that an exploration of these types and bounds gives."""
    direct = reached_directly(found, types, bounds)
    order = {key: place for place, key in enumerate(sorted(found.distance))}
    return LineageGraph(
        nodes=_nodes(found, direct, order, labels(store, found.distance)),
        edges=_edges(found, order),
        incomplete=missing(store, found),
    )


def missing(store: LineageStore, found: Exploration) -> tuple[Incomplete, ...]:
    """What is known not to be known about an answer, sorted."""
    cut = [Incomplete(reason=why, dataset=node.dataset, path=node.path) for node, why in found.cut.items()]
    entries = {*cut, *store.incomplete(found.datasets())}
    return tuple(
        sorted(entries, key=lambda e: (e.dataset, e.path, e.reason, e.job or JobKey("", ""), e.detail))
    )


def reached_directly(found: Exploration, types: frozenset[LineageType], bounds: Bounds) -> Set[NodeKey]:
    """The nodes to which a route of DIRECT hops leads, within the depth; containment costs nothing."""
    if types == DIRECT_ONLY:
        return found.distance.keys()
    reached = set(found.starts)
    seen = set(found.starts)
    frontier = list(found.starts)
    level = 0
    while frontier and level != bounds.depth:
        hops = [hop for node in frontier for hop in found.hops.get(node, ())]
        reached.update(hop.near for hop in hops)
        frontier = list({hop.far for hop in hops if hop.direct} - seen)
        seen.update(frontier)
        reached.update(frontier)
        level += 1
    return reached


def _nodes(
    found: Exploration, direct: Set[NodeKey], order: Mapping[NodeKey, int], names: Mapping[NodeKey, str]
) -> tuple[LineageNode, ...]:
    starts = set(found.starts)
    ordered = sorted(
        (distance, key not in starts, order[key], key) for key, distance in found.distance.items()
    )
    return tuple(
        LineageNode(key, names[key], distance, Reach.DIRECT if key in direct else Reach.INFLUENCED)
        for distance, _, _, key in ordered
    )


def _edges(found: Exploration, order: Mapping[NodeKey, int]) -> tuple[Edge, ...]:
    """Each edge once, from source to target, with all that was seen on it."""
    backward = found.direction is Direction.BACKWARD
    merged: dict[tuple[int, int, JobKey], Edge] = {}
    for hops in found.hops.values():
        for near, far, job, kinds in hops:
            source, target = (far, near) if backward else (near, far)
            place = (order[source], order[target], job)
            known = merged.get(place)
            if known is None:
                merged[place] = Edge(source, target, job, kinds)
            elif known.transformations is not kinds:
                both = dict.fromkeys((*known.transformations, *kinds))
                merged[place] = known._replace(transformations=tuple(both))
    return tuple(_in_order(merged[place]) for place in sorted(merged))


def _in_order(edge: Edge) -> Edge:
    if len(edge.transformations) == 1:
        return edge
    return edge._replace(transformations=in_order(edge.transformations))


def in_order(kinds: Iterable[Transformation]) -> tuple[Transformation, ...]:
    """Each once, DIRECT first, then by what is shown."""
    return tuple(sorted(set(kinds), key=transformation_order))


def transformation_order(transformation: Transformation) -> tuple[object, ...]:
    """A sort key: DIRECT first, then by what is shown."""
    t = transformation
    return (t.type.value, t.subtype, t.masking, t.manipulation, t.access or "", t.at, t.operators)
