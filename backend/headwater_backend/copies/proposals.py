"""Probable copies in a store: of each dataset that was found with data in it, others whose columns and figures it has.

A dataset is found so if it was read before anybody is known to have written it (``found_there``), whoever has written
it since: what it held then may be left there, or in what was made of it. A table of a database counts as found where
another one has its name in another spelling: what was written to either may be in both. What a steward has decided is
no proposal any more. Only datasets of which runs counted the same, or that have the same last name, are looked at more
closely.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Final

from headwater_backend.copies.decisions import Pair, decided_pairs
from headwater_backend.copies.matching import (
    Counted,
    Looks,
    ProbableCopy,
    last_name,
    may_be_one_table,
    probable_copies,
    table,
)
from headwater_backend.domain.layouts import Column, Layout
from headwater_backend.domain.model import Alike, DatasetKey, SchemaField, Use
from headwater_backend.domain.moments import micros
from headwater_backend.ports import CataloguedGraph, Datasets

_AT_ONCE: Final = 200
"""The number of datasets that are looked up together."""


def proposals(store: CataloguedGraph) -> list[ProbableCopy]:
    """All probable copies that no steward has decided, by dataset."""
    return list(undecided_copies(store))


def undecided_copies(
    store: CataloguedGraph, among: Collection[DatasetKey] | None = None, as_of: datetime | None = None
) -> Iterator[ProbableCopy]:
    """The probable copies that no steward has decided, by dataset; with ``among``, only of these."""
    known = store.dataset_keys()
    spelt = _spelt_otherwise(known, known if among is None else among)
    found = {**spelt, **store.found_there(None if among is None else sorted(among), as_of)}
    if found:
        yield from _Compared(store, known, sorted(found), Use.INPUT).undecided(found)


def undecided_copies_of(
    store: CataloguedGraph, originals: Collection[DatasetKey], as_of: datetime | None = None
) -> Iterator[ProbableCopy]:
    """The probable copies of these datasets that no steward has decided, by dataset."""
    known = store.dataset_keys()
    compared = _Compared(store, known, sorted(originals), Use.OUTPUT)
    if compared.others:
        spelt = _spelt_otherwise(known, compared.others)
        yield from compared.undecided({**spelt, **store.found_there(sorted(compared.others), as_of)})


def _spelt_otherwise(
    known: Iterable[DatasetKey], among: Iterable[DatasetKey]
) -> dict[DatasetKey, Sequence[Layout]]:
    """Those of the datasets that may be the same table of a database as another one, whoever writes them."""
    spellings = Counter(map(table, known))
    return {key: () for key in among if table(key) and spellings[table(key)] > 1}


class _Compared:
    """Datasets, as they were read or written, and the others that are worth a comparison with them."""

    def __init__(
        self, store: CataloguedGraph, known: Sequence[DatasetKey], asked: Sequence[DatasetKey], use: Use
    ) -> None:
        self._store = store
        alike = store.counted_alike(asked, use) if asked else ()
        self._own = _own_names(store, alike)
        self._as_asked, self._as_other = self._figures(alike)
        self._is_read_asked = use is Use.INPUT
        ends, others = _of_same_name(known, asked)
        ends |= {each.dataset for each in alike}
        self.others = others | set(self._own.values())
        self._read, self._written = (ends, self.others) if use is Use.INPUT else (self.others, ends)

    def undecided(self, found: Mapping[DatasetKey, Sequence[Layout]]) -> Iterator[ProbableCopy]:
        """The probable copies among them of which no steward has decided; a copy is one of those that were ``found``
        with data in them.
        """
        read = sorted(self._read.intersection(found))
        if not read:
            return
        written = self._store.jobs_with(sorted(self._written), Use.OUTPUT)
        figures = (self._as_asked, self._as_other)
        counted_read, counted_written = figures if self._is_read_asked else reversed(figures)
        looks = (
            each for key in self._looks(read, counted_read) for each in _as_read(key, found[key.dataset])
        )
        copies = probable_copies(looks, self._looks(sorted(written), counted_written))
        decided = decided_pairs(self._store.decisions())
        for (dataset, original), some in groupby(copies, key=lambda each: (each.dataset, each.original)):
            # Of one table in two spellings, neither is the original.
            pairs = {Pair(dataset, original)}
            if may_be_one_table(dataset, original):
                pairs.add(Pair(original, dataset))
            if pairs.isdisjoint(decided):
                yield max(some, key=lambda each: len(each.why))

    def _looks(
        self, datasets: Sequence[DatasetKey], counted: Mapping[DatasetKey, Sequence[Counted]]
    ) -> Iterator[Looks]:
        for start in range(0, len(datasets), _AT_ONCE):
            for dataset in self._store.get_datasets(datasets[start : start + _AT_ONCE]).values():
                yield Looks(
                    dataset.key,
                    frozenset(_leaves(dataset.fields)),
                    tuple(counted.get(dataset.key, ())),
                    micros(dataset.first_seen) if dataset.first_seen else 0,
                )

    def _figures(
        self, alike: Iterable[Alike]
    ) -> tuple[Mapping[DatasetKey, list[Counted]], Mapping[DatasetKey, list[Counted]]]:
        """What was counted of the datasets asked for, and of the others."""
        asked: dict[DatasetKey, list[Counted]] = defaultdict(list)
        others: dict[DatasetKey, list[Counted]] = defaultdict(list)
        for each in alike:
            counted = Counted(size=each.value) if each.figure == "size" else Counted(rows=each.value)
            asked[each.dataset].append(counted)
            others[self._own.get(each.other, each.other)].append(counted)
        return asked, others


def _as_read(looks: Looks, layouts: Iterable[Layout]) -> Iterator[Looks]:
    """The looks, also with the columns that it was read with: since then, jobs may have given it others."""
    columns = {looks.columns, *(frozenset(_leaves(layout.columns)) for layout in layouts)}
    return (replace(looks, columns=each) for each in columns)


def _own_names(store: Datasets, alike: Iterable[Alike]) -> Mapping[DatasetKey, DatasetKey]:
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


def _leaves(fields: Iterable[SchemaField | Column], above: str = "") -> Iterator[str]:
    """The innermost fields of a schema or a layout as texts, in lower case."""
    for each in fields:
        text = f"{above}/{each.name.lower()}"
        below = each.fields if isinstance(each, SchemaField) else each.members
        yield from _leaves(below, text) if below else (text,)
