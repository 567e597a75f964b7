"""Reading and checking the audit log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headwater_backend.audit.entries import AuditEntry, Broken, breaks
from headwater_backend.errors import BadQuestion
from headwater_backend.ports import LineageStore

PAGE = 50
MOST = 1_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """What ``verify`` found; ``expected`` is whether the hash that was asked for is in the log, None without one."""

    entries: int
    hash: str
    broken: tuple[Broken, ...]
    expected: bool | None = None

    @property
    def sound(self) -> bool:
        return not self.broken and self.expected is not False


def newest(store: LineageStore, first: int = PAGE, before: int | None = None) -> Sequence[AuditEntry]:
    """Up to ``first`` entries, newest first, older than the one of the number ``before``."""
    if not 0 < first <= MOST:
        raise BadQuestion(f"first is from 1 to {MOST}, and not {first}")
    if before is not None and before < 1:
        raise BadQuestion(f"before is the number of an entry, and not {before}")
    end = before or store.audit_end()[0] + 1
    start = max(0, end - 1 - first)
    return [entry for entry in reversed(store.audit(start, first)) if entry.number < end]


def oldest(store: LineageStore) -> Iterator[AuditEntry]:
    """All entries, oldest first."""
    after = 0
    while found := store.audit(after, MOST):
        yield from found
        after = found[-1].number


def verify(store: LineageStore, expected: str | None = None) -> Verdict:
    """Whether the log holds together from its first entry to its end, and still has the entry of that hash."""
    number, end = store.audit_end()
    hashes: list[str] = []
    seen = False

    def watched() -> Iterator[AuditEntry]:
        nonlocal seen
        for entry in oldest(store):
            if entry.number > number:
                return
            seen = seen or entry.hash == expected
            hashes[:] = [entry.hash]
            yield entry

    broken = list(breaks(watched()))
    if (hashes or [end])[0] != end:
        broken.append(Broken(number, "is the newest as the store remembers it, and is not there as it was"))
    return Verdict(number, end, tuple(broken), None if expected is None else seen)
