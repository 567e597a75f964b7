"""The question: which edges of an answer stay, by the steps that made its datasets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

from headwater_backend.active.reading import read_populations
from headwater_backend.active.ways import ActiveWays, Step, active_ways
from headwater_backend.active.words import because
from headwater_backend.domain import deadline
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, Direction, Edge, JobKey, Making, NodeKey
from headwater_backend.ports import CataloguedGraph, ConditionedGraph, Datasets
from headwater_backend.questions.closure import JudgedEdge, LineageGraph, LineageNode, answer
from headwater_backend.questions.edges import Edges
from headwater_backend.questions.levels import Level
from headwater_backend.questions.lineage import Scope
from headwater_backend.questions.resolving import labels, resolve_node
from headwater_backend.questions.traversal import ALL_TYPES, Exploration, explore

PRODUCER: Final = "https://headwater.dev"
"""The program whose populations are believed; it may stand before more of an address."""

Versions = Mapping[tuple[JobKey, DatasetKey], Collection[str]]
"""By job and output, the versions of lineage that are in an answer."""


class ActiveGraph(CataloguedGraph, ConditionedGraph, Protocol):
    """The ports of the question."""


def active_lineage(
    store: ActiveGraph, node: NodeKey, direction: Direction, scope: Scope, level: Level = Level.PATH
) -> LineageGraph:
    """The closure without what no data can take. Raises what ``lineage`` raises."""
    if scope.after is not None or level is not Level.PATH:
        raise BadQuestion(
            "active lineage is one page of paths",
            "leave out the cursor and the level, or ask for passive lineage",
        )
    start = resolve_node(store, node)
    found = explore(store, [start], direction, scope.types, scope.bounds)
    passive = answer(store, found, scope.types, scope.bounds)
    edges = list(passive.edges)
    ways = active_ways(edges, _steps(store, found), start, direction, ends=_half_time())
    return _without(store, passive, edges, ways)


def _half_time() -> Callable[[], bool]:
    """Whether half of the time for the question is over: the rest is for the answer."""
    current = deadline.current()
    return (lambda: False) if current is None else current.part(0.5).is_over


def _steps(store: ActiveGraph, found: Exploration) -> Iterator[Step]:
    """What each job does that writes a dataset of the answer."""
    versions, as_of = _versions(store, found), found.as_of
    listed = {version for some in versions.values() for version in some if version}
    makings = store.conditions(listed, as_of) if listed else {}
    for (job, output), some in versions.items():
        for version in some:
            yield from _made(job, output, version, makings.get(version, ()))
    for gap in store.incomplete(sorted(found.datasets()), as_of):
        if gap.job is None or (gap.job, gap.dataset) not in versions:
            yield Step(gap.job or JobKey("", ""), gap.dataset, None)


def _versions(store: ActiveGraph, found: Exploration) -> Versions:
    """Those of all edges into the datasets of the answer, and not only of the paths in it."""
    nowhere: tuple[str, ...] = ()
    whole = [NodeKey(dataset, nowhere) for dataset in sorted(found.datasets())]
    around = store.neighbours(whole, Direction.BACKWARD, ALL_TYPES, found.as_of)
    versions: dict[tuple[JobKey, DatasetKey], dict[str, None]] = defaultdict(dict)
    for fan in around.fans:
        versions[fan.job, fan.near.dataset][fan.version] = None
    return versions


def _made(job: JobKey, output: DatasetKey, version: str, makings: Sequence[Making]) -> Iterator[Step]:
    """A step for each of the conditions under which the version was made; one of which nothing is known, if none."""
    for number, making in enumerate(makings):
        stated = making.conditions
        believed = stated is not None and f"{stated.producer}/".startswith(f"{PRODUCER}/")
        listed = stated.populations if stated is not None and believed else ()
        yield Step(job, output, read_populations(listed, (job, output, version, number)))
    if not makings:
        yield Step(job, output, None)


def _without(store: Datasets, passive: LineageGraph, edges: Sequence[Edge], ways: ActiveWays) -> LineageGraph:
    kept = [edge for edge in edges if edge in ways.taken]
    ends = {end for edge in kept for end in (edge.source, edge.target)}
    nodes = tuple(node for node in passive.nodes if node.distance == 0 or node.key in ends)
    judged = [edge for edge in edges if edge not in ways.taken or edge in ways.undecided]
    named = labels(store, sorted({end for edge in judged for end in (edge.source, edge.target)}))

    def because_of(edge: Edge) -> JudgedEdge:
        why = dict.fromkeys(map(because, ways.excluded.get(edge, ())))
        return JudgedEdge(edge, named[edge.source], named[edge.target], tuple(why))

    return replace(
        passive,
        nodes=nodes,
        edges=Edges.of(_keys(nodes), kept),
        pruned=tuple(because_of(edge) for edge in judged if edge not in ways.taken),
        undecided=tuple(because_of(edge) for edge in judged if edge in ways.taken),
    )


def _keys(nodes: Iterable[LineageNode]) -> list[NodeKey]:
    return [node.key for node in nodes]
