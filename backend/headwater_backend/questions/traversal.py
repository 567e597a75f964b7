"""Breadth-first search over the stored edges, aware of containment: the base of every question about lineage.

Theory of operation
===================

A *node* is a path of a dataset; the empty path is the whole dataset. An edge has a *near* end and a *far*
end: BACKWARD the near end is its target, FORWARD its source. The search opens a node, reads
the edges whose near end is comparable with it, and opens their far ends one level later: breadth first, at most one
batched store call a level (``surroundings``), each node opened at most once. Routes are never enumerated,
so the cost is proportional to the edges found, and cycles end by themselves.

Containment
-----------
A path holds the paths under it, so an edge may belong to an open node ``P`` without ending exactly at it. Its near
end may be

``P`` itself
    The far end is one edge further.
under ``P``, or packed in the same text in another notation (``headwater_facets.packing``)
    The near end joins the answer at ``P``'s distance; the far end is one edge further.
above ``P``, all its transformations only moving values (``Transformation.carries_structure``)
    The edge is shown at ``P``. Its far end is the same relative path under the far end when the far dataset
    knows that path, else the far end as stored. A text is moved with all that is packed in it (``model.PACKED``).
above ``P``, with any other transformation
    The edge is shown at ``P``, with the far end as stored.
the whole dataset, by an INDIRECT edge, BACKWARD
    The dataset joins the answer at ``P``'s distance and the edge is shown at it. The dataset is *not* opened:
    an influence on all of it never drags in ``P``'s siblings.

An edge that is DIRECT and INDIRECT at once is read as two, which are shown as one where their ends coincide:
a search for more types never coarsens the answer.

Example. ``IDENTITY user → author`` is stored and ``author.id`` is asked for: the answer holds ``user.id``
(one edge, shown as ``user.id → author.id``), and not ``user.name``. Asked for ``author``, it holds ``user``.
A FILTER by ``retweets`` ends at the dataset of ``author``: with INDIRECT edges, the answer to either question
holds the dataset ``()``, with ``retweets`` as its source.

FORWARD, an influence reaches a whole dataset, which is opened like any node: all that is made of any
of its paths is influenced in turn.

Rows
----
Which rows a dataset has is a state of its own (``around.rows``): a search may arrive at that, and open no path of it.
It is shown as the whole dataset.

Readers
-------
A path that a job reads by another name than it is stored by is so for that job alone (``around.readers``). A node
at which edges were kept back is opened once more, for these, when the search arrives there in another way.

Bounds
------
The search stops at the given depth and at a limit on nodes; it enters only the datasets ``within``, and does not go
beyond those in ``stops``. ``Exploration.cut`` has the nodes where an edge was left out for one of these. The search
also stops when most of the question's time is over (``SHARE``): the answer has what was found by then, and ``cut``
where it ended.

A limited answer is a prefix of the whole: edges are taken level by level, and in a fixed order within the level that
reaches the limit, up to the first that does not fit. So the answer with a greater limit contains the one with a
smaller, and ``skip`` separates them: ``Exploration.earlier`` is the answer with a limit of ``skip`` nodes.

Cost
----
An answer of 4,000 nodes has 16,000 edges, so what is done here is done for a fan of edges (``domain.model.Fan``) at
once, or for a level, and for a single edge only where a bound may cut it off.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain

from headwater_backend.domain import deadline
from headwater_backend.domain.deadline import OutOfTime
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import (
    PACKED,
    Ahead,
    DatasetKey,
    Direction,
    Fan,
    JobKey,
    LineageType,
    NodeKey,
    PathSteps,
    Transformation,
)
from headwater_backend.domain.patterns import DatasetPattern, any_names
from headwater_backend.domain.transformations import text_of
from headwater_backend.ports import NOTHING_AHEAD, PathGraph
from headwater_backend.questions.around.notations import beside, by_text, whole_texts
from headwater_backend.questions.around.readers import Readers
from headwater_backend.questions.around.rows import Opened, Rows, to_rows
from headwater_backend.questions.around.rows_backward import RowsBackward
from headwater_backend.questions.around.rows_forward import RowsForward
from headwater_backend.questions.around.surroundings import Surroundings, holders

DIRECT_ONLY = frozenset({LineageType.DIRECT})
ALL_TYPES = frozenset(LineageType)
DEFAULT_DEPTH = 50
LEVELS_AHEAD = 50
DEFAULT_NODE_LIMIT = 100_000
SHARE = 0.6
"""The share of a question's remaining time for one search; the rest is for looking up what it found."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of a search: ``depth`` in edges (None: any), ``nodes`` in the answer, ``as_of`` for another time.

    ``within`` and ``stops`` are datasets, () is any and none; ``skip`` counts nodes that are known already.
    """

    depth: int | None = DEFAULT_DEPTH
    nodes: int = DEFAULT_NODE_LIMIT
    as_of: datetime | None = None
    within: tuple[DatasetPattern, ...] = ()
    stops: tuple[DatasetPattern, ...] = ()
    skip: int = 0

    def __post_init__(self) -> None:
        if self.depth is not None and self.depth < 0:
            raise BadQuestion(f"the depth is {self.depth}", "depth counts edges, from 0")


@dataclass(slots=True)
class Exploration:
    """The result of a search: ``fans`` for each opened node, and in ``cut`` the nodes where it stopped, with reasons.

    The near end of a fan is the open node, or joined it; its far ends are opened next. The reasons are DEPTH,
    NODE_LIMIT, TIME_LIMIT, FILTER and STOP; ``full`` and ``late`` are whether the search ended at the limit of nodes,
    or of time, and then ``unopened`` are nodes that were found and not opened. ``earlier`` is set where the bounds skip
    some nodes, and more were found. ``rows`` are datasets whose rows were searched backward: not all of them are shown,
    and their paths were searched only where they were found by themselves.
    """

    direction: Direction
    starts: tuple[NodeKey, ...]
    distance: dict[NodeKey, int] = field(default_factory=dict)
    fans: dict[NodeKey, list[Fan]] = field(default_factory=dict)
    cut: dict[NodeKey, str] = field(default_factory=dict)
    full: bool = False
    late: bool = False
    unopened: frozenset[NodeKey] = frozenset()
    earlier: Exploration | None = None
    as_of: datetime | None = None
    rows: Set[DatasetKey] = frozenset()

    @property
    def limited(self) -> bool:
        """Whether the search ended before it had found everything within its depth."""
        return self.full or self.late

    def end(self, node: NodeKey) -> str | None:
        """The reason why the search did not continue from the node; None where it did."""
        if node in self.unopened:
            return "TIME_LIMIT" if self.late else "NODE_LIMIT"
        return self.cut.get(node)

    def datasets(self) -> list[DatasetKey]:
        return sorted({dataset for dataset, _ in self.distance} | self.rows)

    def searched(self) -> Set[NodeKey]:
        """The nodes whose edges were searched, or would have been without a bound: the starts and all far ends.

        Nodes that joined by containment lie at or under one of them, except a whole dataset that is influenced, which
        is shown and not opened.
        """
        fans: Iterable[Fan] = chain.from_iterable(self.fans.values())
        if self.rows:
            fans = (fan for fan in fans if not to_rows(fan))
        return {*self.starts, *chain.from_iterable(fan.fars for fan in fans)}

    def copied(self) -> Exploration:
        """A copy of the nodes and fans found so far."""
        fans = {node: list(known) for node, known in self.fans.items()}
        return Exploration(self.direction, self.starts, dict(self.distance), fans, as_of=self.as_of)


Part = Callable[[Fan], Iterable[Fan]]
"""From a fan to the parts of it that are followed. The rest does not belong to the question, so it is no cut."""


def explore(
    store: PathGraph,
    starts: Sequence[NodeKey],
    direction: Direction,
    types: frozenset[LineageType],
    bounds: Bounds,
    *,
    part: Part | None = None,
) -> Exploration:
    """Search from all ``starts`` at once; they must be known to the store."""
    search = _Search(store, direction, types, bounds, part=part)
    return search.run(starts)


class _Search:
    """One breadth-first search; see the module's theory of operation."""

    def __init__(
        self,
        store: PathGraph,
        direction: Direction,
        types: frozenset[LineageType],
        bounds: Bounds,
        *,
        part: Part | None,
    ) -> None:
        self._store = store
        self._part = part
        self._direction = direction
        self._types = types
        self._bounds = bounds
        self._surroundings = Surroundings(store, direction, types, bounds.as_of, part=part)
        self._known_paths: dict[DatasetKey, frozenset[PathSteps]] = {}
        self._left: list[tuple[NodeKey, str, list[Fan]]] = []
        self._readers = Readers(direction, ())
        self._rows = Rows()
        if LineageType.INDIRECT in types:
            self._rows = RowsForward() if direction is Direction.FORWARD else RowsBackward()
        self._done: set[NodeKey] = set()

    def run(self, starts: Sequence[NodeKey]) -> Exploration:
        found = Exploration(self._direction, tuple(starts), as_of=self._bounds.as_of)
        frontier: Sequence[NodeKey] = list(dict.fromkeys(starts))
        self._readers = Readers(self._direction, frontier)
        found.distance.update(dict.fromkeys(frontier, 0))
        level = 0
        until = deadline.current()
        until = until.part(SHARE) if until else None
        while (frontier or self._rows.waiting) and not found.full:
            try:
                with deadline.within(until):
                    opened = self._opened(found, frontier, level)
            except OutOfTime:
                found.late = True
                found.cut[min([*frontier, *self._rows.waiting])] = "TIME_LIMIT"
                break
            if level == self._bounds.depth:
                both = chain(opened.shown().items(), opened.to_rows.items())
                self._left += [(node, "DEPTH", fans) for node, fans in both]
                break
            frontier = self._advance(found, opened, frontier, level)
            level += 1
        if found.limited:
            found.unopened = frozenset(frontier) - self._done
        found.rows = self._rows.searched()
        if self._left:
            self._cut(found)
        return found

    def _opened(self, found: Exploration, frontier: Sequence[NodeKey], level: int) -> Opened:
        deadline.check()
        fresh = [node for node in frontier if node not in self._done]
        again = self._readers.released(node for node in frontier if node in self._done)
        around = self._around(fresh, self._ahead(level, len(found.distance)))
        paths = self._readers.followed(self._open(fresh, around)) if fresh else {}
        opened = self._rows.opened({**paths, **again}, around)
        if not (self._bounds.within or self._bounds.stops):
            return opened
        return Opened(*(self._filtered(found, some) for some in (opened.paths, opened.rows, opened.to_rows)))

    def _ahead(self, level: int, nodes: int) -> Ahead:
        """How far the store may read ahead from that level, at which so many nodes are known."""
        depth, within, stops = self._bounds.depth, self._bounds.within, self._bounds.stops
        if within or stops or self._part:
            return NOTHING_AHEAD  # most of it might be left out
        hops = LEVELS_AHEAD if depth is None else min(depth - level, LEVELS_AHEAD)
        return Ahead(hops, max(self._bounds.nodes - nodes, 0))

    def _around(self, frontier: Sequence[NodeKey], ahead: Ahead) -> dict[NodeKey, list[Fan]]:
        """All fans at the nodes of the frontier, and at what is opened for its rows, by at most one store call."""
        asked = [*whole_texts(frontier, by_text(frontier)), *self._rows.unread]
        return self._surroundings.fans_at(asked, ahead) if asked and self._types else {}

    def _open(
        self, frontier: Sequence[NodeKey], found: Mapping[NodeKey, list[Fan]]
    ) -> dict[NodeKey, list[Fan]]:
        """The fans of each node of the frontier, out of those around it."""
        opened: dict[NodeKey, list[Fan]] = {node: [] for node in frontier}
        texts = by_text(frontier)
        held = _by_holder(frontier, {len(near.path) for near in found})
        if held:
            self._learn_paths(
                far.dataset for near in found.keys() & held for fan in found[near] for far in fan.fars
            )
        lengths = {len(node.path) for node in frontier}
        shortest = min(lengths)
        for near, fans in found.items():
            at_near = opened.get(near)
            if at_near is not None:
                at_near += fans
            if len(near.path) > shortest:
                for above in holders(near, lengths):
                    if above in opened:
                        opened[above] += fans
            if held and near in held:
                passed = self._rows.from_path(near, fans)
                for below in held[near]:
                    opened[below] += [
                        self._from_above(part, below) for fan in passed for part in _by_type(fan)
                    ]
            for other in beside(near, texts):
                opened[other] += fans
        return opened

    def _from_above(self, fan: Fan, below: NodeKey) -> Fan:
        """The fan of one type as seen from the open node ``below``, which its near end holds."""
        near, fars, job, kinds, version = fan
        indirect = kinds[0].type is LineageType.INDIRECT
        if indirect and not near.path and self._direction is Direction.BACKWARD:
            return fan
        if not indirect and all(t.carries_structure for t in kinds):
            relative = below.path[len(near.path) :]
            fars = tuple(self._refined(far, relative) for far in fars)
        return Fan(below, fars, job, kinds, version)

    def _learn_paths(self, datasets: Iterable[DatasetKey]) -> None:
        """Look up, in one store call, the paths that far ends may be refined to."""
        unknown = sorted(set(datasets) - self._known_paths.keys())
        if unknown:
            found = self._store.paths(unknown)
            self._known_paths.update((key, frozenset(paths)) for key, paths in found.items())

    def _refined(self, far: NodeKey, relative: PathSteps) -> NodeKey:
        finer = far.path + relative
        text = finer[: finer.index(PACKED)] if PACKED in relative else finer
        return NodeKey(far.dataset, finer) if text in self._known_paths[far.dataset] else far

    def _filtered(self, found: Exploration, opened: Mapping[NodeKey, list[Fan]]) -> dict[NodeKey, list[Fan]]:
        """The fans without the edges that the bounds exclude."""
        kept: dict[NodeKey, list[Fan]] = {}
        for node, fans in opened.items():
            stopped = node not in found.starts and any_names(self._bounds.stops, node.dataset)
            kept[node], left = ([], fans) if stopped else _parted(fans, self._enters)
            if left:
                self._left.append((node, "STOP" if stopped else "FILTER", left))
        return kept

    def _enters(self, far: NodeKey) -> bool:
        return not self._bounds.within or any_names(self._bounds.within, far.dataset)

    def _advance(
        self, found: Exploration, opened: Opened, frontier: Sequence[NodeKey], level: int
    ) -> Sequence[NodeKey]:
        """Add the edges of one level to the answer, and return the nodes to open next."""
        fresh = [node for node in frontier if node not in self._done]
        for before, ways in self._rows.advance(level, opened, (node for node in fresh if not node.path)):
            self._add(found, ways, before)
            if found.full:
                return frontier
        fans = opened.shown()
        following = self._add(found, fans, level)
        self._done.update(fresh)
        self._readers.arrive(chain.from_iterable(fans.values()))
        again = self._readers.waiting([node for node in following if node in self._done])
        return [node for node in following if node not in self._done] + again

    def _add(self, found: Exploration, opened: Mapping[NodeKey, list[Fan]], level: int) -> Iterable[NodeKey]:
        """Add edges to the answer, as found on that level, and return their far ends."""
        if self._may_overflow(found, opened):
            return self._admit_in_order(found, opened, level)
        return _admit_all(found, opened, level)

    def _may_overflow(self, found: Exploration, opened: Mapping[NodeKey, list[Fan]]) -> bool:
        """Whether the answer may reach one of the limits with this level."""
        fans = chain.from_iterable(opened.values())
        most = len(found.distance) + sum(1 + len(fan.fars) for fan in fans)
        skips = self._bounds.skip and found.earlier is None
        return bool(skips and most > self._bounds.skip) or most > self._bounds.nodes

    def _admit_in_order(
        self, found: Exploration, opened: Mapping[NodeKey, list[Fan]], level: int
    ) -> Iterable[NodeKey]:
        """Add edge by edge to the answer, as long as they fit, and return their far ends."""
        following: dict[NodeKey, None] = {}
        for node in sorted(opened):
            admitted = found.fans.setdefault(node, [])
            for edge in sorted(_singly(opened[node]), key=_edge_order):
                if found.full or not self._admit(found, edge, level):
                    found.full = True
                    found.cut[node] = "NODE_LIMIT"
                    break
                admitted.append(edge)
                following.update(dict.fromkeys(edge.fars))
        return following

    def _admit(self, found: Exploration, edge: Fan, level: int) -> bool:
        """Add a fan of one edge to the answer, if it fits; whether it did."""
        room = self._bounds.nodes - len(found.distance)
        new = len({edge.near, *edge.fars} - found.distance.keys())
        if room < new:
            return False
        if self._bounds.skip and found.earlier is None and len(found.distance) + new > self._bounds.skip:
            found.earlier = found.copied()
        found.distance[edge.near] = min(level, found.distance.get(edge.near, level))
        found.distance.setdefault(edge.fars[0], level + 1)
        return True

    def _cut(self, found: Exploration) -> None:
        """Record the nodes at which an edge, or a transformation of it, was left out that the answer does not show."""
        if not self._left:
            return
        shown: dict[tuple[NodeKey, NodeKey, JobKey], set[Transformation]] = defaultdict(set)
        for near, fars, job, kinds, _ in chain.from_iterable(found.fans.values()):
            for far in fars:
                shown[near, far, job].update(kinds)
        for node, why, fans in reversed(self._left):
            if any(
                not shown[near, far, job].issuperset(kinds)
                for near, fars, job, kinds, _ in fans
                for far in fars
            ):
                found.cut.setdefault(node, why)


