"""Probable copies in a store: of each source, the datasets whose columns and figures it shares.

A source is a dataset that jobs only read (``questions.origins``), and that nobody is known to write. What a steward has
decided is no proposal any more. Only datasets of which runs counted the same, or that have the same last name, are
looked at more closely.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from itertools import islice
from typing import Final

from headwater_backend.copies.decisions import Pair, decided_pairs
from headwater_backend.copies.matching import (
    Counted,
    Looks,
    ProbableCopy,
    last_name,
    probable_copies,
    table,
)
from headwater_backend.domain.model import Alike, DatasetKey, SchemaField, Use
from headwater_backend.domain.moments import micros
from headwater_backend.domain.pages import size
from headwater_backend.ports import CataloguedGraph

_AT_ONCE: Final = 200
"""The number of datasets that are looked up together."""


def proposals(store: CataloguedGraph, first: int | None = None) -> list[ProbableCopy]:
    """Up to ``first`` probable copies that no steward has decided, by dataset."""
    return list(islice(undecided_copies(store), size(first, "proposals")))


def undecided_copies(
    store: CataloguedGraph, among: Collection[DatasetKey] | None = None, as_of: datetime | None = None
) -> Iterator[ProbableCopy]:
    """The probable copies that no steward has decided, by dataset; with ``among``, those of these sources alone."""
    known = store.dataset_keys()
    some = None if among is None else sorted(among)
    sources = store.sources(len(known), None, some, as_of) if known else ()
    yield from _Compared(store, known, sources, Use.INPUT).undecided(set(sources))


def undecided_copies_of(
    store: CataloguedGraph, originals: Collection[DatasetKey], as_of: datetime | None = None
) -> Iterator[ProbableCopy]:
    """The probable copies of these datasets that no steward has decided, by dataset."""
    found = _Compared(store, store.dataset_keys(), sorted(originals), Use.OUTPUT)
    others = sorted(found.others)
    yield from found.undecided(set(store.sources(len(others), None, others, as_of) if others else ()))


class _Compared:
    """Datasets, as they were read or written, and the others that are worth a comparison with them."""

    def __init__(
        self, store: CataloguedGraph, known: Sequence[DatasetKey], asked: Sequence[DatasetKey], use: Use
    ) -> None:
        self._store = store
        alike = store.counted_alike(asked, use) if asked else ()
        self._own = _own_names(store, alike)
        self._counted = self._figures(alike)
        ends, others = _of_same_name(known, asked)
        ends |= {each.dataset for each in alike}
        self.others = others | set(self._own.values())
        self._read, self._written = (ends, self.others) if use is Use.INPUT else (self.others, ends)

    def undecided(self, sources: Set[DatasetKey]) -> Iterator[ProbableCopy]:
        """The probable copies among them of which no steward has decided; a copy is one of the sources."""
        read = self._read & sources
        if not read:
            return
        written_by = self._store.jobs_with(sorted(read | self._written), Use.OUTPUT)
        read = {key for key in read if key not in written_by}
        written = {key for key in self._written if key in written_by}
        decided = decided_pairs(self._store.decisions())
        for each in probable_copies(self._looks(sorted(read)), self._looks(sorted(written))):
            if Pair(each.dataset, each.original) not in decided:
                yield each

    def _looks(self, datasets: Sequence[DatasetKey]) -> Iterator[Looks]:
        for start in range(0, len(datasets), _AT_ONCE):
            for dataset in self._store.get_datasets(datasets[start : start + _AT_ONCE]).values():
                yield Looks(
                    dataset.key,
                    frozenset(_leaves(dataset.fields)),
                    tuple(self._counted[dataset.key]),
                    micros(dataset.first_seen) if dataset.first_seen else 0,
                )

    def _figures(self, alike: Iterable[Alike]) -> Mapping[DatasetKey, list[Counted]]:
        found: dict[DatasetKey, list[Counted]] = defaultdict(list)
        for each in alike:
            counted = Counted(size=each.value) if each.figure == "size" else Counted(rows=each.value)
            for key in (each.dataset, self._own.get(each.other, each.other)):
                found[key].append(counted)
        return found


def _own_names(store: CataloguedGraph, alike: Iterable[Alike]) -> Mapping[DatasetKey, DatasetKey]:
    """The canonical name of each of the other datasets."""
    names = sorted({each.other for each in alike})
    return {
        name: found.key
        for start in range(0, len(names), _AT_ONCE)
        for name, found in store.get_datasets(names[start : start + _AT_ONCE]).items()
    }


def _of_same_name(
    known: Iterable[DatasetKey], asked: Sequence[DatasetKey]
) -> tuple[set[DatasetKey], set[DatasetKey]]:
    """Those of the datasets, and of all known ones, that have the same last name as another, or may be one table."""
    wanted = {name for key in asked for name in _names(key)}
    by_name: dict[object, list[DatasetKey]] = defaultdict(list)
    for key in known:
        for name in wanted.intersection(_names(key)):
            by_name[name].append(key)
    shared = {name for name, keys in by_name.items() if len(keys) > 1}
    return {key for key in asked if not shared.isdisjoint(_names(key))}, {
        key for name in shared for key in by_name[name]
    }


def _names(key: DatasetKey) -> list[object]:
    return [last_name(key), *([known] if (known := table(key)) else [])]


def _leaves(fields: Iterable[SchemaField], above: str = "") -> Iterator[str]:
    """The innermost fields as texts, in lower case."""
    for each in fields:
        text = f"{above}/{each.name.lower()}"
        yield from _leaves(each.fields, text) if each.fields else (text,)
