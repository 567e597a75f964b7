"""The newest runs of datasets, and the rows that they counted, many datasets at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from headwater_backend.domain import facet_readers
from headwater_backend.domain.model import Dataset, DatasetKey, Run, RunKey, Use, Used
from headwater_backend.ports import LineageAndRuns

DATASETS_AT_ONCE: Final = 200
"""The number of datasets whose runs are looked up together."""


@dataclass(frozen=True, slots=True)
class DatasetRuns:
    """The newest runs that wrote a dataset, newest first, and what they used; several datasets share ``uses``."""

    dataset: Dataset
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
    store: LineageAndRuns, datasets: Sequence[DatasetKey], count: int
) -> Iterator[list[DatasetRuns]]:
    """Each known dataset with up to ``count`` of its newest runs, ``DATASETS_AT_ONCE`` at a time."""
    for start in range(0, len(datasets), DATASETS_AT_ONCE):
        known = store.get_datasets(datasets[start : start + DATASETS_AT_ONCE])
        wrote = store.runs_with([dataset.key for dataset in known.values()], Use.OUTPUT, count)
        uses = store.used_by_runs([run.key for runs in wrote.values() for run in runs])
        yield [DatasetRuns(dataset, wrote.get(dataset.key, ()), uses) for dataset in known.values()]


def _rows(used: Used) -> int | None:
    return facet_readers.statistics(used.facets).rows