def _admit_all(found: Exploration, opened: Mapping[NodeKey, list[Fan]], level: int) -> Iterable[NodeKey]:
    """Add a level that fits to the answer, and return the far ends of its edges."""
    distance, fans = found.distance, list(chain.from_iterable(opened.values()))
    nears = {fan.near for fan in fans}
    following = dict.fromkeys(chain.from_iterable([fan.fars for fan in fans]))
    # A node that joined an open one may have been found at a greater distance before.
    distance.update({near: level for near in nears if distance.get(near, level + 1) > level})
    distance.update({far: level + 1 for far in following if far not in distance})
    for node, at_node in opened.items():
        found.fans.setdefault(node, []).extend(at_node)
    return following


def _by_holder(nodes: Iterable[NodeKey], lengths: Set[int]) -> dict[NodeKey, list[NodeKey]]:
    """From each strict ancestor of some of ``nodes``, whose path has one of the lengths, to those nodes."""
    held: dict[NodeKey, list[NodeKey]] = {}
    shortest = min(lengths, default=0)
    for node in nodes:
        dataset, path = node
        if len(path) > shortest:
            for length in lengths:
                if length < len(path):
                    held.setdefault(NodeKey(dataset, path[:length]), []).append(node)
    return held


def _parted(fans: Iterable[Fan], enters: Callable[[NodeKey], bool]) -> tuple[list[Fan], list[Fan]]:
    """The fans with those far ends that are entered, and with the others."""
    parts: tuple[list[Fan], list[Fan]] = ([], [])
    for fan in fans:
        entered = {far: enters(far) for far in fan.fars}
        for part, kept in zip(parts, (True, False), strict=True):
            fars = tuple(far for far in fan.fars if entered[far] is kept)
            if fars:
                part.append(fan._replace(fars=fars))
    return parts


def _singly(fans: Iterable[Fan]) -> Iterator[Fan]:
    """Each edge as a fan of its own."""
    return (fan._replace(fars=(far,)) for fan in fans for far in fan.fars)


def _edge_order(edge: Fan) -> tuple[object, ...]:
    return edge.near, edge.fars, edge.job, text_of(edge.transformations)


def _by_type(fan: Fan) -> list[Fan]:
    """The fan, split by its DIRECT and its INDIRECT transformations, without empty parts."""
    parts = (tuple(t for t in fan.transformations if t.type is kind) for kind in LineageType)
    return [fan._replace(transformations=part) for part in parts if part]
