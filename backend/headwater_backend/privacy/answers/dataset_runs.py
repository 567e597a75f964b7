"""The newest runs of datasets, and the rows that they counted, many datasets at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from headwater_backend.domain import facet_readers
from headwater_backend.domain.model import Dataset, DatasetKey, JobKey, Run, RunKey, Use, Used
from headwater_backend.domain.moments import EPOCH
from headwater_backend.ports import CataloguedRuns

DATASETS_AT_ONCE: Final = 200
"""The number of datasets whose runs are looked up together."""


@dataclass(frozen=True, slots=True)
class DatasetRuns:
    """The newest runs that wrote a dataset, newest first, and what they used; several datasets share ``uses``.

    ``writers`` are all jobs that wrote it, sorted. The newest run of each is among ``wrote``, however often others ran.
    """

    dataset: Dataset
    writers: Sequence[JobKey]
    wrote: Sequence[Run]
    uses: Mapping[RunKey, Sequence[Used]]

    def rows_written(self, run: Run) -> list[int | None]:
        """The rows that the run wrote into the dataset, under each of its names; None where it counted none."""
        names = {self.dataset.key, *self.dataset.names}
        return [_rows(each) for each in self._used(run, Use.OUTPUT) if each.dataset in names]

    def rows_read(self, run: Run) -> list[int | None]:
        """The rows of each dataset that the run read; None where it counted none."""
        return [_rows(each) for each in self._used(run, Use.INPUT)]

    def _used(self, run: Run, use: Use) -> list[Used]:
        return [each for each in self.uses.get(run.key, ()) if each.use is use]


def dataset_runs(
    store: CataloguedRuns, datasets: Sequence[DatasetKey], count: int
) -> Iterator[list[DatasetRuns]]:
    """Each known dataset with ``count`` of its newest runs and the newest of each writer, ``DATASETS_AT_ONCE`` at a
    time.
    """
    for start in range(0, len(datasets), DATASETS_AT_ONCE):
        known = store.get_datasets(datasets[start : start + DATASETS_AT_ONCE])
        keys = [dataset.key for dataset in known.values()]
        writers = store.jobs_with(keys, Use.OUTPUT)
        newest = store.newest_runs(sorted(set(chain.from_iterable(writers.values()))))
        wrote = {
            key: _newest_first([*runs, *(newest[job] for job in writers.get(key, ()) if job in newest)])
            for key, runs in store.runs_with(keys, Use.OUTPUT, count).items()
        }
        uses = store.used_by_runs(list({run.key: run for runs in wrote.values() for run in runs}))
        yield [
            DatasetRuns(dataset, writers.get(dataset.key, ()), wrote.get(dataset.key, ()), uses)
            for dataset in known.values()
        ]


def _newest_first(runs: Iterable[Run]) -> list[Run]:
    """The runs, each once."""
    once = {run.key: run for run in runs}
    return sorted(once.values(), key=lambda run: (run.first_seen or EPOCH, run.key), reverse=True)


def _rows(used: Used) -> int | None:
    return facet_readers.statistics(used.facets).rows
