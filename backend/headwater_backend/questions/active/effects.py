"""What each condition of a question about some rows excludes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence, Set

from headwater_backend.active.carrying import Fact
from headwater_backend.active.ways import ActiveWays
from headwater_backend.domain.model import DatasetKey, Direction, Edge
from headwater_backend.questions.closure import Effect

Searched = Callable[[Sequence[Fact], Collection[Edge] | None], ActiveWays]
"""The search with conditions of the question, among some of the edges, or all."""


def effects(facts: Sequence[Fact], ways: ActiveWays, near: Set[Edge], searched: Searched) -> Iterator[Effect]:
    """What each of the conditions excludes that the others do not, of the edges to which the search has come.

    ``near`` are those up to the next fork.
    """
    for fact in facts:
        others = searched([each for each in facts if each is not fact], ways.followed if ways.cut else None)
        more = others.taken - ways.taken
        sql = fact.reasons[0].sql
        yield Effect(sql, None, None) if others.cut else Effect(sql, len(more & near), len(more))


def up_to_fork(edges: Collection[Edge], start: DatasetKey, direction: Direction) -> set[Edge]:
    """The edges from a dataset up to the first place from which several jobs, or to several datasets, lead on."""
    found: set[Edge] = set()
    datasets, met = {start}, {start}
    forked = False
    while datasets and not forked:
        onward = [edge for edge in edges if _ends(edge, direction)[0] in datasets]
        found.update(onward)
        forked = len({(edge.job, _ends(edge, direction)[1]) for edge in onward}) > 1
        datasets = {_ends(edge, direction)[1] for edge in onward} - met
        met |= datasets
    return found


def _ends(edge: Edge, direction: Direction) -> tuple[DatasetKey, DatasetKey]:
    ends = (edge.target.dataset, edge.source.dataset)
    return ends if direction is Direction.BACKWARD else ends[::-1]
