"""What a path is made of, and what is made of it: the transitive closure of the stored edges.

Theory of operation
===================

``search`` meets the edges, breadth first and aware of containment (its rules are told there). From what it
met, this module says of each node

*distance*
    the least number of edges from the start, which is at 0. Levels are visited in order, so it is exact.
*reach*
    DIRECT when some route within the depth uses only edges with a DIRECT transformation, else INFLUENCED. A
    node may be reached early by an influence and later by value, so this is a second pass, over the edges in
    memory: a DIRECT route within the depth lies among them, because each node on it was opened.

What joins the answer by containment has the distance and reach of what it joined at.

The edges of an answer are columns (``Edges``), which are made when somebody looks at them: who asks for nodes alone
does not wait for them, and an object for each of 20,000 edges would take longer than the search.

What is missing is said: the store's entries for the datasets met as far as they concern the nodes asked for
(``Concern``), going forward also those of jobs that read one of them: of outputs, and of paths of outputs, for which
the job does not list what it read (``untold``); ``DEPTH`` where the depth cut an edge off, ``NODE_LIMIT`` where the
answer was getting too large, and ``TIME_LIMIT`` where it took too long. Answers are sorted, and so the same for the
same state of the store, unless time was short.

Example. A job reads ``t`` with ``ssn`` and ``name``, and writes ``o:name`` from ``t:name`` and ``o:x`` with a gap
UNKNOWN_EXPRESSION. No edge leads from ``t:ssn``; its forward answer has the gap at ``o:x``, where it may have arrived.
That the job did not look at ``ssn`` is no proof: what could not be read is not among what it looked at either.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import chain
from typing import NamedTuple, overload

from headwater_backend.domain.model import (
    DRIVER_NAMESPACE,
    HANDED_OVER,
    SCHEMA_DRIFT,
    DatasetKey,
    Direction,
    Edge,
    Incomplete,
    JobKey,
    LineageType,
    NodeKey,
    Transformation,
    reads_are_listed,
)
from headwater_backend.ports import CataloguedGraph, PathGraph
from headwater_backend.questions.find import labels, resolve
from headwater_backend.questions.search import DIRECT_ONLY, Bounds, Exploration, explore

Ways = tuple[Transformation, ...]


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


class EdgeColumns(NamedTuple):
    """Edge by edge: the places of its source and its target in ``nodes``, its job, and how it was made."""

    sources: Sequence[int]
    targets: Sequence[int]
    jobs: Sequence[JobKey]
    transformations: Sequence[Ways]


class Edges(Sequence[Edge]):
    """The edges between ``nodes``, from source to target. ``columns`` is called once, where they are looked at."""

    def __init__(self, nodes: Sequence[LineageNode], columns: Callable[[], EdgeColumns]) -> None:
        self._nodes = nodes
        self._columns = columns

    @classmethod
    def of(cls, nodes: Sequence[LineageNode], edges: Iterable[Edge]) -> Edges:
        """These edges, whose ends are all among the nodes."""
        return cls(nodes, lambda: _columns_of(nodes, edges))

    @cached_property
    def columns(self) -> EdgeColumns:
        return self._columns()

    def __len__(self) -> int:
        return len(self.columns.sources)

    @overload
    def __getitem__(self, place: int) -> Edge: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Edge]: ...

    def __getitem__(self, place: int | slice) -> Edge | Sequence[Edge]:
        if isinstance(place, slice):
            return tuple(self)[place]
        sources, targets, jobs, ways = self.columns
        ends = self._nodes[sources[place]].key, self._nodes[targets[place]].key
        return Edge(*ends, jobs[place], ways[place])

    def __iter__(self) -> Iterator[Edge]:
        keys = [node.key for node in self._nodes]
        for source, target, job, kinds in zip(*self.columns, strict=True):
            yield Edge(keys[source], keys[target], job, kinds)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Edges) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


def _columns_of(nodes: Iterable[LineageNode], edges: Iterable[Edge]) -> EdgeColumns:
    place_of = {node.key: place for place, node in enumerate(nodes)}
    rows = [(place_of[source], place_of[target], job, kinds) for source, target, job, kinds in edges]
    return EdgeColumns(*zip(*rows, strict=True)) if rows else EdgeColumns((), (), (), ())


@dataclass(frozen=True, slots=True)
class LineageGraph:
    """An answer: the start, then nodes by distance and name; edges from source to target whichever way."""

    nodes: tuple[LineageNode, ...]
    edges: Edges
    incomplete: tuple[Incomplete, ...]
    cursor: str | None = None
    """Where a limit ended the answer: what ``questions.lineage`` goes on from."""

    @property
    def complete(self) -> bool:
        return not self.incomplete


def backward(
    store: CataloguedGraph,
    node: NodeKey,
    types: frozenset[LineageType] = DIRECT_ONLY,
    bounds: Bounds | None = None,
) -> LineageGraph:
    """What ``node`` is made of. Raises ``UnknownDataset``, ``UnknownPath``, ``StoreUnavailable``."""
    return lineage(store, node, Direction.BACKWARD, types, bounds)


def forward(
    store: CataloguedGraph,
    node: NodeKey,
    types: frozenset[LineageType] = DIRECT_ONLY,
    bounds: Bounds | None = None,
) -> LineageGraph:
    """What is made of ``node``. Raises ``UnknownDataset``, ``UnknownPath``, ``StoreUnavailable``."""
    return lineage(store, node, Direction.FORWARD, types, bounds)


def lineage(
    store: CataloguedGraph,
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
    store: CataloguedGraph, found: Exploration, types: frozenset[LineageType], bounds: Bounds
) -> LineageGraph:
    """The answer that an exploration of these types and bounds gives."""
    direct = reached_directly(found, types, bounds)
    by_name = sorted(found.distance)
    nodes = _nodes(found, direct, by_name, labels(store, by_name))
    return LineageGraph(
        nodes=nodes,
        edges=Edges(nodes, lambda: _edges(found, by_name, nodes)),
        incomplete=missing(store, found, untold(store, found)),
    )


def missing(
    store: PathGraph, found: Exploration, beyond: Mapping[DatasetKey, Sequence[Incomplete]]
) -> tuple[Incomplete, ...]:
    """What is known not to be known about an answer, sorted; ``beyond`` is what ``untold`` says of it."""
    concerns = Concern(found.asked(), found.direction)
    gaps = [gap for gap in store.incomplete(found.datasets(), found.as_of) if concerns(gap)]
    return gaps_in_order({*cuts(found), *gaps, *chain.from_iterable(beyond.values())})


def cuts(found: Exploration) -> list[Incomplete]:
    """Where the search left something out for one of its bounds."""
    return [Incomplete(reason=why, dataset=node.dataset, path=node.path) for node, why in found.cut.items()]


def gaps_in_order(entries: Iterable[Incomplete]) -> tuple[Incomplete, ...]:
    """Sorted by place, reason, job and detail."""
    return tuple(
        sorted(entries, key=lambda e: (e.dataset, e.path, e.reason, e.job or JobKey("", ""), e.detail))
    )


class Concern:
    """Which gaps of a dataset concern an answer that asked for these nodes.

    A gap of the whole dataset always does; one of a path does where a node was asked for that holds the path, or that
    it holds. Looking ahead, it does so, too, where what the path is made of may not be known: then it may be made of
    any node. Of a user's function alone, what it reads is known, and only what it does with it is not. Of a schema that
    does not fit, what may be read as something else is a gap of its own.
    """

    def __init__(self, nodes: Iterable[NodeKey], direction: Direction) -> None:
        self._direction = direction
        self._asked = frozenset(nodes)
        self._holders = {NodeKey(key, path[:end]) for key, path in self._asked for end in range(len(path))}
        self._datasets = {key for key, _ in self._asked}

    def __call__(self, gap: Incomplete) -> bool:
        if gap.dataset not in self._datasets:
            return False
        if concerns_all(gap, self._direction):
            return True
        at = NodeKey(gap.dataset, gap.path)
        above = (NodeKey(gap.dataset, gap.path[:end]) for end in range(len(gap.path) + 1))
        return at in self._holders or not self._asked.isdisjoint(above)


def concerns_all(gap: Incomplete, direction: Direction) -> bool:
    """Whether the gap concerns every answer that asked for something of its dataset."""
    return not gap.path or (direction is Direction.FORWARD and not _reads_are_known(gap))


def _reads_are_known(gap: Incomplete) -> bool:
    """Whether the lineage lists all that the path may be made of, and only hides how."""
    if gap.dataset.namespace.startswith(DRIVER_NAMESPACE):
        return True
    return gap.reason != HANDED_OVER and reads_are_listed(gap.reason)


def untold(store: PathGraph, found: Exploration) -> Mapping[DatasetKey, Sequence[Incomplete]]:
    """Of each dataset on the way forward, where its data may be without an edge that leads there: by jobs that give no
    lineage, or do not list what they read for some path, or that read it by a schema that does not fit.
    """
    if found.direction is Direction.BACKWARD:
        return {}
    concerns = Concern(found.asked(), found.direction)
    return {
        dataset: [gap for gap in gaps if gap.reason != SCHEMA_DRIFT or concerns(gap)]
        for dataset, gaps in store.possible_outputs(found.datasets(), found.as_of).items()
    }


def reached_directly(found: Exploration, types: frozenset[LineageType], bounds: Bounds) -> Set[NodeKey]:
    """The nodes to which a route of DIRECT edges leads, within the depth; containment costs nothing."""
    if types == DIRECT_ONLY:
        return found.distance.keys()
    reached = set(found.starts)
    seen = set(found.starts)
    frontier = list(found.starts)
    level = 0
    while frontier and level != bounds.depth:
        fans = [fan for node in frontier for fan in found.fans.get(node, ())]
        reached.update(fan.near for fan in fans)
        frontier = list({far for fan in fans if fan.direct for far in fan.fars} - seen)
        seen.update(frontier)
        reached.update(frontier)
        level += 1
    return reached


def _nodes(
    found: Exploration, direct: Set[NodeKey], by_name: Iterable[NodeKey], names: Mapping[NodeKey, str]
) -> tuple[LineageNode, ...]:
    levels: dict[int, list[NodeKey]] = defaultdict(list)
    for key in by_name:
        levels[found.distance[key]].append(key)
    # What joined the starts by containment is as near as they are.
    starts = set(found.starts)
    levels[0].sort(key=lambda key: key not in starts)
    return tuple(
        LineageNode(key, names[key], distance, Reach.DIRECT if key in direct else Reach.INFLUENCED)
        for distance in sorted(levels)
        for key in levels[distance]
    )


class _End(NamedTuple):
    """The place of an edge's target, and what else is to be said of the edge."""

    target: int
    job: JobKey
    transformations: Ways


