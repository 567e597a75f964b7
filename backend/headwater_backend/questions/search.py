"""The search behind every question about lineage: breadth first over the stored edges, aware of containment.

Theory of operation
===================

A *node* is a path of a dataset; the empty path is the whole dataset. An edge has a *near* end and a *far*
end: going BACKWARD the near end is its target, going FORWARD its source. The search opens a node, looks at
the edges whose near end is comparable with it, and opens their far ends one level later: breadth first, one
batched store call a level at most (``surroundings``), each node opened at most once. Paths are never enumerated,
so the cost is that of the edges met, and cycles end by themselves.

Containment
-----------
A path holds what lies under it, so an edge may meet an open node ``P`` without ending exactly there. Its near
end may be

``P`` itself
    The far end is one edge further.
under ``P``
    The near end joins the answer at ``P``'s distance; the far end is one edge further.
above ``P``, all its transformations only moving values (``Transformation.carries_structure``)
    The edge is shown at ``P``. Its far end is the same relative path under the far end when the far dataset
    knows that path, else the far end as stored.
above ``P``, with any other transformation
    The edge is shown at ``P``, with the far end as stored.
the whole dataset, by an INDIRECT edge, going BACKWARD
    The dataset joins the answer at ``P``'s distance and the edge is shown there. The dataset is *not* opened:
    an influence on all of it never drags in ``P``'s siblings.

An edge that is DIRECT and INDIRECT at once is read as two, which are shown as one where their ends coincide:
asking for more types never coarsens what was known.

Example. ``IDENTITY user → author`` is stored and ``author.id`` is asked for: the answer holds ``user.id``
(one edge, shown as ``user.id → author.id``), and not ``user.name``. Asked for ``author``, it holds ``user``.
A FILTER by ``retweets`` ends at the dataset of ``author``: with INDIRECT edges, the answer to either question
holds the dataset ``()``, with ``retweets`` as its source.

Going FORWARD, an influence reaches a whole dataset, which is opened like any node: all that is made of any
of its paths is influenced in turn.

Bounds
------
The search stops at the asked depth and at a limit on nodes; it enters only the datasets ``within``, and does not go
beyond those that ``stops`` names. Where an edge was left out for one of these, ``Exploration.cut`` says so.

A limited answer is a prefix of the whole: hops are taken level by level, and in a fixed order within the level that
meets the limit, up to the first for which there is no room. So the answer to a greater limit holds that to a smaller,
and ``skip`` can tell them apart: ``Exploration.earlier`` is what a limit of ``skip`` nodes would have shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from itertools import compress

from headwater_backend.errors import BadQuestion
from headwater_backend.model import Ahead, DatasetKey, Direction, LineageType, NodeKey, PathSteps
from headwater_backend.patterns import DatasetPattern, any_names
from headwater_backend.ports import NOTHING_AHEAD, LineageStore
from headwater_backend.questions.surroundings import Hop, Surroundings
from headwater_backend.transformations import text_of

DIRECT_ONLY = frozenset({LineageType.DIRECT})
ALL_TYPES = frozenset(LineageType)
DEFAULT_DEPTH = 50
LEVELS_AHEAD = 50
DEFAULT_NODE_LIMIT = 100_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far to go: ``depth`` in edges (None: any), ``nodes`` in the answer, ``as_of`` for another time.

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
    """What a search met: ``hops`` for each opened node, and in ``cut`` where it had to stop, and why.

    Why is DEPTH, NODE_LIMIT, FILTER or STOP. ``earlier`` is set where the bounds skip some nodes, and more were met.
    """

    direction: Direction
    starts: tuple[NodeKey, ...]
    distance: dict[NodeKey, int] = field(default_factory=dict)
    hops: dict[NodeKey, list[Hop]] = field(default_factory=dict)
    cut: dict[NodeKey, str] = field(default_factory=dict)
    full: bool = False
    earlier: Exploration | None = None

    def datasets(self) -> list[DatasetKey]:
        return sorted({node.dataset for node in self.distance})

    def copied(self) -> Exploration:
        """The nodes and hops that are known by now."""
        hops = {node: list(known) for node, known in self.hops.items()}
        return Exploration(self.direction, self.starts, dict(self.distance), hops)


def explore(
    store: LineageStore,
    starts: Sequence[NodeKey],
    direction: Direction,
    types: frozenset[LineageType],
    bounds: Bounds,
) -> Exploration:
    """Search from all ``starts`` at once; they must be known to the store."""
    search = _Search(store, direction, types, bounds)
    return search.run(starts)


class _Search:
    """One breadth-first search; see the module's theory of operation."""

    def __init__(
        self, store: LineageStore, direction: Direction, types: frozenset[LineageType], bounds: Bounds
    ) -> None:
        self._store = store
        self._direction = direction
        self._types = types
        self._bounds = bounds
        self._surroundings = Surroundings(store, direction, types, bounds.as_of)
        self._known_paths: dict[DatasetKey, frozenset[PathSteps]] = {}
        self._left: list[tuple[NodeKey, str, list[Hop]]] = []

    def run(self, starts: Sequence[NodeKey]) -> Exploration:
        found = Exploration(self._direction, tuple(starts))
        frontier = sorted(set(starts))
        found.distance.update(dict.fromkeys(frontier, 0))
        level = 0
        while frontier and not found.full:
            ahead = self._ahead(level, len(found.distance))
            opened = self._filtered(found, self._open(frontier, ahead))
            if level == self._bounds.depth:
                self._left += [(node, "DEPTH", hops) for node, hops in opened.items()]
                break
            frontier = self._advance(found, opened, level)
            level += 1
        if self._left:
            self._cut(found)
        return found

    def _ahead(self, level: int, nodes: int) -> Ahead:
        """How far the store may read on behind that level, at which so many nodes are known."""
        depth, within, stops = self._bounds.depth, self._bounds.within, self._bounds.stops
        if within or stops:
            return NOTHING_AHEAD  # most of it might be left out
        hops = LEVELS_AHEAD if depth is None else min(depth - level, LEVELS_AHEAD)
        return Ahead(hops, max(self._bounds.nodes - nodes, 0))

    def _open(self, frontier: Sequence[NodeKey], ahead: Ahead) -> dict[NodeKey, list[Hop]]:
        """The hops of each node of the frontier, by one store call at most."""
        hops: dict[NodeKey, list[Hop]] = {node: [] for node in frontier}
        if not self._types:
            return hops
        by_prefix = _by_prefix(frontier)
        met = self._surroundings.met(frontier, ahead)
        self._learn_paths(hop.far.dataset for near in met.keys() & by_prefix.keys() for hop in met[near])
        lengths = {len(node.path) for node in frontier}
        for near, meeting in met.items():
            for above in _prefixes(near, lengths):
                if above in hops:
                    hops[above] += meeting
            for below in by_prefix.get(near, ()):
                hops[below] += [self._from_above(part, below) for hop in meeting for part in _by_type(hop)]
        return hops

    def _from_above(self, hop: Hop, below: NodeKey) -> Hop:
        """The hop of one type as seen from the open node ``below``, which its near end holds."""
        near, far, job, kinds = hop
        indirect = kinds[0].type is LineageType.INDIRECT
        if indirect and not near.path and self._direction is Direction.BACKWARD:
            return hop
        if not indirect and all(t.carries_structure for t in kinds):
            far = self._refined(far, below.path[len(near.path) :])
        return Hop(below, far, job, kinds)

    def _learn_paths(self, datasets: Iterable[DatasetKey]) -> None:
        """Look up, in one store call, what may be refined."""
        unknown = sorted(set(datasets) - self._known_paths.keys())
        if unknown:
            found = self._store.paths(unknown)
            self._known_paths.update((key, frozenset(paths)) for key, paths in found.items())

    def _refined(self, far: NodeKey, relative: PathSteps) -> NodeKey:
        finer = far.path + relative
        return NodeKey(far.dataset, finer) if finer in self._known_paths[far.dataset] else far

    def _filtered(self, found: Exploration, opened: dict[NodeKey, list[Hop]]) -> Mapping[NodeKey, list[Hop]]:
        """Without the hops that the bounds do not let through."""
        within, stops = self._bounds.within, self._bounds.stops
        if not (within or stops):
            return opened
        kept: dict[NodeKey, list[Hop]] = {}
        for node, hops in opened.items():
            stopped = node not in found.starts and any_names(stops, node.dataset)
            entered = [not stopped and (not within or any_names(within, hop.far.dataset)) for hop in hops]
            kept[node] = list(compress(hops, entered))
            if not all(entered):
                left = [hop for hop, enters in zip(hops, entered, strict=True) if not enters]
                self._left.append((node, "STOP" if stopped else "FILTER", left))
        return kept

    def _advance(self, found: Exploration, opened: Mapping[NodeKey, list[Hop]], level: int) -> list[NodeKey]:
        """Take the hops of one level into the answer; returns what to open next."""
        following: set[NodeKey] = set()
        in_order = self._may_overflow(found, opened)
        for node, hops in opened.items():
            if not in_order:
                found.hops[node] = hops
                following.update(_admit_all(found, hops, level))
                continue
            admitted = found.hops[node] = []
            for hop in sorted(hops, key=_hop_order):
                if found.full or not self._admit(found, hop, level):
                    found.full = True
                    found.cut[node] = "NODE_LIMIT"
                    break
                admitted.append(hop)
                following.add(hop.far)
        return sorted(node for node in following if node not in found.hops)

    def _may_overflow(self, found: Exploration, opened: Mapping[NodeKey, list[Hop]]) -> bool:
        """Whether the level may bring the answer to one of the limits."""
        most = len(found.distance) + 2 * sum(map(len, opened.values()))
        skips = self._bounds.skip and found.earlier is None
        return bool(skips and most > self._bounds.skip) or most > self._bounds.nodes

    def _admit(self, found: Exploration, hop: Hop, level: int) -> bool:
        near, far, distance = hop.near, hop.far, found.distance
        room = self._bounds.nodes - len(distance)
        if room < 2 and room < len({near, far} - distance.keys()):
            return False
        if self._bounds.skip and found.earlier is None:
            grown = len(distance) + len({near, far} - distance.keys())
            found.earlier = found.copied() if grown > self._bounds.skip else None
        if distance.setdefault(near, level) > level:
            distance[near] = level
        distance.setdefault(far, level + 1)
        return True

    def _cut(self, found: Exploration) -> None:
        """Say at which nodes an edge was left out that the answer does not show."""
        shown = {(hop.near, hop.far, hop.job) for hops in found.hops.values() for hop in hops}
        for node, why, hops in reversed(self._left):
            if any((hop.near, hop.far, hop.job) not in shown for hop in hops):
                found.cut.setdefault(node, why)


