"""How the readers of a dataset are related to each other, where nobody is known to have written what they read.

What no known writer wrote is known by the names that readers give it. There the readers' own layouts stand in for the
writer's (``stand_ins``), without drifts: all columns that are found by name, of CSV the widest layout, and whole
records, each for its format. A way leads from the finer to the coarser reading. Where two readers give the same names
to other positions, one of them is wrong (``contradicted``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from headwater_backend.domain.layouts import Layout, joined, layout_of
from headwater_backend.domain.model import PathSteps
from headwater_backend.in_force.compared import (
    Compared,
    Way,
    compared,
    is_positional,
    is_whole,
    otherwise_read,
)
from headwater_backend.in_force.layouts import LayoutKind, LayoutRow, by_dataset

_MESSAGES: Final = "kafka"
"""How namespaces of messages begin."""


class StandIn(NamedTuple):
    """A layout that stands in for the one by which others wrote the ``paths`` of the dataset, which no writer is known
    of; the empty path is all of it. ``rank`` grows with how coarse it is.
    """

    rank: tuple[int, str, str]
    dataset: str
    text: str
    paths: tuple[PathSteps, ...]


def stand_ins(
    kinds: Iterable[LayoutKind], own: Mapping[str, str], texts: Mapping[str, str]
) -> dict[str, list[StandIn]]:
    """The layouts that stand in for unknown writers', by the canonical name of the dataset."""
    return {
        key: found
        for key, group in by_dataset(kinds, own).items()
        if (found := sorted(_stand_ins(key, group, texts)))
    }


def _stand_ins(key: str, group: Sequence[LayoutKind], texts: Mapping[str, str]) -> Iterator[StandIn]:
    written = sorted({each.digest for each in group if each.use == "OUTPUT"})
    alike: dict[tuple[tuple[int, str, str], str], set[str]] = defaultdict(set)
    for each in group:
        if each.use == "INPUT":
            alike[_rank(key, layout_of(texts[each.digest])), each.dataset].add(texts[each.digest])
    if len({text for each in alike.values() for text in each}) == 1:
        return
    for (rank, dataset), layouts in alike.items():
        text = _widest(layouts) if rank[0] else joined(sorted(layouts))
        unknown = [compared_in(key, texts[one], text).unwritten for one in written]
        if paths := tuple(in_all(unknown)) if written else ((),):
            yield StandIn(rank, dataset, text, paths)


def _rank(key: str, layout: Layout) -> tuple[int, str, str]:
    rank = 2 if is_whole(layout, messages=key.startswith(_MESSAGES)) else 1 if is_positional(layout) else 0
    return rank, layout.format, layout.separator


def _widest(texts: Iterable[str]) -> str:
    """The layout with the most columns, of these one with names of its own."""
    return max(texts, key=lambda text: (len(layout_of(text).columns), '"_c0"' not in text, text))


def ways_from(key: str, other: StandIn, read: str) -> list[Way]:
    """The ways to a read layout from what another reader's stands in for."""
    rank = _rank(key, layout_of(read))
    if other.text == read or other.rank > rank:
        return []
    by_name = other.rank == rank and not rank[0]
    ways = otherwise_read(other.text, read) if by_name else compared_in(key, other.text, read).ways
    own = set() if by_name else {column.name for column in layout_of(read).columns}
    return [
        way
        for way in ways
        if way.written[0] not in own
        and any(way.written[: len(path)] == path[: len(way.written)] for path in other.paths)
    ]


def layouts_beside(group: Iterable[LayoutKind | LayoutRow], texts: Mapping[str, str]) -> list[str]:
    """The layouts of the readers of a dataset that nobody is known to write; none where somebody is."""
    used = {(each.use, each.digest) for each in group}
    if any(use == "OUTPUT" for use, _ in used):
        return []
    return sorted(texts[digest] for _, digest in used)


def contradicted(key: str, other: str, read: str) -> list[Way]:
    """Where the read layout gives another name to a position than the other one does, which has that name elsewhere."""
    one, rank = layout_of(read), _rank(key, layout_of(read))
    if not is_positional(one) or other == read or _rank(key, layout_of(other)) != rank:
        return []
    names = {column.name for column in one.columns} & {column.name for column in layout_of(other).columns}
    return [
        way for way in compared_in(key, other, read).ways if way.written[0] in names and way.read[0] in names
    ]


def compared_in(dataset: str, written: str, read: str) -> Compared:
    """The comparison of a written layout with a read one, by their texts, in that dataset."""
    return compared(written, read, messages=dataset.startswith(_MESSAGES))


def in_all(sets: Sequence[tuple[PathSteps, ...]]) -> list[PathSteps]:
    """The paths that each of the sets has, itself or as an ancestor."""
    return sorted(
        path
        for path in {path for each in sets for path in each}
        if all(any(path[: len(above)] == above for above in each) for each in sets)
    )
