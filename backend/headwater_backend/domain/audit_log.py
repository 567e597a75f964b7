"""The entries of the audit log, and the chain that holds them together.

Theory of operation
===================

A *note* records what somebody did. The store appends it, in the transaction of the action itself, as an *entry*: the
note, its number (1, 2, 3, … without a gap), the hash of the entry before it, and its own hash over all of that. So an
entry that is changed, left out, put in or moved breaks the chain from there on, and ``verify`` names the place. Whoever
can write to the database could compute a new chain to the end, or cut the end off; a hash that was noted elsewhere
reveals that: servers note them (``audit.anchors``), and ``headwater audit verify`` looks for them.

A note holds names: of callers, jobs, datasets, paths. It never holds data, keys or the content of an event.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from headwater_backend.domain.errors import StoreFailedError
from headwater_backend.domain.moments import micros

START = "0" * 64
"""The hash before the first entry."""


@dataclass(frozen=True, slots=True)
class AuditNote:
    """A record of what somebody did. ``time`` is in microseconds since 1970; ``details`` are of JSON's types."""

    actor: str
    action: str
    result: str
    request: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    time: int = field(default_factory=lambda: micros(datetime.now(timezone.utc)))

    def details_text(self) -> str:
        """The details as JSON that is the same for equal details."""
        return json.dumps(self.details, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A note at its place in the chain. ``details`` is the JSON text that was hashed."""

    number: int
    time: int
    actor: str
    action: str
    result: str
    request: str
    details: str
    previous: str
    hash: str

    def is_unchanged(self) -> bool:
        """Whether the entry is as it was written. Whoever writes to the database may leave values of any type."""
        texts = (self.actor, self.action, self.result, self.request, self.details, self.previous, self.hash)
        of_our_types = is_number(self.time) and all(isinstance(text, str) for text in texts)
        return of_our_types and self.hash == self.computed_hash()

    def computed_hash(self) -> str:
        """The value of ``hash`` in an unchanged entry."""
        return _digest(
            self.number,
            self.time,
            self.actor,
            self.action,
            self.result,
            self.request,
            self.details,
            self.previous,
        )


MissingNotes = Callable[[Sequence[AuditEntry]], Sequence[AuditNote]]
"""From the log's entries of one action, oldest first, to the notes that are missing among them."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A place at which the chain breaks, and the reason."""

    number: int
    reason: str


def chained(notes: Iterable[AuditNote], number: int, previous: str) -> Iterator[AuditEntry]:
    """The entries of the notes, to follow the entry of that number and hash."""
    for note in notes:
        number += 1
        content = (number, note.time, note.actor, note.action, note.result, note.request, note.details_text())
        digest = _digest(*content, previous)
        yield AuditEntry(*content, previous, digest)
        previous = digest


def breaks(entries: Iterable[AuditEntry], number: int = 0, previous: str = START) -> Iterator[Broken]:
    """Every place at which the chain, which follows the entry of that number and hash, does not hold."""
    for entry in entries:
        if not is_number(entry.number):
            yield Broken(number + 1, "has no number any more")
            number, previous = number + 1, entry.hash
            continue
        if entry.number != number + 1:
            yield Broken(entry.number, f"follows entry {number}: what was between them is missing")
        elif entry.previous != previous:
            yield Broken(entry.number, "does not follow the entry before it: one of them was replaced")
        if not entry.is_unchanged():
            yield Broken(entry.number, "was changed after it was written")
        number, previous = entry.number, entry.hash


def is_number(value: object) -> bool:
    """Whether the value is a number: somebody who writes to the database may have left anything instead."""
    return isinstance(value, int)


def _digest(*content: int | str) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def require_continued(end: tuple[int, str], entries: Iterable[AuditEntry]) -> None:
    """Raise ``StoreFailedError`` unless the entries continue the audit log with that end (number, hash)."""
    for broken in breaks(entries, *end):
        raise StoreFailedError(f"entry {broken.number} of the audit log {broken.reason}")
