"""Sources: datasets without inputs of their own, and those among them that a node comes from.

A *source* is a dataset into which no current lineage leads from another, and whose last writers read no other: what
people upload, what other systems deliver, what a program generates. The *golden sources* of a node are the sources in
its backward lineage. That lineage has other ends, too: constants that a job writes beside what it reads, and paths of
unknown lineage; these *ends* are listed separately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeVar

from headwater_backend.domain.model import (
    Dataset,
    DatasetKey,
    Direction,
    Edge,
    Incomplete,
    LineageType,
    NodeKey,
)
from headwater_backend.domain.pages import Page, page, read_cursor, size
from headwater_backend.ports import CataloguedGraph, Presence
from headwater_backend.questions.closure import LineageNode, Reach, lineage
from headwater_backend.questions.traversal import DIRECT_ONLY, Bounds

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GoldenSource:
    """A source that a node comes from; ``nodes`` are its paths that do, the nearest first."""

    key: DatasetKey
    distance: int
    reach: Reach
    nodes: tuple[LineageNode, ...]


@dataclass(frozen=True, slots=True)
class GoldenSources:
    """The sources of a node, the nearest first, and the other ends of its lineage."""

    sources: tuple[GoldenSource, ...]
    ends: tuple[LineageNode, ...]
    incomplete: tuple[Incomplete, ...]

    @property
    def complete(self) -> bool:
        return not self.incomplete


def sources(
    store: CataloguedGraph, first: int | None = None, after: str | None = None, as_of: datetime | None = None
) -> Page[Dataset]:
    """A page of all existing sources, in key order; with ``as_of``, of the sources that existed then.

    Their facets are always the present ones. Raises ``BadQuestion``.
    """
    wanted, place = size(first, "datasets"), DatasetKey(*read_cursor(after, (str, str))) if after else None
    keys = existing(
        store, wanted + 1, place, partial(store.sources, as_of=as_of), lambda key: key, as_of=as_of
    )
    known = store.get_datasets(keys)
    return page([known[key] for key in keys if key in known], wanted)


def golden_sources(
    store: CataloguedGraph,
    node: NodeKey,
    types: frozenset[LineageType] = DIRECT_ONLY,
    bounds: Bounds | None = None,
) -> GoldenSources:
    """The golden sources of the node, now or as of the bounds' moment.

    Raises ``UnknownDataset``, ``UnknownPath``, ``BadQuestion``.
    """
    graph = lineage(store, node, Direction.BACKWARD, types, bounds)
    datasets = sorted({each.key.dataset for each in graph.nodes})
    golden = set(store.sources(len(datasets), None, datasets, bounds.as_of if bounds else None))
    by_dataset: dict[DatasetKey, list[LineageNode]] = {}
    for each in graph.nodes:
        by_dataset.setdefault(each.key.dataset, []).append(each)
    found = [_golden(key, by_dataset[key]) for key in golden]
    return GoldenSources(
        sources=tuple(sorted(found, key=lambda each: (each.distance, each.key))),
        ends=tuple(each for each in _ends(graph.nodes, graph.edges) if each.key.dataset not in golden),
        incomplete=graph.incomplete,
    )


def existing(
    store: Presence,
    count: int,
    after: DatasetKey | None,
    look_up: Callable[[int, DatasetKey | None], Sequence[T]],
    key_of: Callable[[T], DatasetKey],
    *,
    as_of: datetime | None = None,
) -> list[T]:
    """Up to ``count`` items that ``look_up`` returns page by page, without datasets that do not, or did not, exist."""
    found: list[T] = []
    while True:
        some = look_up(count, after)
        present = store.existing([key_of(each) for each in some], as_of)
        found += [each for each in some if key_of(each) in present]
        if len(found) >= count or len(some) < count:
            return found[:count]
        after = key_of(some[-1])


def _golden(key: DatasetKey, nodes: Sequence[LineageNode]) -> GoldenSource:
    direct = any(node.reach is Reach.DIRECT for node in nodes)
    return GoldenSource(
        key,
        min(node.distance for node in nodes),
        Reach.DIRECT if direct else Reach.INFLUENCED,
        tuple(nodes),
    )


def _ends(nodes: Iterable[LineageNode], edges: Iterable[Edge]) -> Iterable[LineageNode]:
    """The nodes into which no edge of the answer leads, nor into their ancestors or descendants."""
    targets = {edge.target for edge in edges}
    led_to = {NodeKey(key.dataset, key.path[:end]) for key in targets for end in range(len(key.path) + 1)}
    for node in nodes:
        dataset, path = node.key
        above = (NodeKey(dataset, path[:end]) for end in range(len(path)))
        if node.key not in led_to and targets.isdisjoint(above):
            yield node
