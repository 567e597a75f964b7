"""Reading and checking the audit log."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from headwater_backend.audit.anchors import Anchor
from headwater_backend.domain.audit_log import AuditEntry, Broken, breaks, is_number
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.ports import AuditLog

PAGE = 50
MOST = 1_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of ``verify``; ``expected`` is whether the expected hash is in the log, None without one.

    ``anchors`` is the number of anchors that were compared, and ``missing`` are those whose entry is not in the log.
    """

    entries: int
    hash: str
    broken: tuple[Broken, ...]
    expected: bool | None = None
    anchors: int = 0
    missing: tuple[Anchor, ...] = ()

    @property
    def sound(self) -> bool:
        return not self.broken and self.expected is not False and not self.missing


def newest(store: AuditLog, first: int = PAGE, before: int | None = None) -> Sequence[AuditEntry]:
    """Up to ``first`` entries, newest first, older than the one of the number ``before``."""
    if not 0 < first <= MOST:
        raise BadQuestion(f"first is from 1 to {MOST}, and not {first}")
    if before is not None and before < 1:
        raise BadQuestion(f"before is the number of an entry, and not {before}")
    end = before or store.audit_end()[0] + 1
    start = max(0, end - 1 - first)
    return [entry for entry in reversed(store.audit(start, first)) if entry.number < end]


def oldest(store: AuditLog) -> Iterator[AuditEntry]:
    """All entries, oldest first."""
    after = 0
    while found := store.audit(after, MOST):
        yield from found
        if not is_number(found[-1].number):
            return  # somebody replaced the number by another type, which sorts after all numbers
        after = found[-1].number


def verify(store: AuditLog, expected: str | None = None, anchors: Collection[Anchor] = ()) -> Verdict:
    """Check the chain of the log from its first entry to its end, and whether it has the entry of that hash, and those
    of the anchors, which have to be made before.
    """
    number, end = store.audit_end()
    count, newest_hash, seen, missing = 0, end, False, set(anchors)

    def watched() -> Iterator[AuditEntry]:
        nonlocal count, newest_hash, seen
        for entry in oldest(store):
            if is_number(entry.number) and is_number(number) and entry.number > number:
                return
            count, newest_hash, seen = count + 1, entry.hash, seen or entry.hash == expected
            missing.discard(Anchor(entry.number, entry.hash))
            yield entry

    broken = list(breaks(watched()))
    entries = number if is_number(number) else count
    if newest_hash != end:
        broken.append(Broken(entries, "is the newest according to the store, and is missing or was changed"))
    known = None if expected is None else seen
    return Verdict(entries, _printable(end), tuple(broken), known, len(set(anchors)), tuple(sorted(missing)))


def _printable(digest: object) -> str:
    """The hash, or an ASCII form of what somebody left in its place."""
    return digest if isinstance(digest, str) and digest.isalnum() else ascii(digest)
