"""The question: which edges of an answer stay, by the steps that made its datasets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from headwater_backend.active import MOST_STATES
from headwater_backend.active.carrying import Fact
from headwater_backend.active.checking import Checked, check
from headwater_backend.active.ways import ActiveWays, Exclusion, active_ways
from headwater_backend.active.words import because
from headwater_backend.domain import deadline
from headwater_backend.domain.errors import BadThreshold, NoActiveLineage
from headwater_backend.domain.model import (
    DatasetKey,
    Direction,
    Edge,
    Incomplete,
    NodeKey,
    PathSteps,
)
from headwater_backend.ports import CataloguedGraph, Datasets
from headwater_backend.questions.active.concerned_rows import fetched
from headwater_backend.questions.active.effects import effects, up_to_fork
from headwater_backend.questions.active.steps import ActiveGraph, half_time, made_by
from headwater_backend.questions.closure import (
    JudgedEdge,
    LineageGraph,
    LineageNode,
    Proof,
    Stop,
    answer,
    gaps_in_order,
)
from headwater_backend.questions.edges import Edges
from headwater_backend.questions.levels import Level
from headwater_backend.questions.lineage import Scope
from headwater_backend.questions.resolving import describe_paths, labels, resolve_node
from headwater_backend.questions.traversal import explore

WAY_LIMIT: Final = "WAY_LIMIT"
"""The reason of a gap: beyond, edges are listed of which nobody has asked whether data can take them."""
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
    most_ways: int = MOST_STATES,
) -> LineageGraph:
    """The closure without what no data can take: none of the rows of the node's dataset that are ``where``.

    With ``verify``, each proof is checked apart from what found it. Of more than ``most_ways`` states it stops, and
    offers conditions. Raises what ``lineage`` raises.
    """
    _check(scope, level, most_ways)
    is_late = _time_for_proofs()
    start = resolve_node(store, node)
    facts = () if where is None else _facts(store, start.dataset, where)
    found = explore(store, [start], direction, scope.types, scope.bounds)
    passive = answer(store, found, scope.types, scope.bounds)
    edges, steps, ends = (
        list(passive.edges),
        made_by(store, found.datasets(), found.as_of).steps(),
        half_time(),
    )
    ways = active_ways(edges, steps, start, direction, where=facts, ends=ends, most_states=most_ways)
    graph = _without(store, passive, edges, ways)
    if verify:
        graph = replace(graph, pruned=tuple(_verified(each, ways, is_late) for each in graph.pruned))
    ends_of_more = half_time()

    def searched(given: Sequence[Fact], within: Collection[Edge] | None) -> ActiveWays:
        return active_ways(edges, steps, start, direction, where=given, ends=ends_of_more, within=within)

    near = up_to_fork(edges, start.dataset, direction) if facts else set()
    graph = replace(
        graph,
        effects=tuple(effects(facts, ways, near, searched)),
        fetches=tuple(fetched(store, list(graph.edges), ways)) if direction is Direction.BACKWARD else (),
    )
    if not ways.cut:
        return graph
    # It reads what it offers as conditions of a question.
    from headwater_backend.questions.active.choices import stopped  # noqa: PLC0415 - it loads a parser of SQL

    types = _types(store, start.dataset)
    return _ended(graph, stopped(store, ways, direction, types=types, facts=facts, searched=searched))


def _ended(graph: LineageGraph, stop: Stop) -> LineageGraph:
    """The answer with a gap at each path at which it stopped."""
    gaps = (Incomplete(WAY_LIMIT, each.node.dataset, each.node.path) for each in stop.at)
    return replace(graph, stopped=stop, incomplete=gaps_in_order({*graph.incomplete, *gaps}))


def _check(scope: Scope, level: Level, most_ways: int) -> None:
    if scope.after is not None or level is not Level.PATH:
        raise NoActiveLineage(
            "active lineage is one page of paths",
            "leave out the cursor and the level, or ask for passive lineage",
        )
    if not 1 <= most_ways <= MOST_STATES:
        raise BadThreshold(f"the answer cannot stop at {most_ways:,} ways", f"say 1 to {MOST_STATES:,}")


def _facts(store: CataloguedGraph, dataset: DatasetKey, where: str) -> Sequence[Fact]:
    """What holds of the rows of a dataset that are asked about."""
    # It loads a parser of SQL, and few questions have conditions.
    from headwater_backend.questions.active.initial_conditions import read_conditions  # noqa: PLC0415 - as above

    return read_conditions(where, _types(store, dataset))


def _types(store: CataloguedGraph, dataset: DatasetKey) -> Mapping[PathSteps, str | None]:
    fields = store.get_datasets([dataset])[dataset].fields
    return {each.path: each.type for each in describe_paths(store.paths([dataset])[dataset], fields)}


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


def _time_for_proofs() -> Callable[[], bool]:
    """Whether the time for checks of proofs is over: the rest of the question's is for the answer."""
    current = deadline.current()
    return (lambda: False) if current is None else current.part(_FOR_PROOFS).is_over


def _verified(judged: JudgedEdge, ways: ActiveWays, is_late: Callable[[], bool]) -> JudgedEdge:
    """The edge with its proofs, checked while there is time."""
    exclusions = ways.excluded.get(judged.edge, ())
    return judged._replace(proofs=tuple(_proof(each, is_late) for each in exclusions))


def _proof(exclusion: Exclusion, is_late: Callable[[], bool]) -> Proof:
    reasons = dict.fromkeys(reason for fact in exclusion.facts for reason in fact.reasons)
    checked = Checked.OPEN if is_late() else check([fact.term for fact in exclusion.facts])
    return Proof(because(exclusion), tuple((each.job, each.sql) for each in reasons), checked.value)


def _keys(nodes: Iterable[LineageNode]) -> list[NodeKey]:
    return [node.key for node in nodes]
