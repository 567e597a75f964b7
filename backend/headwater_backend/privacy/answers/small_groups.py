"""Aggregates over few rows: a sum of three salaries is not anonymous.

Lineage does not say how large a group is, but runs may count the rows that they read and wrote. Where a run wrote
aggregates of personal data, and read fewer than ``LEAST`` rows for each row that it wrote, groups are small. More rows
do not prove that none is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from headwater_backend.domain import facet_readers
from headwater_backend.domain.model import DatasetKey, JobKey, Run, Use, Used
from headwater_backend.ports import LineageAndRuns

LEAST: Final = 5
"""The least number of rows of a group that is no cause for a warning."""
RUNS: Final = 5
"""The number of the newest runs of a dataset among which one with counted rows is looked for."""
DATASETS_AT_ONCE: Final = 200


class SmallGroups(NamedTuple):
    """A dataset with aggregates, the rows that its newest counted run wrote, and those that the run read."""

    dataset: DatasetKey
    job: JobKey
    rows: int
    read: int


def small_groups(
    store: LineageAndRuns, datasets: Sequence[DatasetKey], as_of: datetime | None
) -> Iterator[SmallGroups]:
    """The datasets, of those that hold aggregates, whose groups are small."""
    for start in range(0, len(datasets), DATASETS_AT_ONCE):
        known = store.get_datasets(datasets[start : start + DATASETS_AT_ONCE])
        runs = store.runs_with([dataset.key for dataset in known.values()], Use.OUTPUT, RUNS)
        uses = store.used_by_runs([run.key for some in runs.values() for run in some])
        for dataset in known.values():
            names = {dataset.key, *dataset.names}
            counted = (
                _counted(dataset.key, run, uses.get(run.key, ()), names)
                for run in runs.get(dataset.key, ())
                if as_of is None or (run.first_seen and run.first_seen <= as_of)
            )
            found = next((each for each in counted if each is not None), None)
            if found is not None and 0 < found.read < LEAST * found.rows:
                yield found


def _counted(key: DatasetKey, run: Run, uses: Sequence[Used], names: set[DatasetKey]) -> SmallGroups | None:
    """The rows that the run wrote into the dataset and read; None unless it counted both."""
    written = [_rows(each) for each in uses if each.use is Use.OUTPUT and each.dataset in names]
    read = [_rows(each) for each in uses if each.use is Use.INPUT]
    if not written or not read or None in written or None in read:
        return None
    return SmallGroups(key, run.job, sum(filter(None, written)), sum(filter(None, read)))


def _rows(used: Used) -> int | None:
    return facet_readers.statistics(used.facets).rows
