"""Anchors of the audit log: its newest entry's number and hash, noted where whoever changes the store does not reach.

The chain of the log shows what was changed in it, and not that its end was cut off, or that it was computed anew as a
whole. An anchor does: the entry of its number has to have its hash for ever. It is a line of a file, a line of the
server's log, or a signed message; ``anchors_in`` reads all of them, so that what a receiver or a collector of logs kept
can be compared as well.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Final

from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.ports import AuditLog

KIND: Final = "audit.anchored"
_ANCHOR: Final = re.compile(r'\bnumber"?\s*[=:]\s*"?(\d{1,18})"?,?\s*"?hash"?\s*[=:]\s*"?([0-9a-f]{64})\b')


class AnchorsUnreadable(HeadwaterError):  # noqa: N818, the name describes the condition
    """A file of anchors that is not there, or holds none."""

    code = "ANCHORS"


@dataclass(frozen=True, slots=True, order=True)
class Anchor:
    """The number and the hash that an entry of the audit log had."""

    number: int
    hash: str

    def text(self) -> str:
        """The anchor as a line of a log has it."""
        return f"number={self.number} hash={self.hash}"


def end_of(store: AuditLog) -> Anchor | None:
    """The anchor of the newest entry; None of an empty log."""
    number, digest = store.audit_end()
    return Anchor(number, digest) if number else None


def is_in(store: AuditLog, anchor: Anchor) -> bool:
    """Whether the entry of that number is in the log, and has that hash."""
    found = store.audit(anchor.number - 1, 1)
    return bool(found) and (found[0].number, found[0].hash) == (anchor.number, anchor.hash)


def append(file: Path, anchor: Anchor) -> None:
    """Add the anchor to the file, durably. Raises ``OSError``."""
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    line = json.dumps({"type": KIND, "time": now, "number": anchor.number, "hash": anchor.hash}) + "\n"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, line.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def anchors_in(lines: Iterable[str]) -> Iterator[Anchor]:
    """The anchors of lines of a file, of a log, or of messages; other lines have none."""
    for line in lines:
        for number, digest in _ANCHOR.findall(line):
            yield Anchor(int(number), digest)


def read(file: Path) -> tuple[Anchor, ...]:
    """The anchors of a file, each once, in the order of their numbers. Raises ``AnchorsUnreadable``."""
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            found = sorted(set(anchors_in(lines)))
    except OSError as error:
        hint = "without its anchors, it is not known whether the log was cut off"
        raise AnchorsUnreadable(f"{file}: {error.strerror}", hint) from error
    if not found:
        raise AnchorsUnreadable(f"{file} holds no anchor of an audit log", "was it emptied?")
    return tuple(found)
