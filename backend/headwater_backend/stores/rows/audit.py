"""The audit log. Its end is the last that a writer locks, so that writers append one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from headwater_backend.domain.audit_log import (
    START,
    AuditEntry,
    AuditNote,
    MissingNotes,
    chained,
    require_continued,
)
from headwater_backend.stores.rows.transaction import Row, Transaction, WritingTransaction


def append(tx: WritingTransaction, notes: Sequence[AuditNote]) -> None:
    """Append the notes, as the last write of the caller's transaction."""
    if notes:
        _write(tx, chained(notes, *_locked_end(tx)))


def append_missing(tx: WritingTransaction, action: str, missing: MissingNotes) -> None:
    """Append the missing notes of the action. The lock comes first, so that all entries of others are seen after it."""
    last = _locked_end(tx)
    rows = tx.rows(tx.statements.audit.of_action, action=action)
    _write(tx, chained(missing([AuditEntry(*row) for row in rows]), *last))


def append_entries(tx: WritingTransaction, entries: Sequence[AuditEntry]) -> None:
    """Append entries as they are; they have to continue the log."""
    require_continued(_locked_end(tx), entries)
    _write(tx, entries)


def end(tx: Transaction) -> tuple[int, str]:
    """The number and the hash of the newest entry; 0 and ``START`` when the log is empty."""
    return _place(tx.rows(tx.statements.audit.end))


def page(tx: Transaction, after: int, first: int) -> list[AuditEntry]:
    """Up to ``first`` entries after the one of that number, oldest first."""
    return [AuditEntry(*row) for row in tx.rows(tx.statements.audit.page, after=after, first=first)]


def _locked_end(tx: WritingTransaction) -> tuple[int, str]:
    return _place(tx.rows(tx.statements.audit.locked_end))


def _place(rows: Sequence[Row]) -> tuple[int, str]:
    return next(((number, digest) for number, digest in rows if number is not None), (0, START))


def _write(tx: WritingTransaction, entries: Iterable[AuditEntry]) -> None:
    tx.write(tx.statements.audit.append, map(asdict, entries))
