"""Whether values can get from one path to another: of a search that found ways for many starts at once.

A way that the search has not found may be open. So where it ended before it had found everything, nothing is barred.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from headwater_backend.active.passages import related
from headwater_backend.active.terms import Term
from headwater_backend.active.ways import ActiveWays, active_ways
from headwater_backend.active.words import because
from headwater_backend.domain.model import DatasetKey, Direction, Edge, NodeKey
from headwater_backend.questions.active.steps import ActiveGraph, half_time, made_by
from headwater_backend.questions.traversal import Exploration

MOST_REASONS: Final = 20


@dataclass(frozen=True, slots=True)
class Barred:
    """Why no row takes any of the known ways between two paths: a sentence for each place at which they are cut.

    ``version`` is another one as soon as a job on a way, cut or not, does something else; ``cores`` are the conditions
    of each place that exclude each other.
    """

    because: tuple[str, ...]
    version: str
    cores: tuple[tuple[Term, ...], ...] = ()


class Passing:
    """The ways of a forward search that data can take; each start is searched once, when first asked for."""

    def __init__(self, store: ActiveGraph, found: Exploration) -> None:
        self._made_by = made_by(store, found.datasets(), found.as_of)
        self._steps = self._made_by.steps()
        self._ended = bool(found.limited or found.cut)
        self._ends = half_time()
        self._known: dict[NodeKey, ActiveWays] = {}
        edges = list(_edges(found))
        self._from = _by_dataset(edges, forward=True)
        self._into = _by_dataset(edges, forward=False)

    def barred(self, start: NodeKey, end: NodeKey) -> Barred | None:
        """Why nothing gets from the start to the end; None where something may, or it is not known."""
        if self._ended or start == end:
            return None
        ways = self._ways(start)
        if ways.cut or any(_meet(node, end) for node in ways.conditions):
            return None
        between = self._between(start, end)
        cuts = [each for edge in between for each in ways.excluded.get(edge, ())]
        if not cuts:
            return None
        version = self._made_by.version((edge.job, edge.target.dataset) for edge in between)
        cores = tuple(tuple(fact.term for fact in each.facts) for each in cuts[:MOST_REASONS])
        return Barred(tuple(dict.fromkeys(map(because, cuts)))[:MOST_REASONS], version, cores)

    def _ways(self, start: NodeKey) -> ActiveWays:
        if start not in self._known:
            edges = _reached(start, self._from, forward=True)
            self._known[start] = active_ways(edges, self._steps, start, Direction.FORWARD, ends=self._ends)
        return self._known[start]

    def _between(self, start: NodeKey, end: NodeKey) -> list[Edge]:
        """The edges of passive ways from the start to the end."""
        after = set(_reached(start, self._from, forward=True))
        return [each for each in _reached(end, self._into, forward=False) if each in after]


def _edges(found: Exploration) -> Iterator[Edge]:
    """The edges of a search, each with the kinds of each of its fans together."""
    for fan in dict.fromkeys(chain.from_iterable(found.fans.values())):
        yield from fan.edges(found.direction)


def _reached(start: NodeKey, edges: Mapping[DatasetKey, Sequence[Edge]], *, forward: bool) -> list[Edge]:
    """The edges that lead on from a path, or to it, whatever the conditions on them."""
    found: dict[Edge, None] = {}
    pending, seen = [start], {start}
    while pending:
        node = pending.pop()
        for edge in edges.get(node.dataset, ()):
            near, far = (edge.source, edge.target) if forward else (edge.target, edge.source)
            if related(near.path, node.path):
                found[edge] = None
                if far not in seen:
                    seen.add(far)
                    pending.append(far)
    return list(found)


def _by_dataset(edges: Iterable[Edge], *, forward: bool) -> Mapping[DatasetKey, Sequence[Edge]]:
    found: dict[DatasetKey, list[Edge]] = defaultdict(list)
    for edge in edges:
        found[(edge.source if forward else edge.target).dataset].append(edge)
    return found


def _meet(one: NodeKey, other: NodeKey) -> bool:
    return one.dataset == other.dataset and related(one.path, other.path)
