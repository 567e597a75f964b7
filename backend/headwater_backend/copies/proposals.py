"""Probable copies in a store: of each source, the datasets whose columns and figures it shares.

A source is a dataset that jobs only read (``questions.origins``). What a steward has decided is no proposal any more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from headwater_backend.copies.decisions import Pair, decided_pairs
from headwater_backend.copies.matching import Counted, Looks, ProbableCopy, probable_copies
from headwater_backend.domain import facet_readers
from headwater_backend.domain.model import Dataset, DatasetKey, Run, RunKey, SchemaField, Use, Used
from headwater_backend.domain.moments import micros
from headwater_backend.domain.pages import size
from headwater_backend.ports import LineageAndRuns

RUNS: Final = 20
"""The number of the newest runs of a dataset whose figures are compared."""
_AT_ONCE: Final = 200
"""The number of datasets that are looked up together."""


def proposals(store: LineageAndRuns, first: int | None = None) -> list[ProbableCopy]:
    """Up to ``first`` probable copies that no steward has decided, by dataset."""
    return list(islice(undecided_copies(store), size(first, "proposals")))


def undecided_copies(
    store: LineageAndRuns, of: Collection[DatasetKey] | None = None
) -> Iterator[ProbableCopy]:
    """The probable copies that no steward has decided, by dataset; with ``of``, those of these sources alone."""
    keys = store.dataset_keys()
    sources = set(store.sources(len(keys), None, None if of is None else sorted(of)))
    if not sources:
        return
    decided = decided_pairs(store.decisions())
    read = _looks(store, sorted(sources), Use.INPUT)
    written = _looks(store, [key for key in keys if key not in sources], Use.OUTPUT)
    for each in probable_copies(read, written):
        if Pair(each.dataset, each.original) not in decided:
            yield each


def _looks(store: LineageAndRuns, datasets: Sequence[DatasetKey], use: Use) -> Iterator[Looks]:
    """What is known of those of the datasets that runs used in this way."""
    for start in range(0, len(datasets), _AT_ONCE):
        runs = store.runs_with(datasets[start : start + _AT_ONCE], use, RUNS)
        known = store.get_datasets(sorted(runs))
        uses = store.used_by_runs([run.key for some in runs.values() for run in some])
        for key, dataset in known.items():
            yield Looks(
                dataset.key,
                frozenset(_leaves(dataset.fields)),
                tuple(_counted(dataset, runs[key], uses, use)),
                micros(min(run.first_seen for run in runs[key] if run.first_seen)),
            )


def _counted(
    dataset: Dataset, runs: Iterable[Run], uses: Mapping[RunKey, Sequence[Used]], use: Use
) -> Iterator[Counted]:
    names = {dataset.key, *dataset.names}
    for run in runs:
        for used in uses.get(run.key, ()):
            if used.use is use and used.dataset in names and used.first_seen:
                found = facet_readers.statistics(used.facets)
                yield Counted(micros(used.first_seen), found.rows, found.size)


def _leaves(fields: Iterable[SchemaField], above: str = "") -> Iterator[str]:
    """The innermost fields as texts, in lower case."""
    for each in fields:
        text = f"{above}/{each.name.lower()}"
        yield from _leaves(each.fields, text) if each.fields else (text,)
