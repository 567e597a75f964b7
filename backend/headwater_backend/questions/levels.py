"""Coarser views of a lineage answer: columns, datasets, jobs.

Theory of operation
===================

The closure is always that of paths. A coarser level is a roll-up of it and never another search, so that it cannot
contain more than the paths do: a dataset is in the answer because one of its paths is, and two datasets are
connected because two of their paths are.

*column*
    A path stands for its first step, a whole dataset for itself.
*dataset*
    A path stands for its dataset.
*job*
    An edge stands for its job. Job ``A`` comes before job ``B`` where an edge of ``A`` ends at a path that is
    comparable with one at which an edge of ``B`` begins: what ``A`` wrote there, ``B`` read.

A node or edge that stands for several has the least of their distances, DIRECT before INFLUENCED, and all their
transformations. An edge that begins and ends in the same dataset, of a job that reads what it writes, stays an edge;
a READ_AS edge, from a stored path to another name of it, does not.

Example. ``t:user.id → o:id`` and ``t:user.name → o:name`` of one job are ``t:user → o:id`` and ``t:user → o:name``
by columns, and one edge ``t → o`` by datasets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from itertools import chain

from headwater_backend.domain.model import (
    DatasetKey,
    Direction,
    Edge,
    Incomplete,
    JobKey,
    LineageType,
    NodeKey,
    PathSteps,
    only_read_as,
)
from headwater_backend.ports import CataloguedGraph
from headwater_backend.questions.closure import (
    LineageGraph,
    LineageNode,
    Reach,
    answer,
    missing,
    possible_outputs,
    reached_directly,
)
from headwater_backend.questions.edges import Edges, Merged, Ways
from headwater_backend.questions.resolving import labels
from headwater_backend.questions.traversal import Bounds, Exploration


class Level(Enum):
    """The level of detail of an answer about lineage."""

    PATH = "PATH"
    COLUMN = "COLUMN"
    DATASET = "DATASET"


@dataclass(frozen=True, slots=True)
class LineageJob:
    """A job of an answer; ``distance`` counts jobs from the start, from 1."""

    key: JobKey
    distance: int
    reach: Reach


@dataclass(frozen=True, slots=True)
class JobEdge:
    """A handover: ``target`` read what ``source`` wrote in the datasets ``through``, in name order."""

    source: JobKey
    target: JobKey
    through: tuple[DatasetKey, ...]


@dataclass(frozen=True, slots=True)
class JobGraph:
    """The jobs of an answer, by distance and name, and the handovers between them."""

    jobs: tuple[LineageJob, ...]
    edges: tuple[JobEdge, ...]
    incomplete: tuple[Incomplete, ...]
    cursor: str | None = None

    @property
    def complete(self) -> bool:
        return not self.incomplete


def answer_at(
    store: CataloguedGraph,
    found: Exploration,
    types: frozenset[LineageType],
    bounds: Bounds,
    level: Level,
) -> LineageGraph:
    """The answer at that level out of an exploration with these types and bounds."""
    if level is Level.PATH:
        return answer(store, found, types, bounds)
    return _rolled_up(store, found, reached_directly(found, types, bounds), 1 if level is Level.COLUMN else 0)


def jobs_of(graph: LineageGraph, direction: Direction) -> JobGraph:
    """The jobs of an answer about paths."""
    return JobGraph(_jobs(graph, direction), tuple(_handovers(graph.edges)), graph.incomplete)


def _rolled_up(store: CataloguedGraph, found: Exploration, direct: Set[NodeKey], steps: int) -> LineageGraph:
    """The answer in which each node stands for the first ``steps`` steps of its path."""
    standing = {key: NodeKey(key.dataset, key.path[:steps]) for key in found.distance}
    order = {key: place for place, key in enumerate(sorted(set(standing.values())))}
    place_of = {key: order[above] for key, above in standing.items()}
    distance = [len(found.distance)] * len(order)
    for key, least in found.distance.items():
        distance[place_of[key]] = min(distance[place_of[key]], least)
    by_value = {place_of[key] for key in direct}
    start = place_of[found.starts[0]]
    names = labels(store, order)
    keys = list(order)
    nodes = tuple(
        LineageNode(
            keys[place],
            names[keys[place]],
            distance[place],
            Reach.DIRECT if place in by_value else Reach.INFLUENCED,
        )
        for place in sorted(order.values(), key=lambda place: (distance[place], place != start, place))
    )
    return LineageGraph(
        nodes,
        Edges.of([node.key for node in nodes], _merged(found, place_of, keys)),
        missing(store, found, possible_outputs(store, found)),
    )


def _merged(found: Exploration, place_of: Mapping[NodeKey, int], keys: Sequence[NodeKey]) -> Iterator[Edge]:
    """The edges between the nodes that stand for the ends of the edges found, in order."""
    backward = found.direction is Direction.BACKWARD
    ways: dict[tuple[int, int, JobKey], dict[int, Ways]] = {}
    for near, fars, job, kinds, _ in chain.from_iterable(found.fans.values()):
        at = place_of[near]
        for place in map(place_of.__getitem__, fars):
            if place == at and only_read_as(kinds):
                continue
            ends = (place, at, job) if backward else (at, place, job)
            ways.setdefault(ends, {})[id(kinds)] = kinds
    merged = Merged()
    for source, target, job in sorted(ways):
        yield Edge(keys[source], keys[target], job, merged.all(ways[source, target, job]))


def _jobs(graph: LineageGraph, direction: Direction) -> tuple[LineageJob, ...]:
    known = {node.key: node for node in graph.nodes}
    found: dict[JobKey, LineageJob] = {}
    for edge in graph.edges:
        near = known[edge.target if direction is Direction.BACKWARD else edge.source]
        by_value = near.reach is Reach.DIRECT and any(
            kind.type is LineageType.DIRECT for kind in edge.transformations
        )
        reach = Reach.DIRECT if by_value else Reach.INFLUENCED
        before = found.get(edge.job, LineageJob(edge.job, near.distance + 1, reach))
        distance = min(before.distance, near.distance + 1)
        found[edge.job] = LineageJob(edge.job, distance, _stronger(before.reach, reach))
    return tuple(sorted(found.values(), key=lambda job: (job.distance, job.key)))


def _handovers(edges: Iterable[Edge]) -> Iterator[JobEdge]:
    """The handovers between jobs: which one read what another wrote."""
    written_by: dict[NodeKey, set[JobKey]] = defaultdict(set)
    read_by: dict[NodeKey, set[JobKey]] = defaultdict(set)
    for edge in edges:
        if not only_read_as(edge.transformations):
            written_by[edge.target].add(edge.job)
        read_by[edge.source].add(edge.job)
    through: dict[tuple[JobKey, JobKey], set[DatasetKey]] = defaultdict(set)
    for wrote, read in _comparable(written_by.keys(), read_by.keys()):
        for writer in written_by[wrote]:
            for reader in read_by[read]:
                through[writer, reader].add(wrote.dataset)
    for (writer, reader), datasets in sorted(through.items()):
        yield JobEdge(writer, reader, tuple(sorted(datasets)))


def _comparable(ones: Iterable[NodeKey], others: Iterable[NodeKey]) -> Iterator[tuple[NodeKey, NodeKey]]:
    """The pairs of equal nodes, or of an ancestor and a descendant."""
    first, second = set(ones), set(others)
    for one in first:
        for above in _prefixes(one.path):
            if (holder := NodeKey(one.dataset, above)) in second:
                yield one, holder
    for other in second:
        for above in _prefixes(other.path[:-1]) if other.path else ():
            if (holder := NodeKey(other.dataset, above)) in first:
                yield holder, other


def _prefixes(path: PathSteps) -> Iterator[PathSteps]:
    for length in range(len(path) + 1):
        yield path[:length]


def _stronger(one: Reach, other: Reach) -> Reach:
    return Reach.DIRECT if Reach.DIRECT in (one, other) else Reach.INFLUENCED
