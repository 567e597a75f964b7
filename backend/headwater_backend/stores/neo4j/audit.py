"""The audit log in Neo4j.

``AuditEnd`` holds the number and hash of the newest entry. A writer locks it as the last of all its locks, so writers
of several processes append one after the other, without deadlocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Final

from neo4j import ManagedTransaction

from headwater_backend.domain.audit_log import (
    START,
    AuditEntry,
    AuditNote,
    MissingNotes,
    chained,
    require_continued,
)

LOCKED_END: Final = """
MERGE (e:AuditEnd {name: 'end'})
SET e.name = 'end'
RETURN coalesce(e.number, 0) AS number, coalesce(e.hash, $start) AS hash
"""
APPEND: Final = """
UNWIND $entries AS entry
CREATE (n:AuditEntry) SET n = entry
WITH collect(entry)[-1] AS newest
MATCH (e:AuditEnd {name: 'end'})
SET e.number = newest.number, e.hash = newest.hash
"""
END: Final = """
OPTIONAL MATCH (e:AuditEnd {name: 'end'})
RETURN coalesce(e.number, 0) AS number, coalesce(e.hash, $start) AS hash
"""
OF_ACTION: Final = "MATCH (n:AuditEntry {action: $action}) RETURN n {.*} AS entry ORDER BY n.number"
ENTRIES: Final = """
MATCH (n:AuditEntry) WHERE n.number > $after
RETURN n {.*} AS entry ORDER BY n.number LIMIT $first
"""


def append(tx: ManagedTransaction, notes: Sequence[AuditNote]) -> None:
    """Append the notes, as the last write of the caller's transaction."""
    if notes:
        _write(tx, chained(notes, *_locked_end(tx)))


def append_missing(tx: ManagedTransaction, action: str, missing: MissingNotes) -> None:
    """Append the missing notes of the action. The lock comes first, so that all entries of others are seen after it."""
    end = _locked_end(tx)
    notes = missing([_entry(row) for row in tx.run(OF_ACTION, action=action).value()])
    if notes:
        _write(tx, chained(notes, *end))


def append_entries(tx: ManagedTransaction, entries: Sequence[AuditEntry]) -> None:
    """Append entries as they are; they have to continue the log."""
    require_continued(_locked_end(tx), entries)
    _write(tx, entries)


def end(tx: ManagedTransaction) -> tuple[int, str]:
    """The number and the hash of the newest entry; 0 and ``START`` when the log is empty."""
    number, digest = tx.run(END, start=START).single(strict=True).values()
    return number, digest


def _locked_end(tx: ManagedTransaction) -> tuple[int, str]:
    number, digest = tx.run(LOCKED_END, start=START).single(strict=True).values()
    return number, digest


def _write(tx: ManagedTransaction, entries: Iterable[AuditEntry]) -> None:
    tx.run(APPEND, entries=[asdict(entry) for entry in entries]).consume()


def entries(tx: ManagedTransaction, after: int, first: int) -> list[AuditEntry]:
    """Up to ``first`` entries after the one of that number, oldest first."""
    rows = tx.run(ENTRIES, after=after, first=first).value()
    return [_entry(row) for row in rows]


def _entry(row: Mapping[str, Any]) -> AuditEntry:
    """The entry of a node; a changed entry has to be found, so the node may lack properties."""
    return AuditEntry(*(row.get(part.name) for part in fields(AuditEntry)))  # type: ignore[arg-type]
