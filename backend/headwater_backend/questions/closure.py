"""The transitive closure of the stored edges: what a path is made of, and what is made of it.

Theory of operation
===================

``questions.traversal`` finds the edges, breadth first and aware of containment (its rules are described there). From
these, this module computes for each node

*distance*
    the least number of edges from the start, which is at 0. Levels are visited in order, so it is exact.
*reach*
    DIRECT when some route within the depth uses only edges with a DIRECT transformation, else INFLUENCED. A
    node may be reached early by an influence and later by value, so this is a second pass, over the edges in
    memory: a DIRECT route within the depth lies among them, because each node on it was opened.

A node that joins the answer by containment has the distance and reach of the node that it joined.

Every answer reports what is missing: the store's gaps of the datasets found as far as they concern the nodes searched
(``Concern``), in a forward search also those of jobs that read one of them: outputs, and paths of outputs, for which
the job does not list what it read (``possible_outputs``); ``DEPTH`` where the depth cut an edge off, ``NODE_LIMIT``
where the answer was getting too large, and ``TIME_LIMIT`` where it took too long. Answers are sorted, and so equal for
equal states of the store, unless time was short.

Example. A job reads ``t`` with ``ssn`` and ``name``, and writes ``o:name`` from ``t:name`` and ``o:x`` with a gap
UNKNOWN_EXPRESSION. No edge leads from ``t:ssn``; its forward answer has the gap at ``o:x``, where it may have arrived.
That ``ssn`` is missing among the accessed paths is no proof: an unreadable expression is missing among them, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import NamedTuple

from headwater_backend.domain.model import (
    DRIVER_NAMESPACE,
    HANDED_OVER,
    SCHEMA_DRIFT,
    DatasetKey,
    Direction,
    Edge,
    Incomplete,
    JobKey,
    LineageType,
    NodeKey,
    PathSteps,
    reads_are_listed,
)
from headwater_backend.ports import CataloguedGraph, Gaps
from headwater_backend.questions.edges import Edges, edges_of
from headwater_backend.questions.resolving import labels, resolve_node
from headwater_backend.questions.traversal import DIRECT_ONLY, Bounds, Exploration, explore


class Reach(Enum):
    """DIRECT: a value can have come all the way; INFLUENCED: only over an indirect edge."""

    DIRECT = "DIRECT"
    INFLUENCED = "INFLUENCED"


class LineageNode(NamedTuple):
    """A node of an answer; ``distance`` counts edges from the start, ``label`` is its text for people."""

    key: NodeKey
    label: str
    distance: int
    reach: Reach


class Proof(NamedTuple):
    """Statements that exclude each other, each with its job (None: the question's own).

    ``checked`` is a word of ``active.checking.Checked``.
    """

    because: str
    statements: tuple[tuple[JobKey | None, str], ...]
    checked: str


class JudgedEdge(NamedTuple):
    """An edge, with why no data can take it: one sentence for each case; none where only others like it lead there.

    ``proofs`` are the same, checked apart, where that was asked for.
    """

    edge: Edge
    source: str
    target: str
    because: tuple[str, ...] = ()
    proofs: tuple[Proof, ...] = ()


class Fetch(NamedTuple):
    """A path at which an answer ends, the condition in Spark's SQL that its rows meet (None: all may be concerned), and
    the query that fetches them.
    """

    node: NodeKey
    label: str
    condition: str | None
    query: str | None


class Effect(NamedTuple):
    """How many edges a condition of the question excludes that its other conditions do not: up to the next fork
    (``near``), and in the whole answer (``all``), as far as it was searched. None where that is not known.
    """

    sql: str
    near: int | None
    all: int | None


class Choice(NamedTuple):
    """A condition on the rows of the question, and how many of the ways where an answer stopped it keeps and ends."""

    sql: str
    keeps: int
    ends: int


class Place(NamedTuple):
    """A path, with its text for people."""

    node: NodeKey
    label: str


class Stop(NamedTuple):
    """Where an answer stopped that has too many ways: after how many (``ways``), ``at`` which paths, and conditions of
    which each leaves fewer.
    """

    ways: int
    at: tuple[Place, ...]
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class LineageGraph:
    """An answer: the start, then nodes by distance and name; edges from source to target in both directions."""

    nodes: tuple[LineageNode, ...]
    edges: Edges
    incomplete: tuple[Incomplete, ...]
    cursor: str | None = None
    """Where a limit ended the answer, for ``questions.lineage`` to continue."""
    pruned: tuple[JudgedEdge, ...] = ()
    """Edges that no data can take, in an answer that leaves them out."""
    undecided: tuple[JudgedEdge, ...] = ()
    """Edges that may be such: their conditions were too hard to decide in time."""
    effects: tuple[Effect, ...] = ()
    """Of an answer about some rows: what each of the conditions on them does."""
    fetches: tuple[Fetch, ...] = ()
    """Of active lineage, backward: the rows at its ends that are concerned."""
    stopped: Stop | None = None
    """Of active lineage with too many ways: nothing is left out beyond the paths at which it stopped."""

    @property
    def complete(self) -> bool:
        return not self.incomplete


def backward(
    store: CataloguedGraph,
    node: NodeKey,
    types: frozenset[LineageType] = DIRECT_ONLY,
    bounds: Bounds | None = None,
) -> LineageGraph:
    """The backward closure: what ``node`` is made of. Raises ``UnknownDataset``, ``UnknownPath``,
    ``StoreUnavailable``.
    """
    return lineage(store, node, Direction.BACKWARD, types, bounds)


def forward(
    store: CataloguedGraph,
    node: NodeKey,
    types: frozenset[LineageType] = DIRECT_ONLY,
    bounds: Bounds | None = None,
) -> LineageGraph:
    """The forward closure: what is made of ``node``. Raises ``UnknownDataset``, ``UnknownPath``,
    ``StoreUnavailable``.
    """
    return lineage(store, node, Direction.FORWARD, types, bounds)


def lineage(
    store: CataloguedGraph,
    node: NodeKey,
    direction: Direction,
    types: frozenset[LineageType] = DIRECT_ONLY,
    bounds: Bounds | None = None,
) -> LineageGraph:
    """The closure of ``node`` in one direction, over the edges of the given types."""
    bounds = bounds or Bounds()
    found = explore(store, [resolve_node(store, node)], direction, types, bounds)
    return answer(store, found, types, bounds)


def answer(
    store: CataloguedGraph, found: Exploration, types: frozenset[LineageType], bounds: Bounds
) -> LineageGraph:
    """The answer out of an exploration with these types and bounds."""
    direct = reached_directly(found, types, bounds)
    by_name = sorted(found.distance)
    nodes = _nodes(found, direct, by_name, labels(store, by_name))
    keys = [node.key for node in nodes]
    return LineageGraph(
        nodes=nodes,
        edges=Edges(keys, lambda: edges_of(found, by_name, keys)),
        incomplete=missing(store, found, possible_outputs(store, found)),
    )


def missing(
    store: Gaps,
    found: Exploration,
    beyond: Mapping[DatasetKey, Sequence[Incomplete]],
    *,
    earlier: bool = False,
) -> tuple[Incomplete, ...]:
    """The gaps of an answer, sorted; ``beyond`` is the result of ``possible_outputs`` for it. ``earlier`` is as in
    ``PathGraph.incomplete``.
    """
    gaps = store.incomplete(found.datasets(), found.as_of, earlier=earlier)
    if gaps:
        concerns = Concern(found.searched(), found.direction, found.rows)
        gaps = _of_its_readers(found, filter(concerns, gaps))
    return gaps_in_order({*cuts(found), *gaps, *chain.from_iterable(beyond.values())})


def _of_its_readers(found: Exploration, gaps: Iterable[Incomplete]) -> list[Incomplete]:
    """The gaps without schemas that do not fit of jobs whose reads a backward search did not follow."""
    some = list(gaps)
    if found.direction is Direction.FORWARD or all(gap.reason != SCHEMA_DRIFT for gap in some):
        return some
    fans = chain.from_iterable(found.fans.values())
    reads = {(far.dataset, fan.job) for fan in fans for far in fan.fars}
    asked = {start.dataset for start in found.starts}
    return [
        gap
        for gap in some
        if gap.reason != SCHEMA_DRIFT or gap.dataset in asked or (gap.dataset, gap.job) in reads
    ]


def cuts(found: Exploration) -> list[Incomplete]:
    """The gaps where the search left something out for one of its bounds."""
    return [Incomplete(reason=why, dataset=node.dataset, path=node.path) for node, why in found.cut.items()]


def gaps_in_order(entries: Iterable[Incomplete]) -> tuple[Incomplete, ...]:
    """The gaps, sorted by place, reason, job and detail."""
    return tuple(
        sorted(entries, key=lambda e: (e.dataset, e.path, e.reason, e.job or JobKey("", ""), e.detail))
    )


class Concern:
    """A predicate: whether a gap concerns an answer for which these nodes were searched.

    A gap of a whole dataset always does; one of a path does where a searched node is the path, an ancestor or a
    descendant of it. In a forward search it also does where the inputs of the path may be unknown: then it may be made
    of any node. Only a user's function has known inputs, and hides just what it does with them. For a schema that does
    not fit, paths that may be read under another name are gaps of their own. Of ``rows``, which are datasets, only the
    rows were searched.
    """

    def __init__(
        self, nodes: Iterable[NodeKey], direction: Direction, rows: Iterable[DatasetKey] = ()
    ) -> None:
        self._direction = direction
        self._asked: dict[DatasetKey, set[PathSteps]] = defaultdict(set, {dataset: set() for dataset in rows})
        for dataset, path in nodes:
            self._asked[dataset].add(path)
        self._holders: dict[DatasetKey, set[PathSteps]] = {}

    def __call__(self, gap: Incomplete) -> bool:
        if gap.dataset not in self._asked:
            return False
        if concerns_all(gap, self._direction):
            return True
        above = (gap.path[:end] for end in range(len(gap.path) + 1))
        return gap.path in self._holders_in(gap.dataset) or not self._asked[gap.dataset].isdisjoint(above)

    def _holders_in(self, dataset: DatasetKey) -> Set[PathSteps]:
        """The strict ancestors of the nodes of a dataset, computed for datasets with gaps alone."""
        if dataset not in self._holders:
            asked = self._asked[dataset]
            self._holders[dataset] = {path[:end] for path in asked for end in range(len(path))}
        return self._holders[dataset]


def concerns_all(gap: Incomplete, direction: Direction) -> bool:
    """Whether the gap concerns every answer for which something of its dataset was searched."""
    return not gap.path or (direction is Direction.FORWARD and not _reads_are_known(gap))


def _reads_are_known(gap: Incomplete) -> bool:
    """Whether the lineage lists everything that the path may be made of, and only hides how."""
    if gap.dataset.namespace.startswith(DRIVER_NAMESPACE):
        return True
    return gap.reason != HANDED_OVER and reads_are_listed(gap.reason)


def possible_outputs(store: Gaps, found: Exploration) -> Mapping[DatasetKey, Sequence[Incomplete]]:
    """The gaps behind which data of each dataset of a forward search may be, without an edge that leads to it: of jobs
    that report no lineage, or do not list what they read for some path, or read it by a schema that does not fit.
    """
    if found.direction is Direction.BACKWARD:
        return {}
    concerns = Concern(found.searched(), found.direction)
    return {
        dataset: [gap for gap in gaps if gap.reason != SCHEMA_DRIFT or concerns(gap)]
        for dataset, gaps in store.possible_outputs(found.datasets(), found.as_of).items()
    }


def reached_directly(found: Exploration, types: frozenset[LineageType], bounds: Bounds) -> Set[NodeKey]:
    """The nodes to which a route of DIRECT edges leads, within the depth; containment adds no distance."""
    if types == DIRECT_ONLY:
        return found.distance.keys()
    reached = set(found.starts)
    seen = set(found.starts)
    frontier = list(found.starts)
    level = 0
    while frontier and level != bounds.depth:
        fans = [fan for node in frontier for fan in found.fans.get(node, ())]
        reached.update(fan.near for fan in fans)
        frontier = list({far for fan in fans if fan.direct for far in fan.fars} - seen)
        seen.update(frontier)
        reached.update(frontier)
        level += 1
    return reached


def _nodes(
    found: Exploration, direct: Set[NodeKey], by_name: Iterable[NodeKey], names: Mapping[NodeKey, str]
) -> tuple[LineageNode, ...]:
    levels: dict[int, list[NodeKey]] = defaultdict(list)
    for key in by_name:
        levels[found.distance[key]].append(key)
    # Nodes that joined the starts by containment have distance 0, too.
    starts = set(found.starts)
    levels[0].sort(key=lambda key: key not in starts)
    return tuple(
        LineageNode(key, names[key], distance, Reach.DIRECT if key in direct else Reach.INFLUENCED)
        for distance in sorted(levels)
        for key in levels[distance]
    )
