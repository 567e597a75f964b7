"""The port by which records come in."""

from __future__ import annotations

from typing import Protocol

from headwater_backend.domain.records import Batch


class Records(Protocol):
    """Merges what events say."""

    def apply(self, batch: Batch) -> None:
        """Store all records of the batch, durably and in one transaction; applying it again changes nothing. Its notes
        are appended to the audit log in the same transaction, each time.
        """
        ...
