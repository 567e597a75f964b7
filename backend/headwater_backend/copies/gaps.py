"""Probable copies as gaps of answers: until a steward decides, data may have gone on there, or have come from there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Final

from headwater_backend.active import MOST_STATES
from headwater_backend.copies.matching import ProbableCopy
from headwater_backend.copies.proposals import undecided_copies, undecided_copies_of
from headwater_backend.domain.model import DatasetKey, Direction, Incomplete, NodeKey
from headwater_backend.ports import CataloguedGraph
from headwater_backend.questions import lineage as questions
from headwater_backend.questions.active import active_lineage as active
from headwater_backend.questions.active.record_sources import RecordSources, check_attributes
from headwater_backend.questions.active.record_sources import record_sources as combined
from headwater_backend.questions.active.steps import ActiveGraph
from headwater_backend.questions.closure import LineageGraph, gaps_in_order
from headwater_backend.questions.levels import Level
from headwater_backend.questions.lineage import BothWays, Scope

POSSIBLE_COPY: Final = "POSSIBLE_COPY"


def possible_copies(copies: Iterable[ProbableCopy]) -> list[Incomplete]:
    """A gap for each copy, with its first original, and the number of the others."""
    by_copy = groupby(sorted(copies), key=lambda each: each.dataset)
    return [_gap(dataset, [each.original for each in some]) for dataset, some in by_copy]


def lineage(
    store: CataloguedGraph, node: NodeKey, direction: Direction, scope: Scope, level: Level = Level.PATH
) -> LineageGraph:
    """``questions.lineage.lineage``, and the copies that nobody decided about: at an end of a backward closure, or of
    what is in a forward one.
    """
    return _with_copies(store, questions.lineage(store, node, direction, scope, level), direction, scope)


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
    """``questions.active.active_lineage``, with the same gaps."""
    found = active.active_lineage(
        store, node, direction, scope, level, where=where, verify=verify, most_ways=most_ways
    )
    return _with_copies(store, found, direction, scope)


def record_sources(
    store: ActiveGraph, nodes: Sequence[NodeKey], scope: Scope, *, where: str | None = None
) -> RecordSources:
    """``questions.active.record_sources`` of attributes of the rows that are ``where``, with the same gaps.

    Raises what ``active_lineage`` raises, and ``BadQuestion`` for attributes of several datasets.
    """
    check_attributes(nodes)
    return combined(
        [active_lineage(store, node, Direction.BACKWARD, scope, where=where) for node in dict.fromkeys(nodes)]
    )


def both(store: CataloguedGraph, node: NodeKey, scope: Scope, level: Level = Level.PATH) -> BothWays:
    """``questions.lineage.both``, and the copies that nobody decided about."""
    found = questions.both(store, node, scope, level)
    return BothWays(
        _with_copies(store, found.backward, Direction.BACKWARD, scope),
        _with_copies(store, found.forward, Direction.FORWARD, scope),
    )


def copies_on_ways(
    store: CataloguedGraph, datasets: Collection[DatasetKey], direction: Direction, as_of: datetime | None
) -> list[Incomplete]:
    """The gaps of copies among the datasets of a backward search, or of copies of those of a forward one."""
    found = undecided_copies if direction is Direction.BACKWARD else undecided_copies_of
    return possible_copies(found(store, datasets, as_of))


def _with_copies(
    store: CataloguedGraph, graph: LineageGraph, direction: Direction, scope: Scope
) -> LineageGraph:
    datasets = {node.key.dataset for node in graph.nodes}
    more = copies_on_ways(store, datasets, direction, scope.bounds.as_of)
    return replace(graph, incomplete=gaps_in_order({*graph.incomplete, *more})) if more else graph


def _gap(dataset: DatasetKey, originals: list[DatasetKey]) -> Incomplete:
    detail = f"probably a copy of {' '.join(originals[0])}"
    if len(originals) > 1:
        detail += f", or of one of {len(originals) - 1:,} more"
    return Incomplete(POSSIBLE_COPY, dataset, detail=detail)
