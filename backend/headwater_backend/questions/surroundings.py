"""The edges around the nodes of a search, kept while the store may have told them before they were asked for.

A store may read ahead (``ports.Ahead``): it answers for a frontier and for nodes that come next. So each node is
looked up here first, and only what the store has not read ahead is asked of it. The search is the same whether and how
far a store reads ahead.

A node counts as read, too, where what holds it was: all that is comparable with it is then known. Edges that are
known beside those asked for are not comparable with the frontier, or are so with another of its nodes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from datetime import datetime

from headwater_backend.domain.model import Ahead, DatasetKey, Direction, Fan, LineageType, NodeKey
from headwater_backend.ports import PathGraph


class Surroundings:
    """What is known of the edges of one direction and of these types."""

    def __init__(
        self,
        store: PathGraph,
        direction: Direction,
        types: frozenset[LineageType],
        as_of: datetime | None,
        *,
        part: Callable[[Fan], Fan | None] | None = None,
    ) -> None:
        self._store = store
        self._direction = direction
        self._types = types
        self._as_of = as_of
        self._part = part
        self._ahead: set[NodeKey] = set()
        self._lengths: set[int] = set()
        self._fans: dict[DatasetKey, dict[NodeKey, list[Fan]]] = defaultdict(dict)

    def met(self, frontier: Sequence[NodeKey], ahead: Ahead) -> dict[NodeKey, list[Fan]]:
        """All edges at the frontier, and maybe others, as seen from their near ends; by one store call at most."""
        unknown = [node for node in frontier if not self._knows(node)] if self._ahead else frontier
        if unknown:
            fans, opened = self._store.neighbours(unknown, self._direction, self._types, self._as_of, ahead)
            self._ahead |= opened - set(unknown)
            self._lengths = {len(path) for _, path in self._ahead}
            self._keep(fans if self._part is None else filter(None, map(self._part, fans)))
        met: dict[NodeKey, list[Fan]] = {}
        for dataset in {node.dataset for node in frontier}:
            met.update(self._fans[dataset])
        return met

    def _knows(self, node: NodeKey) -> bool:
        return node in self._ahead or not self._ahead.isdisjoint(holders(node, self._lengths))

    def _keep(self, fans: Iterable[Fan]) -> None:
        """A near end is always told with all its edges."""
        met: dict[NodeKey, list[Fan]] = defaultdict(list)
        for fan in fans:
            met[fan.near].append(fan)
        for near, at_near in met.items():
            self._fans[near.dataset][near] = at_near


def holders(node: NodeKey, lengths: Set[int]) -> list[NodeKey]:
    """What holds the node, as far as their paths have those lengths."""
    dataset, path = node
    own = len(path)
    return [NodeKey(dataset, path[:length]) for length in lengths if length < own]
