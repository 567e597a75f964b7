"""The verbs of a store that are refused to a caller who sees the names of some namespaces only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NoReturn

from headwater_backend.domain.audit_log import AuditEntry, MissingNotes
from headwater_backend.domain.dead_letters import DeadLetter, LetterPlace, ListedLetter
from headwater_backend.domain.errors import Forbidden
from headwater_backend.domain.model import Claim, ClaimPlace, Correction, DatasetKey, Pruned, Renamed
from headwater_backend.domain.records import Batch, DecisionMade


class RefusingStore:
    """What would name things of all namespaces, or change them; each raises ``Forbidden``."""

    def names(self) -> Mapping[DatasetKey, DatasetKey]:
        refuse()

    def decide(
        self, decisions: Callable[[Sequence[DecisionMade]], Batch], *, dry_run: bool = False
    ) -> Sequence[Renamed]:
        refuse()

    def claims(
        self, first: int = 50, after: ClaimPlace | None = None, among: Sequence[DatasetKey] | None = None
    ) -> Sequence[Claim]:
        refuse()

    def corrections(self) -> Sequence[Correction]:
        refuse()

    def append_missing_audit(self, action: str, missing: MissingNotes) -> None:
        refuse()

    def continue_audit(self, entries: Sequence[AuditEntry]) -> None:
        refuse()

    def keep_dead_letters(self, letters: Sequence[DeadLetter]) -> None:
        refuse()

    def dead_letters(self, first: int = 100, after: LetterPlace | None = None) -> Sequence[ListedLetter]:
        refuse()

    def dead_letter(self, key: str) -> DeadLetter | None:
        refuse()

    def forget_dead_letters(self, keys: Sequence[str]) -> None:
        refuse()

    def contents(self) -> Iterator[tuple[Any, ...]]:
        refuse()

    def batches(self) -> Iterator[Batch]:
        refuse()

    def prune(self, before: datetime, *, dry_run: bool = False) -> Pruned:
        refuse()


def refuse() -> NoReturn:
    """Raise ``Forbidden``."""
    raise Forbidden(
        "you see the names of some namespaces only, and this names others",
        "ask an auditor or an administrator",
    )
