"""Relay connections, and loaders that batch store calls.

A request is executed by one thread from top to bottom, where a loader that waits for its siblings would deadlock. A
list's resolver already has all its items, so it gives them a loader with all their keys: the first access loads the
values of all keys, and later ones use them. So each field takes one store call, however long the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from headwater_backend.domain.pages import Page, numbered
from headwater_backend.ports import LineageStore
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions

S = TypeVar("S")
T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class Loader(Generic[K, V]):
    """Batch loader: loads the values of all keys on first access; ``keys`` is only called then."""

    def __init__(
        self, keys: Callable[[], Iterable[K]], question: Callable[[LineageStore, Sequence[K]], Mapping[K, V]]
    ) -> None:
        self._keys = keys
        self._question = question
        self._values: Mapping[K, V] | None = None

    def get(self, info: Info, key: K) -> V | None:
        """Return the value of one of the keys, or None."""
        return self.all(info).get(key)

    def all(self, info: Info) -> Mapping[K, V]:
        """Return the values of all keys."""
        if self._values is None:
            self._values = run_question(info, self._question, list(dict.fromkeys(self._keys())))
        return self._values


@definitions.object_type()
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


@definitions.object_type()
class Edge(Generic[T]):
    node: T
    cursor: str


@definitions.object_type(
    description="A page of a list; pass its `endCursor` as `after` to get the next page."
)
class Connection(Generic[T]):
    edges: list[Edge[T]]
    page_info: PageInfo


def connection(
    nodes: Iterable[T], cursors: Sequence[str], has_next: bool, after: str | None
) -> Connection[T]:
    """Return the page with these nodes and their cursors."""
    edges = [Edge(node=node, cursor=cursor) for node, cursor in zip(nodes, cursors, strict=True)]
    return Connection(edges=edges, page_info=PageInfo.of(cursors, has_next, after))


def of_page(page: Page[tuple[str, S]], node: Callable[[S], T], after: str | None) -> Connection[T]:
    """Return a page of items with their cursors."""
    cursors = [cursor for cursor, _ in page.items]
    return connection([node(each) for _, each in page.items], cursors, page.has_next, after)


def of_list(
    found: Sequence[S], node: Callable[[S], T], first: int | None, after: str | None, of: str
) -> Connection[T]:
    """Return a page of a list that is known as a whole; ``of`` names its items."""
    return of_page(numbered(found, first, after, of), node, after)