def _edges(found: Exploration, by_name: Sequence[NodeKey], nodes: Iterable[LineageNode]) -> EdgeColumns:
    """Each edge once, with all that was seen on it; by the names of source, target and job."""
    fans = list(chain.from_iterable(found.fans.values()))
    rank_of = {key: rank for rank, key in enumerate(by_name)}
    place_of = {node.key: place for place, node in enumerate(nodes)}
    jobs = {job: rank for rank, job in enumerate(sorted({fan.job for fan in fans}))}
    # Few ways of transforming lie on many edges, and are one object there.
    ways = {id(fan.transformations): fan.transformations for fan in fans}
    ordered = {way: in_order(kinds) for way, kinds in ways.items()}
    ends_of: list[list[tuple[int, _End]]] = [[] for _ in by_name]
    for near, fars, job, kinds in fans:
        rank, by, told = rank_of[near], jobs[job], ordered[id(kinds)]
        if found.direction is Direction.BACKWARD:
            end = (rank * len(jobs) + by, _End(place_of[near], job, told))
            for source in map(rank_of.__getitem__, fars):
                ends_of[source].append(end)
        else:
            ends_of[rank] += [(rank_of[far] * len(jobs) + by, _End(place_of[far], job, told)) for far in fars]
    sources: list[int] = []
    ends: list[_End] = []
    for key, met in zip(by_name, map(_merged, ends_of), strict=True):
        sources += [place_of[key]] * len(met)
        ends += map(met.__getitem__, sorted(met))
    return EdgeColumns(sources, *zip(*ends, strict=True)) if ends else EdgeColumns((), (), (), ())


def _merged(met: Sequence[tuple[int, _End]]) -> Mapping[int, _End]:
    """The ends by their order among those of one source, each with all transformations seen there."""
    ends = dict(met)
    if len(ends) < len(met):
        kinds: dict[int, set[Transformation]] = defaultdict(set)
        for order, end in met:
            kinds[order].update(end.transformations)
        return {order: end._replace(transformations=in_order(kinds[order])) for order, end in ends.items()}
    return ends


def in_order(kinds: Iterable[Transformation]) -> tuple[Transformation, ...]:
    """Each once, DIRECT first, then by what is shown."""
    return tuple(sorted(set(kinds), key=transformation_order))


def transformation_order(transformation: Transformation) -> tuple[object, ...]:
    """A sort key: DIRECT first, then by what is shown."""
    t = transformation
    return (t.type.value, t.subtype, t.masking, t.manipulation, t.access or "", t.at, t.operators)
