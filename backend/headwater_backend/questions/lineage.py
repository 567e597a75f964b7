"""Questions about lineage at every level, in one direction or both, page by page.

A limited answer ends with a cursor. The next page repeats the search up to the greater limit and leaves out what
earlier pages contained, so that no state has to be kept between pages; the search is cheap compared with sending the
answer again. A page holds the nodes and edges that are new or changed (a later route may be shorter, or by value), and
the ends of its edges. All pages together, with the last state of each node and edge, are the whole answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from headwater_backend.domain import pages
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import Direction, LineageType, NodeKey
from headwater_backend.ports import CataloguedGraph
from headwater_backend.questions.closure import LineageGraph
from headwater_backend.questions.edges import Edges
from headwater_backend.questions.levels import JobGraph, Level, answer_at, jobs_of
from headwater_backend.questions.resolving import resolve_node
from headwater_backend.questions.traversal import DIRECT_ONLY, Bounds, Exploration, explore

T = TypeVar("T")

MAX_NODES = 1_000_000
"""The most nodes in all pages of an answer together."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of a question about lineage: edges of ``types`` within ``bounds``, after the cursor ``after``."""

    types: frozenset[LineageType] = DIRECT_ONLY
    bounds: Bounds = field(default_factory=Bounds)
    after: str | None = None


@dataclass(frozen=True, slots=True)
class BothWays:
    """The backward and the forward closure of a node."""

    backward: LineageGraph
    forward: LineageGraph

    @property
    def complete(self) -> bool:
        return self.backward.complete and self.forward.complete


def lineage(
    store: CataloguedGraph, node: NodeKey, direction: Direction, scope: Scope, level: Level = Level.PATH
) -> LineageGraph:
    """The closure at that level. Raises ``UnknownDataset``, ``UnknownPath``, ``BadQuestion``, ``StoreUnavailable``."""
    search = _Paged(store, node, direction, scope, level.value)
    whole = search.whole(level)
    known = search.before(level)
    if known is None:
        return replace(whole, cursor=search.cursor())
    edges = _new(whole.edges, known.edges)
    keys = {node.key for node in _new(whole.nodes, known.nodes)}
    keys.update(end for edge in edges for end in (edge.source, edge.target))
    nodes = tuple(node for node in whole.nodes if node.key in keys)
    return replace(
        whole,
        nodes=nodes,
        edges=Edges.of([node.key for node in nodes], edges),
        cursor=search.cursor(),
    )


def both(store: CataloguedGraph, node: NodeKey, scope: Scope, level: Level = Level.PATH) -> BothWays:
    """The closures in both directions; each has a cursor of its own."""
    if scope.after is not None:
        raise BadQuestion(
            "both directions cannot continue from one cursor", "continue with backward or with forward"
        )
    return BothWays(*(lineage(store, node, direction, scope, level) for direction in Direction))


def jobs(store: CataloguedGraph, node: NodeKey, direction: Direction, scope: Scope) -> JobGraph:
    """The jobs behind the closure. Raises what ``lineage`` raises."""
    search = _Paged(store, node, direction, scope, "JOB")
    whole = jobs_of(search.whole(), direction)
    before = search.before()
    if before is None:
        return replace(whole, cursor=search.cursor())
    known = jobs_of(before, direction)
    edges = _new(whole.edges, known.edges)
    keys = {job.key for job in _new(whole.jobs, known.jobs)}
    keys.update(end for edge in edges for end in (edge.source, edge.target))
    return replace(
        whole,
        jobs=tuple(job for job in whole.jobs if job.key in keys),
        edges=edges,
        cursor=search.cursor(),
    )


class _Paged:
    """The search of one page: everything up to its end, and the content of the pages before it."""

    def __init__(
        self, store: CataloguedGraph, node: NodeKey, direction: Direction, scope: Scope, level: str
    ) -> None:
        start = resolve_node(store, node)
        self._question = _digest(start, direction, scope, level)
        skip = self._skipped(scope.after)
        self._store = store
        self._types = scope.types
        self._bounds = replace(scope.bounds, nodes=scope.bounds.nodes + skip, skip=skip)
        self._found = explore(store, [start], direction, scope.types, self._bounds)

    def whole(self, level: Level = Level.PATH) -> LineageGraph:
        return self._answer(self._found, level)

    def before(self, level: Level = Level.PATH) -> LineageGraph | None:
        return self._answer(self._found.earlier or self._found, level) if self._bounds.skip else None

    def cursor(self) -> str | None:
        return pages.cursor(self._question, self._bounds.nodes) if self._found.full else None

    def _answer(self, found: Exploration, level: Level) -> LineageGraph:
        return answer_at(self._store, found, self._types, self._bounds, level)

    def _skipped(self, after: str | None) -> int:
        if after is None:
            return 0
        question, skipped = pages.read_cursor(after, (str, int))
        if question != self._question:
            raise BadQuestion("the cursor belongs to another question", "continue with the same arguments")
        if skipped > MAX_NODES:
            raise BadQuestion(
                f"earlier pages have {skipped} nodes already, and the search starts again each time",
                "ask a narrower question: a smaller depth, within some datasets, or stopping at some",
            )
        return int(skipped)


def _digest(start: NodeKey, direction: Direction, scope: Scope, level: str) -> str:
    bounds = replace(scope.bounds, nodes=0)
    asked = (start, direction.value, sorted(kind.value for kind in scope.types), bounds, level)
    return hashlib.sha256(repr(asked).encode(errors="surrogatepass")).hexdigest()[:16]


def _new(found: Iterable[T], known: Iterable[T]) -> tuple[T, ...]:
    before = set(known)
    return tuple(each for each in found if each not in before)
