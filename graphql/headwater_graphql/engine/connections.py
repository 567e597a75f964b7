"""Relay's pages, and DataLoaders.

A request is executed by one thread from top to bottom, where a loader that waits for its siblings would wait for ever.
A list's resolver knows all its items already, so it gives them a loader that knows all their keys: the first that asks
has the store look up everything, and the others find it there. However long the list, that is one store call a field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from headwater_backend.ports import LineageStore
from headwater_graphql.context import Info, ask
from headwater_graphql.engine import declare

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class Loader(Generic[K, V]):
    """Looks something up for all keys at once, when it is asked for one. ``keys`` may be made only then."""

    def __init__(
        self, keys: Callable[[], Iterable[K]], question: Callable[[LineageStore, Sequence[K]], Mapping[K, V]]
    ) -> None:
        self._keys = keys
        self._question = question
        self._found: Mapping[K, V] | None = None

    def get(self, info: Info, key: K) -> V | None:
        """What is known of one of the keys."""
        return self.all(info).get(key)

    def all(self, info: Info) -> Mapping[K, V]:
        """What is known of all of them."""
        if self._found is None:
            self._found = ask(info, self._question, list(dict.fromkeys(self._keys())))
        return self._found


@declare.object_type()
class PageInfo:
    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None

    @classmethod
    def of(cls, cursors: Sequence[str], has_next: bool, after: str | None) -> PageInfo:
        return cls(
            has_next_page=has_next,
            has_previous_page=bool(after),
            start_cursor=cursors[0] if cursors else None,
            end_cursor=cursors[-1] if cursors else None,
        )


@declare.object_type()
class Edge(Generic[T]):
    node: T
    cursor: str


@declare.object_type(description="A page of a list; `after` takes the end cursor of the page before.")
class Connection(Generic[T]):
    edges: list[Edge[T]]
    page_info: PageInfo


def connection(
    nodes: Iterable[T], cursors: Sequence[str], has_next: bool, after: str | None
) -> Connection[T]:
    """The page of these nodes, each with the cursor behind it."""
    edges = [Edge(node=node, cursor=cursor) for node, cursor in zip(nodes, cursors, strict=True)]
    return Connection(edges=edges, page_info=PageInfo.of(cursors, has_next, after))
