"""The question: which edges of an answer stay, by the steps that made its datasets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from headwater_backend.active.carrying import Fact
from headwater_backend.active.checking import Checked, check
from headwater_backend.active.ways import ActiveWays, Exclusion, active_ways
from headwater_backend.active.words import because
from headwater_backend.domain import deadline
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import (
    DatasetKey,
    Direction,
    Edge,
    NodeKey,
)
from headwater_backend.ports import CataloguedGraph, Datasets
from headwater_backend.questions.active.concerned_rows import fetched
from headwater_backend.questions.active.steps import ActiveGraph, half_time, made_by
from headwater_backend.questions.closure import Effect, JudgedEdge, LineageGraph, LineageNode, Proof, answer
from headwater_backend.questions.edges import Edges
from headwater_backend.questions.levels import Level
from headwater_backend.questions.lineage import Scope
from headwater_backend.questions.resolving import describe_paths, labels, resolve_node
from headwater_backend.questions.traversal import explore

_FOR_PROOFS: Final = 0.9
"""The share of a question's time after which proofs stay open."""


def active_lineage(
    store: ActiveGraph,
    node: NodeKey,
    direction: Direction,
    scope: Scope,
    level: Level = Level.PATH,
    *,
    where: str | None = None,
    verify: bool = False,
) -> LineageGraph:
    """The closure without what no data can take: none of the rows of the node's dataset that are ``where``.

    With ``verify``, each proof is checked apart from what found it. Raises what ``lineage`` raises.
    """
    if scope.after is not None or level is not Level.PATH:
        raise BadQuestion(
            "active lineage is one page of paths",
            "leave out the cursor and the level, or ask for passive lineage",
        )
    start = resolve_node(store, node)
    facts = () if where is None else _facts(store, start.dataset, where)
    found = explore(store, [start], direction, scope.types, scope.bounds)
    passive = answer(store, found, scope.types, scope.bounds)
    edges, steps, ends = (
        list(passive.edges),
        made_by(store, found.datasets(), found.as_of).steps(),
        half_time(),
    )

    def searched(*given: Fact) -> ActiveWays:
        return active_ways(edges, steps, start, direction, where=given, ends=ends)

    ways = searched(*facts)
    graph = _without(store, passive, edges, ways)
    if verify:
        graph = replace(graph, pruned=tuple(_verified(each, ways) for each in graph.pruned))
    backward = direction is Direction.BACKWARD
    return replace(
        graph,
        effects=tuple(_effects(start, facts, ways, searched)),
        fetches=tuple(fetched(store, list(graph.edges), ways)) if backward else (),
    )


def _facts(store: CataloguedGraph, dataset: DatasetKey, where: str) -> Sequence[Fact]:
    """What holds of the rows of a dataset that are asked about."""
    # It loads a parser of SQL, and few questions have conditions.
    from headwater_backend.questions.active.initial_conditions import read_conditions  # noqa: PLC0415 - as above

    fields = store.get_datasets([dataset])[dataset].fields
    types = {each.path: each.type for each in describe_paths(store.paths([dataset])[dataset], fields)}
    return read_conditions(where, types)


def _effects(
    start: NodeKey, facts: Sequence[Fact], ways: ActiveWays, searched: Callable[..., ActiveWays]
) -> Iterator[Effect]:
    """What each of the question's conditions excludes that the others do not."""
    for fact in facts:
        others = searched(*(each for each in facts if each is not fact))
        more = others.taken - ways.taken
        near = [edge for edge in more if start.dataset in (edge.source.dataset, edge.target.dataset)]
        yield Effect(fact.reasons[0].sql, len(near), len(more))


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


def _verified(judged: JudgedEdge, ways: ActiveWays) -> JudgedEdge:
    """The edge with its proofs, checked while there is time."""
    return judged._replace(proofs=tuple(map(_proof, ways.excluded.get(judged.edge, ()))))


def _proof(exclusion: Exclusion) -> Proof:
    reasons = dict.fromkeys(reason for fact in exclusion.facts for reason in fact.reasons)
    current = deadline.current()
    is_late = current is not None and current.part(_FOR_PROOFS).is_over
    checked = Checked.OPEN if is_late else check([fact.term for fact in exclusion.facts])
    return Proof(because(exclusion), tuple((each.job, each.sql) for each in reasons), checked.value)


def _keys(nodes: Iterable[LineageNode]) -> list[NodeKey]:
    return [node.key for node in nodes]
