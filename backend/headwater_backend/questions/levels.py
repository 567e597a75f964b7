"""Coarser views of a lineage answer: columns, datasets, jobs.

Theory of operation
===================

The closure is always that of paths. A coarser level is a roll-up of it and never another search, so that it can
claim nothing that the paths do not: a dataset is in the answer because one of its paths is, and two datasets are
connected because two of their paths are.

*column*
    A path stands for its first step, a whole dataset for itself.
*dataset*
    A path stands for its dataset.
*job*
    An edge stands for its job. Job ``A`` comes before job ``B`` where an edge of ``A`` ends at a path that is
    comparable with one at which an edge of ``B`` begins: what ``A`` wrote there, ``B`` read.

What stands for several has the least of their distances, DIRECT before INFLUENCED, and all their
transformations. An edge that begins and ends in the same dataset, of a job that reads what it writes, stays an edge.

Example. ``t:user.id → o:id`` and ``t:user.name → o:name`` of one job are ``t:user → o:id`` and ``t:user → o:name``
by columns, and one edge ``t → o`` by datasets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from headwater_backend.model import (
    DatasetKey,
    Direction,
    Edge,
    Incomplete,
    JobKey,
    LineageType,
    NodeKey,
    PathSteps,
    Transformation,
)
from headwater_backend.questions.closure import LineageGraph, LineageNode, Reach, transformation_order
from headwater_backend.questions.find import written


class Level(Enum):
    """How finely an answer about lineage tells nodes apart."""

    PATH = "PATH"
    COLUMN = "COLUMN"
    DATASET = "DATASET"


@dataclass(frozen=True, slots=True)
class LineageJob:
    """A job of an answer; ``distance`` counts the jobs from the start, which the first are 1 away from."""

    key: JobKey
    distance: int
    reach: Reach


@dataclass(frozen=True, slots=True)
class JobEdge:
    """``target`` read what ``source`` wrote in the datasets ``through``, in name order."""

    source: JobKey
    target: JobKey
    through: tuple[DatasetKey, ...]


@dataclass(frozen=True, slots=True)
class JobGraph:
    """The jobs behind an answer, by distance and name, and which of them handed data to which."""

    jobs: tuple[LineageJob, ...]
    edges: tuple[JobEdge, ...]
    incomplete: tuple[Incomplete, ...]
    cursor: str | None = None

    @property
    def complete(self) -> bool:
        return not self.incomplete


def at_level(graph: LineageGraph, level: Level) -> LineageGraph:
    """The answer about paths, at that level."""
    match level:
        case Level.PATH:
            return graph
        case Level.COLUMN:
            return _rolled_up(graph, lambda node: NodeKey(node.dataset, node.path[:1]))
        case Level.DATASET:
            return _rolled_up(graph, lambda node: NodeKey(node.dataset, ()))


def jobs_of(graph: LineageGraph, direction: Direction) -> JobGraph:
    """The answer about paths, as jobs."""
    return JobGraph(_jobs(graph, direction), tuple(_handovers(graph.edges)), graph.incomplete)


def _rolled_up(graph: LineageGraph, standing: Callable[[NodeKey], NodeKey]) -> LineageGraph:
    nodes: dict[NodeKey, LineageNode] = {}
    for node in graph.nodes:
        key = standing(node.key)
        known = nodes.get(key)
        nodes[key] = replace(
            node,
            key=key,
            label=node.label if key == node.key else _label(key),
            distance=min(node.distance, known.distance) if known else node.distance,
            reach=_stronger(node.reach, known.reach) if known else node.reach,
        )
    start = standing(graph.nodes[0].key)
    ordered = sorted(nodes.values(), key=lambda node: (node.distance, node.key != start, node.key))
    return replace(graph, nodes=tuple(ordered), edges=tuple(_merged(graph.edges, standing)))


def _merged(edges: Iterable[Edge], standing: Callable[[NodeKey], NodeKey]) -> Iterator[Edge]:
    kinds: dict[tuple[NodeKey, NodeKey, JobKey], dict[Transformation, None]] = defaultdict(dict)
    for source, target, job, transformations in edges:
        kinds[standing(source), standing(target), job].update(dict.fromkeys(transformations))
    for place in sorted(kinds):
        yield Edge(*place, tuple(sorted(kinds[place], key=transformation_order)))


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
    """Which job read what which job wrote."""
    written_by: dict[NodeKey, set[JobKey]] = defaultdict(set)
    read_by: dict[NodeKey, set[JobKey]] = defaultdict(set)
    for edge in edges:
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
    """The pairs of which one holds the other, or both are the same."""
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


def _label(key: NodeKey) -> str:
    return written(key.path) if key.path else key.dataset.name
