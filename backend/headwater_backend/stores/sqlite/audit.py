"""The audit log in SQLite. The one writer's transaction keeps its numbers without a gap."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from typing import Final

from headwater_backend.domain.audit_log import (
    START,
    AuditEntry,
    AuditNote,
    MissingNotes,
    chained,
    require_continued,
)

END: Final = "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1"
APPEND: Final = "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
OF_ACTION: Final = "SELECT * FROM audit WHERE action = :action ORDER BY number"
ENTRIES: Final = "SELECT * FROM audit WHERE number > :after ORDER BY number LIMIT :first"


def append(db: sqlite3.Connection, notes: Sequence[AuditNote]) -> None:
    """Append the notes, within the caller's transaction."""
    if notes:
        db.executemany(APPEND, map(astuple, chained(notes, *end(db))))


def append_missing(db: sqlite3.Connection, action: str, missing: MissingNotes) -> None:
    """Append the missing notes of the action, within the caller's transaction, which holds the lock for writing."""
    append(db, missing([AuditEntry(*row) for row in db.execute(OF_ACTION, {"action": action})]))


def append_entries(db: sqlite3.Connection, entries: Sequence[AuditEntry]) -> None:
    """Append entries as they are; they have to continue the log."""
    require_continued(end(db), entries)
    db.executemany(APPEND, map(astuple, entries))


def end(db: sqlite3.Connection) -> tuple[int, str]:
    """The number and the hash of the newest entry; 0 and ``START`` when the log is empty."""
    with _any_text(db):
        number, digest = db.execute(END).fetchone() or (0, START)
    return number, digest


def entries(db: sqlite3.Connection, after: int, first: int) -> list[AuditEntry]:
    """Up to ``first`` entries after the one of that number, oldest first."""
    with _any_text(db):
        rows = db.execute(ENTRIES, {"after": after, "first": first}).fetchall()
    return [AuditEntry(*row) for row in rows]


@contextmanager
def _any_text(db: sqlite3.Connection) -> Iterator[None]:
    """Have text read even where somebody left bytes that are no UTF-8: a changed entry has to be found."""
    db.text_factory = lambda text: text.decode(errors="surrogateescape")
    try:
        yield
    finally:
        db.text_factory = str
