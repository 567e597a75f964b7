"""The verbs of the store's port that no fake of ours answers: whoever asks one of them fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from typing import Any

from headwater_backend.domain.audit_log import AuditEntry, MissingNotes
from headwater_backend.domain.dead_letters import DeadLetter, LetterPlace, ListedLetter
from headwater_backend.domain.layouts import Layout
from headwater_backend.domain.model import (
    Alike,
    Claim,
    ClaimPlace,
    Correction,
    DatasetKey,
    Drift,
    JobKey,
    NodeKey,
    Pruned,
    Reading,
    Renamed,
    Run,
    RunKey,
    RunPlace,
    Unused,
    Use,
    Used,
)
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.ports import LineageStore
from headwater_backend.ports.overview import Grouped, Wanted


class Unanswered:
    """What a fake store inherits, so that it is a whole port and mypy compares it with that."""

    def grouped(self, wanted: Wanted) -> Grouped:
        raise NotImplementedError

    def decide(
        self, decisions: Callable[[Sequence[DecisionMade]], Batch], *, dry_run: bool = False
    ) -> Sequence[Renamed]:
        raise NotImplementedError

    def names(self) -> Mapping[DatasetKey, DatasetKey]:
        raise NotImplementedError

    def claims(
        self, first: int = 50, after: ClaimPlace | None = None, among: Sequence[DatasetKey] | None = None
    ) -> Sequence[Claim]:
        raise NotImplementedError

    def corrections(self) -> Sequence[Correction]:
        raise NotImplementedError

    def known_at(self, moment: datetime) -> LineageStore:
        raise NotImplementedError

    def drifts(self) -> Sequence[Drift]:
        raise NotImplementedError

    def runs_with(
        self,
        datasets: Sequence[DatasetKey],
        use: Use | None = None,
        first: int = 50,
        after: RunPlace | None = None,
    ) -> Mapping[DatasetKey, Sequence[Run]]:
        raise NotImplementedError

    def counted_alike(self, datasets: Sequence[DatasetKey], use: Use) -> Sequence[Alike]:
        raise NotImplementedError

    def jobs_with(self, datasets: Sequence[DatasetKey], use: Use) -> Mapping[DatasetKey, Sequence[JobKey]]:
        raise NotImplementedError

    def get_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        raise NotImplementedError

    def newest_runs(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Run]:
        raise NotImplementedError

    def used_by_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[Used]]:
        raise NotImplementedError

    def used_by_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[Used]]:
        raise NotImplementedError

    def child_runs(self, run_id: str, first: int = 50, after: RunPlace | None = None) -> Sequence[Run]:
        raise NotImplementedError

    def runs_below(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[RunKey]]:
        raise NotImplementedError

    def jobs_below(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[JobKey]]:
        raise NotImplementedError

    def datasets_like(
        self, text: str, first: int = 50, after: DatasetKey | None = None
    ) -> Sequence[DatasetKey]:
        raise NotImplementedError

    def jobs_like(self, text: str, first: int = 50, after: JobKey | None = None) -> Sequence[JobKey]:
        raise NotImplementedError

    def paths_like(self, text: str, first: int = 50, after: NodeKey | None = None) -> Sequence[NodeKey]:
        raise NotImplementedError

    def labelled_datasets(self) -> Mapping[DatasetKey, Mapping[str, Any]]:
        raise NotImplementedError

    def labelled_jobs(self) -> Mapping[JobKey, Mapping[str, Any]]:
        raise NotImplementedError

    def found_there(
        self, among: Sequence[DatasetKey] | None = None, as_of: datetime | None = None
    ) -> Mapping[DatasetKey, Sequence[Layout]]:
        raise NotImplementedError

    def sources(
        self,
        first: int = 50,
        after: DatasetKey | None = None,
        among: Sequence[DatasetKey] | None = None,
        as_of: datetime | None = None,
    ) -> Sequence[DatasetKey]:
        raise NotImplementedError

    def existing(self, keys: Sequence[DatasetKey], as_of: datetime | None = None) -> Set[DatasetKey]:
        raise NotImplementedError

    def unused(self, since: datetime, first: int = 50, after: DatasetKey | None = None) -> Sequence[Unused]:
        raise NotImplementedError

    def readings(
        self, dataset: DatasetKey, since: datetime, until: datetime, most: int
    ) -> tuple[Sequence[Reading], bool]:
        raise NotImplementedError

    def contents(self) -> Iterator[tuple[Any, ...]]:
        raise NotImplementedError

    def batches(self) -> Iterator[Batch]:
        raise NotImplementedError

    def prune(self, before: datetime, *, dry_run: bool = False) -> Pruned:
        raise NotImplementedError

    def audit(self, after: int = 0, first: int = 100) -> Sequence[AuditEntry]:
        raise NotImplementedError

    def audit_end(self) -> tuple[int, str]:
        raise NotImplementedError

    def append_missing_audit(self, action: str, missing: MissingNotes) -> None:
        raise NotImplementedError

    def continue_audit(self, entries: Sequence[AuditEntry]) -> None:
        raise NotImplementedError

    def keep_dead_letters(self, letters: Sequence[DeadLetter]) -> None:
        raise NotImplementedError

    def dead_letters(self, first: int = 100, after: LetterPlace | None = None) -> Sequence[ListedLetter]:
        raise NotImplementedError

    def dead_letter(self, key: str) -> DeadLetter | None:
        raise NotImplementedError

    def forget_dead_letters(self, keys: Sequence[str]) -> None:
        raise NotImplementedError
