"""The ports over a database that executes statements."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from headwater_backend.domain.audit_log import AuditEntry, MissingNotes
from headwater_backend.domain.dead_letters import DeadLetter, LetterPlace, ListedLetter
from headwater_backend.domain.layouts import Layout
from headwater_backend.domain.model import (
    Alike,
    Claim,
    ClaimPlace,
    Correction,
    Dataset,
    DatasetKey,
    DatasetPage,
    Drift,
    Incomplete,
    Job,
    JobKey,
    Making,
    NodeKey,
    PathSteps,
    Pruned,
    Reading,
    Renamed,
    Run,
    RunKey,
    RunPlace,
    Unused,
    Use,
    Used,
    Writer,
)
from headwater_backend.domain.moments import micros
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.in_force.current import FOREVER
from headwater_backend.ports.decisions import Decisions
from headwater_backend.ports.overview import Grouped, Wanted
from headwater_backend.stores.dataset_names import KnownNaming
from headwater_backend.stores.rows import (
    audit,
    catalog,
    dead_letters,
    gaps,
    history,
    layouts,
    names,
    pruning,
    runs,
    use,
    writing,
)
from headwater_backend.stores.rows.transaction import Transaction, WritingTransaction

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")

_SLOTS_AT_ONCE: Final = 500
_COMPARED_AT_ONCE: Final = 500
"""Datasets whose layouts are compared in one transaction."""


class RowStore:
    """A ``LineageStore``, but for ``neighbours``, what copies a whole store, ``ping`` and ``close``."""

    def __init__(self, naming: KnownNaming) -> None:
        self._naming = naming
        self._decisions = Decisions()
        self._known = FOREVER

    def known_at(self, moment: datetime) -> Self:
        found = copy.copy(self)
        found._known = micros(moment)
        return found

    @abstractmethod
    def _read(self, reading: Callable[[Transaction], T]) -> T:
        """The result of reading in one transaction, which ends at the question's deadline."""

    @abstractmethod
    def _write(self, writing: Callable[[WritingTransaction], T], *, keep: bool = True) -> T:
        """The result of writing in one transaction; without ``keep``, it is rolled back in the end."""

    def _compare_layouts(self) -> None:
        """Compare all layouts again: a migration may have changed what the comparison depends on."""
        names = self._read(layouts.datasets)
        for start in range(0, len(names), _COMPARED_AT_ONCE):
            some = names[start : start + _COMPARED_AT_ONCE]
            self._write(partial(layouts.write, batch=Batch(), names=some))

    def apply(self, batch: Batch) -> None:
        self._write(lambda tx: writing.apply(tx, batch, self._naming))
        self._naming.keep()

    def paths(self, datasets: Sequence[DatasetKey]) -> Mapping[DatasetKey, Sequence[PathSteps]]:
        return self._read(lambda tx: catalog.paths(tx, datasets))

    def incomplete(
        self,
        datasets: Sequence[DatasetKey],
        as_of: datetime | None = None,
        *,
        earlier: bool = False,
        only: str | None = None,
    ) -> Sequence[Incomplete]:
        return self._read(lambda tx: gaps.incomplete(tx, datasets, as_of, earlier=earlier, only=only))

    def possible_outputs(
        self, datasets: Sequence[DatasetKey], as_of: datetime | None = None, *, earlier: bool = False
    ) -> Mapping[DatasetKey, Sequence[Incomplete]]:
        return self._read(lambda tx: gaps.possible_outputs(tx, datasets, as_of, earlier=earlier))

    def drifts(self) -> Sequence[Drift]:
        return self._read(layouts.drifts)

    def readings(
        self, dataset: DatasetKey, since: datetime, until: datetime, most: int
    ) -> tuple[Sequence[Reading], bool]:
        return self._read(lambda tx: use.read_paths(tx, dataset, since, until, most))

    def writers(self, datasets: Sequence[DatasetKey], as_of: datetime | None = None) -> Sequence[Writer]:
        return self._read(lambda tx: history.writers_of(tx, datasets, as_of))

    def conditions(
        self, versions: Collection[str], as_of: datetime | None = None
    ) -> Mapping[str, Sequence[Making]]:
        return self._read(lambda tx: history.makings_of(tx, versions, as_of))

    def sources(
        self,
        first: int = 50,
        after: DatasetKey | None = None,
        among: Sequence[DatasetKey] | None = None,
        as_of: datetime | None = None,
    ) -> Sequence[DatasetKey]:
        return self._read(lambda tx: use.sources(tx, first, after, among, as_of))

    def found_there(
        self, among: Sequence[DatasetKey] | None = None, as_of: datetime | None = None
    ) -> Mapping[DatasetKey, Sequence[Layout]]:
        return self._read(lambda tx: use.found_there(tx, among, as_of))

    def existing(self, keys: Sequence[DatasetKey], as_of: datetime | None = None) -> Set[DatasetKey]:
        return self._read(lambda tx: use.existing(tx, keys, as_of))

    def unused(self, since: datetime, first: int = 50, after: DatasetKey | None = None) -> Sequence[Unused]:
        return self._read(lambda tx: use.unused(tx, since, first, after))

    def get_datasets(self, keys: Sequence[DatasetKey]) -> Mapping[DatasetKey, Dataset]:
        return self._read(lambda tx: catalog.get_datasets(tx, keys))

    def datasets(self, search: str | None = None, first: int = 50, after: str | None = None) -> DatasetPage:
        return self._read(lambda tx: catalog.datasets(tx, search, first, after))

    def dataset_keys(self) -> Sequence[DatasetKey]:
        return self._read(catalog.dataset_keys)

    def datasets_like(
        self, text: str, first: int = 50, after: DatasetKey | None = None
    ) -> Sequence[DatasetKey]:
        return self._read(lambda tx: catalog.datasets_like(tx, text, first, after))

    def paths_like(self, text: str, first: int = 50, after: NodeKey | None = None) -> Sequence[NodeKey]:
        return self._read(lambda tx: catalog.paths_like(tx, text, first, after))

    def jobs_like(self, text: str, first: int = 50, after: JobKey | None = None) -> Sequence[JobKey]:
        return self._read(lambda tx: catalog.jobs_like(tx, text, first, after))

    def labelled_datasets(self) -> Mapping[DatasetKey, Mapping[str, Any]]:
        return self._read(catalog.labelled_datasets)

    def labelled_jobs(self) -> Mapping[JobKey, Mapping[str, Any]]:
        return self._read(catalog.labelled_jobs)

    def tagged_fields(self) -> Sequence[tuple[NodeKey, str, str]]:
        return self._read(catalog.tagged_fields)

    def decisions(self) -> Decisions:
        known = self._decisions
        found = self._decisions = self._read(lambda tx: names.known_decisions(tx, known))
        return found if self._known == FOREVER else found.made_by(self._known)

    def names(self) -> Mapping[DatasetKey, DatasetKey]:
        return self._read(names.names)

    def decide(
        self, decisions: Callable[[Sequence[DecisionMade]], Batch], *, dry_run: bool = False
    ) -> Sequence[Renamed]:
        return self._write(lambda tx: writing.decide(tx, decisions, self._decisions), keep=not dry_run)

    def claims(
        self, first: int = 50, after: ClaimPlace | None = None, among: Sequence[DatasetKey] | None = None
    ) -> Sequence[Claim]:
        return self._read(lambda tx: catalog.claimed(tx, first, after, among))

    def corrections(self) -> Sequence[Correction]:
        return self._read(gaps.corrections)

    def runs(self, job: JobKey, first: int = 50, after: RunPlace | None = None) -> Sequence[Run]:
        return self._read(lambda tx: runs.of_job(tx, job, first, after))

    def runs_with(
        self,
        datasets: Sequence[DatasetKey],
        use: Use | None = None,
        first: int = 50,
        after: RunPlace | None = None,
    ) -> Mapping[DatasetKey, Sequence[Run]]:
        return self._read(lambda tx: runs.with_datasets(tx, datasets, use, first, after))

    def jobs_with(self, datasets: Sequence[DatasetKey], use: Use) -> Mapping[DatasetKey, Sequence[JobKey]]:
        return self._read(lambda tx: runs.jobs_with_datasets(tx, datasets, use))

    def counted_alike(self, datasets: Sequence[DatasetKey], use: Use) -> Sequence[Alike]:
        return self._read(lambda tx: runs.counted_alike(tx, datasets, use))

    def grouped(self, wanted: Wanted) -> Grouped:
        return self._read(lambda tx: use.grouped(tx, wanted))

    def newest_runs(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Run]:
        return self._read(lambda tx: runs.newest(tx, jobs))

    def get_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        return self._read(lambda tx: runs.get_runs(tx, keys))

    def get_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Job]:
        return self._read(lambda tx: runs.get_jobs(tx, keys))

    def used_by_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[Used]]:
        return self._read(lambda tx: runs.used_by_jobs(tx, keys))

    def used_by_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[Used]]:
        return self._read(lambda tx: runs.used_by_runs(tx, keys))

    def child_runs(self, run_id: str, first: int = 50, after: RunPlace | None = None) -> Sequence[Run]:
        return self._read(lambda tx: runs.children(tx, run_id, first, after))

    def runs_below(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[RunKey]]:
        return self._read(lambda tx: runs.runs_below(tx, keys))

    def jobs_below(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[JobKey]]:
        return self._read(lambda tx: runs.jobs_below(tx, keys))

    def prune(self, before: datetime, *, dry_run: bool = False) -> Pruned:
        at, total, after = micros(before), Pruned(), ""
        shown_by = self._showing_what_is_left(at)
        while True:
            step = partial(pruning.page, before=at, after=after, shown_by=shown_by, dry_run=dry_run)
            last, gone = self._write(step)
            if last is None:
                if not dry_run and total.runs:
                    self._write(names.settle)
                    self._write(pruning.forget_conditions)
                return total
            total, after = total + gone, last

    def _showing_what_is_left(self, before: int) -> set[str]:
        slots = [slot for slot, *_ in self._read(lambda tx: tx.rows(tx.statements.current.slots))]
        found: set[str] = set()
        for start in range(0, len(slots), _SLOTS_AT_ONCE):
            some = slots[start : start + _SLOTS_AT_ONCE]
            found |= self._read(partial(pruning.showing_what_is_left, slots=some, before=before))
        return found

    def audit(self, after: int = 0, first: int = 100) -> Sequence[AuditEntry]:
        return self._read(lambda tx: audit.page(tx, after, first))

    def audit_end(self) -> tuple[int, str]:
        return self._read(audit.end)

    def append_missing_audit(self, action: str, missing: MissingNotes) -> None:
        self._write(lambda tx: audit.append_missing(tx, action, missing))

    def continue_audit(self, entries: Sequence[AuditEntry]) -> None:
        self._write(lambda tx: audit.append_entries(tx, entries))

    def keep_dead_letters(self, letters: Sequence[DeadLetter]) -> None:
        self._write(lambda tx: dead_letters.keep(tx, letters))

    def dead_letters(self, first: int = 100, after: LetterPlace | None = None) -> Sequence[ListedLetter]:
        return self._read(lambda tx: dead_letters.page(tx, first, after))

    def dead_letter(self, key: str) -> DeadLetter | None:
        return self._read(lambda tx: dead_letters.one(tx, key))

    def forget_dead_letters(self, keys: Sequence[str]) -> None:
        self._write(lambda tx: dead_letters.forget(tx, keys))
