"""A cache of the edges around the nodes of a search, for stores that read ahead.

A store may read ahead (``domain.model.Ahead``): it answers for a frontier and for nodes that come next. So each node is
looked up here first, and the store is only asked for nodes that it has not read ahead. The search is the same whether
and how far a store reads ahead.

A node also counts as read when an ancestor of it was: everything comparable with it is then known. Edges in the cache
beyond those asked for are not comparable with the frontier, or are so with another of its nodes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from datetime import datetime
from itertools import chain

from headwater_backend.domain.model import Ahead, DatasetKey, Direction, Fan, LineageType, NodeKey
from headwater_backend.ports import PathGraph


class Surroundings:
    """The known edges of one direction and of these types."""

    def __init__(
        self,
        store: PathGraph,
        direction: Direction,
        types: frozenset[LineageType],
        as_of: datetime | None,
        *,
        part: Callable[[Fan], Iterable[Fan]] | None = None,
    ) -> None:
        self._store = store
        self._direction = direction
        self._types = types
        self._as_of = as_of
        self._part = part
        self._ahead: set[NodeKey] = set()
        self._lengths: set[int] = set()
        self._fans: dict[DatasetKey, dict[NodeKey, list[Fan]]] = defaultdict(dict)

    def fans_at(self, frontier: Sequence[NodeKey], ahead: Ahead) -> dict[NodeKey, list[Fan]]:
        """All fans at the frontier, and maybe others, by their near ends, with at most one store call."""
        unknown = [node for node in frontier if not self._knows(node)] if self._ahead else frontier
        if unknown:
            fans, opened = self._store.neighbours(unknown, self._direction, self._types, self._as_of, ahead)
            self._ahead |= opened - set(unknown)
            self._lengths = {len(path) for _, path in self._ahead}
            by_near = _by_near(fans if self._part is None else chain.from_iterable(map(self._part, fans)))
            if not self._ahead:
                return by_near
            for near, at_near in by_near.items():
                self._fans[near.dataset][near] = at_near
        found: dict[NodeKey, list[Fan]] = {}
        for dataset in {node.dataset for node in frontier}:
            found.update(self._fans[dataset])
        return found

    def _knows(self, node: NodeKey) -> bool:
        return node in self._ahead or not self._ahead.isdisjoint(holders(node, self._lengths))


def _by_near(fans: Iterable[Fan]) -> dict[NodeKey, list[Fan]]:
    """The fans by their near ends; a store returns each near end with all its edges."""
    found: dict[NodeKey, list[Fan]] = defaultdict(list)
    for fan in fans:
        found[fan.near].append(fan)
    return found


def holders(node: NodeKey, lengths: Set[int]) -> list[NodeKey]:
    """The strict ancestors of the node whose paths have one of those lengths."""
    dataset, path = node
    own = len(path)
    return [NodeKey(dataset, path[:length]) for length in lengths if length < own]
