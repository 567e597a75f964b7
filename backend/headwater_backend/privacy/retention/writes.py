"""When datasets were written, and until when what was written stayed there, as runs and changes of state tell.

A run is taken to write from when it was first seen to when it was last seen. What it wrote is *gone* when the whole
dataset is replaced, truncated or dropped after that. Whether single rows were deleted is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from headwater_backend.domain.facet_readers import REPLACING
from headwater_backend.domain.model import (
    Dataset,
    DatasetKey,
    JobKey,
    Run,
    RunKey,
    RunPlace,
    StateChange,
    Use,
)
from headwater_backend.ports import LineageAndRuns
from headwater_backend.privacy.answers.dataset_runs import DATASETS_AT_ONCE
from headwater_facets.kinds import Replaced

_FIRST: Final = RunKey(JobKey("", ""), "")
"""Before the keys of all runs."""


class Writes:
    """The writes of some datasets until a moment."""

    def __init__(self, store: LineageAndRuns, datasets: Iterable[DatasetKey], as_of: datetime) -> None:
        self._store = store
        self._as_of = as_of
        self._before: dict[tuple[DatasetKey, datetime], Run | None] = {}
        keys = sorted(datasets)
        known = {key: found for some in _parts(keys) for key, found in store.get_datasets(some).items()}
        self.ends = {key: _ends(each, _may_replace_all, as_of) for key, each in known.items()}
        """When all of the content of each dataset may have been replaced."""
        self.certain_ends = {key: _ends(each, _replaces_all, as_of) for key, each in known.items()}
        """When it certainly was."""
        self.existing = frozenset(store.existing(keys, as_of))
        """The datasets that exist at the moment."""
        self.look_up(keys, as_of)

    def look_up(self, datasets: Sequence[DatasetKey], moment: datetime) -> None:
        """Look up the last writes of many datasets before a moment at once."""
        for some in _parts(datasets):
            found: Mapping[DatasetKey, Sequence[Run]] = self._store.runs_with(
                some, Use.OUTPUT, 1, RunPlace(moment, _FIRST)
            )
            self._before.update({(key, moment): next(iter(found.get(key, ())), None) for key in some})

    def last(self, dataset: DatasetKey, before: datetime | None = None) -> Run | None:
        """The last run that began to write the dataset before a moment; None where none is known."""
        moment = before or self._as_of
        if (dataset, moment) not in self._before:
            self.look_up([dataset], moment)
        return self._before[dataset, moment]


def began(run: Run) -> datetime:
    """When the run may have begun to write."""
    return run.first_seen or run.started_at or ended(run)


def ended(run: Run) -> datetime:
    """When the run has written for the last time, as far as is known."""
    found = run.last_seen or run.ended_at or run.first_seen
    assert found is not None  # noqa: S101 - stores know when each run was seen
    return found


def _parts(keys: Sequence[DatasetKey]) -> Iterable[Sequence[DatasetKey]]:
    return (keys[start : start + DATASETS_AT_ONCE] for start in range(0, len(keys), DATASETS_AT_ONCE))


def _ends(dataset: Dataset, is_end: Callable[[StateChange], bool], as_of: datetime) -> list[datetime]:
    """When such a change was made until then, oldest first."""
    return sorted(each.at for each in dataset.changes if is_end(each) and each.at <= as_of)


def _may_replace_all(change: StateChange) -> bool:
    return change.change in (*REPLACING, "DROP")


def _replaces_all(change: StateChange) -> bool:
    return change.replaced == Replaced.WHOLE or change.change == "DROP"
