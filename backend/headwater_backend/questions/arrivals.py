"""A search that knows by which way it came: it arrives at a path with a state, such as the conditions on the way.

``traversal.explore`` opens each path once, however it came there. What holds for one way and not for another, as that
two conditions on it contradict each other, needs a search that may arrive at a path several times. This one walks over
the edges that ``explore`` found, in memory: whatever it reaches is among these, with their bounds and cuts. So a rule
that follows every edge arrives at every node that was opened.

A rule decides at each edge by the state and by what is known of the conditions under which the edge's version was made
(``model.Making``), which are looked up once for all edges. Edges where a job reads a path by another name have none.

Where a path is reached with more than ``MOST_STATES`` states, the search follows none of them from there: all that
``explore`` found behind it is ``undecided``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Generic, NamedTuple, TypeVar

from headwater_backend.domain.model import (
    DatasetKey,
    Direction,
    Fan,
    JobKey,
    LineageType,
    Making,
    NodeKey,
    only_read_as,
)
from headwater_backend.ports import ConditionedGraph
from headwater_backend.questions.traversal import ALL_TYPES, Bounds, Exploration, explore

S = TypeVar("S", bound=Hashable)

Rule = Callable[[S, Fan, Sequence[Making]], S | None]
"""The state behind the edges of a fan, by the state before them; None where the way ends."""
MOST_STATES: Final = 64


@dataclass(frozen=True, slots=True)
class Arrivals(Generic[S]):
    """The states with which a search arrived at each path; ``undecided`` are paths at which it may with any."""

    explored: Exploration
    states: Mapping[NodeKey, Set[S]]
    undecided: frozenset[NodeKey]


class _Came(NamedTuple):
    """How a search came to a path: from the start (``begins``), or by a fan of ``job``, which reads by another name."""

    job: JobKey | None = None
    renamed: bool = False
    begins: bool = True


@dataclass(slots=True)
class _Walk(Generic[S]):
    """The arrivals so far. The state is kept apart for each way of coming that decides what is followed next."""

    found: Exploration
    rule: Rule[S]
    makings: Mapping[str, Sequence[Making]]
    arrived: dict[NodeKey, set[tuple[_Came, S]]] = field(default_factory=lambda: defaultdict(set))
    crowded: set[NodeKey] = field(default_factory=set)

    def run(self, starts: Iterable[tuple[NodeKey, S]]) -> None:
        waiting = [(node, _Came(), state) for node, state in starts]
        for node, came, state in waiting:
            self.arrived[node].add((came, state))
        while waiting:
            node, came, state = waiting.pop()
            if node not in self.crowded:
                waiting += filter(self._is_new, self._behind(node, came, state))

    def _behind(self, node: NodeKey, came: _Came, state: S) -> Iterator[tuple[NodeKey, _Came, S]]:
        for fan in self.found.fans.get(node, ()):
            if not _goes_on(came, fan, self.found.direction):
                continue
            then = self.rule(state, fan, self.makings.get(fan.version, ()))
            if then is not None:
                by = _came_by(fan, self.found.direction)
                yield from ((far, by, then) for far in fan.fars)

    def _is_new(self, arrival: tuple[NodeKey, _Came, S]) -> bool:
        node, came, state = arrival
        known = self.arrived[node]
        if (came, state) in known:
            return False
        known.add((came, state))
        if len({each for _, each in known}) > MOST_STATES:
            self.crowded.add(node)
        return True


def arrivals(
    store: ConditionedGraph,
    starts: Mapping[NodeKey, S],
    direction: Direction,
    rule: Rule[S],
    *,
    types: frozenset[LineageType] = ALL_TYPES,
    bounds: Bounds | None = None,
) -> Arrivals[S]:
    """All states with which a search arrives that begins at each start with its state; starts must be known."""
    bounds = bounds or Bounds()
    found = explore(store, list(starts), direction, types, bounds)
    versions = {fan.version for fans in found.fans.values() for fan in fans if fan.version}
    walk = _Walk(found, rule, store.conditions(versions, bounds.as_of) if versions else {})
    walk.run(starts.items())
    states = {node: frozenset(state for _, state in arrived) for node, arrived in walk.arrived.items()}
    return Arrivals(found, states, frozenset(_reached(found, walk.crowded)))


def makings(
    store: ConditionedGraph, job: JobKey, output: DatasetKey, as_of: datetime | None = None
) -> list[Making]:
    """The conditions under which the job made what is in the output, or was at that moment, each once."""
    whole = [NodeKey(output, ())]
    fans = store.neighbours(whole, Direction.BACKWARD, ALL_TYPES, as_of).fans
    versions = {fan.version for fan in fans if fan.job == job and fan.version}
    found = store.conditions(versions, as_of) if versions else {}
    each = {repr(made): made for version in sorted(found) for made in found[version]}
    return list(each.values())


def _came_by(fan: Fan, direction: Direction) -> _Came:
    renamed = only_read_as(fan.transformations)
    if direction is Direction.FORWARD and not renamed:
        return _Came(begins=True)
    return _Came(None if renamed and direction is Direction.BACKWARD else fan.job, renamed, begins=False)


def _goes_on(came: _Came, fan: Fan, direction: Direction) -> bool:
    """Whether the fan is followed (``around.readers``): what a job reads by another name is so for it alone."""
    renamed = only_read_as(fan.transformations)
    if came.begins:
        return True
    if direction is Direction.FORWARD:
        return fan.job == came.job and not renamed
    return not renamed or fan.job == came.job


def _reached(found: Exploration, starts: Iterable[NodeKey]) -> set[NodeKey]:
    """The nodes, and all behind them."""
    reached = set(starts)
    waiting = list(reached)
    while waiting:
        fars = {far for fan in found.fans.get(waiting.pop(), ()) for far in fan.fars} - reached
        reached |= fars
        waiting += fars
    return reached