def _admit_all(found: Exploration, hops: Iterable[Hop], level: int) -> Iterator[NodeKey]:
    """Take all hops of a node into the answer, for which there is room; their far ends."""
    distance = found.distance
    for near, far, _, _ in hops:
        if distance.setdefault(near, level) > level:
            distance[near] = level
        distance.setdefault(far, level + 1)
        yield far


def _prefixes(node: NodeKey, lengths: Set[int]) -> Iterator[NodeKey]:
    """The node and what holds it, as far as their paths have those lengths; the dataset last."""
    dataset, path = node
    if len(path) in lengths:
        yield node
    for length in range(len(path) - 1, -1, -1):
        if length in lengths:
            yield NodeKey(dataset, path[:length])


def _by_prefix(nodes: Iterable[NodeKey]) -> dict[NodeKey, list[NodeKey]]:
    """For each node strictly above some of ``nodes``: those."""
    below: dict[NodeKey, list[NodeKey]] = {}
    for node in nodes:
        for length in range(len(node.path)):
            below.setdefault(NodeKey(node.dataset, node.path[:length]), []).append(node)
    return below


def _hop_order(hop: Hop) -> tuple[object, ...]:
    return hop.near, hop.far, hop.job, text_of(hop.transformations)


def _by_type(hop: Hop) -> list[Hop]:
    """The hop by its DIRECT and by its INDIRECT transformations, where it has any."""
    parts = (tuple(t for t in hop.transformations if t.type is kind) for kind in LineageType)
    return [hop._replace(transformations=part) for part in parts if part]
