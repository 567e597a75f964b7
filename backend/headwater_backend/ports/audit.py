"""The port to the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from headwater_backend.domain.audit_log import AuditEntry, MissingNotes


class AuditLog(Protocol):
    """The audit log: a chain of entries that never change."""

    def audit(self, after: int = 0, first: int = 100) -> Sequence[AuditEntry]:
        """Up to ``first`` entries of the audit log after the one of that number, oldest first. They are
        appended by ``apply``, once for each call, and by ``append_missing_audit``, and never change.
        """
        ...

    def audit_end(self) -> tuple[int, str]:
        """The number and the hash of the newest entry of the audit log; 0 and zeros when the log is empty."""
        ...

    def append_missing_audit(self, action: str, missing: MissingNotes) -> None:
        """Append the notes that ``missing`` returns for all entries of that action, in one transaction: of several
        processes that see the same thing happen, one records it. ``missing`` may be called more than once.
        """
        ...

    def continue_audit(self, entries: Sequence[AuditEntry]) -> None:
        """Append entries of another store's audit log as they are. Raises ``StoreFailedError`` unless they
        continue this one's chain.
        """
        ...
