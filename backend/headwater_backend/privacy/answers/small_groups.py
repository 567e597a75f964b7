"""Aggregates over few rows: a sum of three salaries is not anonymous.

Lineage does not say how large a group is, but runs may count the rows that they read and wrote. Where a run wrote
aggregates of personal data, and read fewer than ``LEAST`` rows for each row that it wrote, groups are small. More rows
do not prove that none is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Final, NamedTuple

from headwater_backend.domain.model import DatasetKey, JobKey, Run
from headwater_backend.ports import CataloguedRuns
from headwater_backend.privacy.answers.dataset_runs import DatasetRuns, dataset_runs

LEAST: Final = 5
"""The least number of rows of a group that is no cause for a warning."""
RUNS: Final = 5
"""The number of the newest runs among which one with counted rows is looked for, besides the newest of each writer."""


class SmallGroups(NamedTuple):
    """A dataset with aggregates, the rows that its newest counted run wrote, and those that the run read."""

    dataset: DatasetKey
    job: JobKey
    rows: int
    read: int


def small_groups(
    store: CataloguedRuns, datasets: Sequence[DatasetKey], as_of: datetime | None
) -> Iterator[SmallGroups]:
    """The datasets, of those that hold aggregates, whose groups are small."""
    for each in chain.from_iterable(dataset_runs(store, datasets, RUNS)):
        counted = (
            _counted(each, run)
            for run in each.wrote
            if as_of is None or (run.first_seen and run.first_seen <= as_of)
        )
        found = next((groups for groups in counted if groups is not None), None)
        if found is not None and 0 < found.read < LEAST * found.rows:
            yield found


def _counted(runs: DatasetRuns, run: Run) -> SmallGroups | None:
    """The rows that the run wrote into the dataset and read; None unless it counted both."""
    written, read = runs.rows_written(run), runs.rows_read(run)
    if not written or not read or None in written or None in read:
        return None
    return SmallGroups(runs.dataset.key, run.job, sum(filter(None, written)), sum(filter(None, read)))
