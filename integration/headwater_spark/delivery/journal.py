"""A process' events for one destination, on disk until the receiver has acknowledged them.

A journal is a file of JSON lines, held by its process with a lock that the kernel releases when the process
dies, and beside it a file with the offset up to which everything is acknowledged. What is written survives the
process at once; the machine too, except for the last second of a burst. A journal without a living process is
an orphan: the next process with the same destination adopts it. Delivery is at least once; receivers know an
event again.

    <folder>/1767225600000-4711-9f3c.ndjson     events
    <folder>/1767225600000-4711-9f3c.ack        offset, in bytes
    <folder>/parked-9f86d081884c7d65.ndjson     events that are tried again later (see ``parked``)
    <folder>/rejected.ndjson                    what the receiver refused, with the reason

A reader need not stop at the oldest event: it may skip some, and acknowledge those behind them. The offset stays
before the oldest that is not acknowledged; which ones behind it are, is known in memory alone, so that after a crash
they are sent twice.

Where the disk is full or cannot be written, events are kept in memory, up to a bound.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

SYNC_EVERY: Final = 1.0  # seconds
MEMORY_LIMIT: Final = 32_000_000  # bytes kept in memory while the disk takes nothing
REJECTED_LIMIT: Final = 64_000_000  # bytes of refused events that are put aside
_TIDY_SIZE: Final = 1_000_000  # bytes of acknowledged events after which the file starts over


class Journal:
    """The events of one process. Appending and acknowledging may happen in different threads."""

    def __init__(self, path: Path, file: int, limit: int) -> None:
        self.path = path
        self.lost = 0
        """Events that found room neither on disk nor in memory."""
        self._file = file
        self._limit = limit
        self._lock = threading.Lock()
        self._size = os.fstat(file).st_size if file >= 0 else 0
        self._offset_file = -1
        self._acknowledged = self._read_offset()
        self._done: dict[int, int] = {}
        """Where events begin and end that are acknowledged behind one that is not."""
        self._on_disk = 0
        self._memory: deque[bytes] = deque()
        self._memory_size = 0
        self._position = self._acknowledged
        self._memory_position = 0
        """The reader's place: on disk, and behind that in memory."""
        self._synced = time.monotonic()

    @classmethod
    def create(cls, folder: Path, limit: int) -> Journal:
        """A new journal; in memory alone where the folder cannot be written. ``limit`` is in bytes."""
        path = folder / _new_name()
        try:
            for each in (folder.parent, folder):
                each.mkdir(parents=True, exist_ok=True, mode=0o700)
            room = limit - sum(map(_size_of, folder.glob("*.ndjson")))
            return cls(path, _locked(path, os.O_CREAT), max(room, 0))
        except OSError:
            return cls(path, -1, limit)

    @classmethod
    def adopt(cls, path: Path) -> Journal | None:
        """A dead process' journal, or None when its process lives or it is gone."""
        return cls._held(path, 0)

    @classmethod
    def extend(cls, path: Path) -> Journal | None:
        """A journal that each process may append to, in turn; None while another holds it or the disk takes nothing."""
        return cls._held(path, sys.maxsize, os.O_CREAT)

    @classmethod
    def _held(cls, path: Path, limit: int, more: int = 0) -> Journal | None:
        try:
            file = _locked(path, more)
        except OSError:
            return None
        if not _is_at(path, file):  # another process has delivered and removed it before we had the lock
            os.close(file)
            return None
        journal = cls(path, file, limit)
        journal._forget_torn_line()
        return journal

    @property
    def in_memory(self) -> bool:
        """Whether the disk does not take events at the moment."""
        return self._file < 0 or bool(self._memory)

    @property
    def is_read_ahead(self) -> bool:
        """Whether an event is acknowledged behind one that is not."""
        with self._lock:
            return bool(self._done)

    @property
    def pending(self) -> int:
        """Events that are not acknowledged."""
        with self._lock:
            return self._on_disk + len(self._memory)

    @property
    def size(self) -> int:
        """Bytes that are not acknowledged."""
        with self._lock:
            return self._size - self._acknowledged + self._memory_size

    def append(self, event: str) -> bool:
        """Keep the event; False when there is no room for it anywhere."""
        line = event.encode("utf-8", "surrogatepass") + b"\n"
        with self._lock:
            if self._size - self._acknowledged + self._memory_size + len(line) > self._limit:
                self.lost += 1
                return False
            if not self._memory and self._write(line):
                self._on_disk += 1
                return True
            return self._remember(line)

    def peek(self) -> bytes | None:
        """The event at the reader's place, which is not acknowledged; a second look gives the same."""
        with self._lock:
            self._pass_done()
            if self._position < self._size:
                return self._line_at(self._position)
            return self._memory[self._memory_position] if self._is_in_memory else None

    def skip(self) -> None:
        """Go on behind the event that ``peek`` gives, which waits."""
        with self._lock:
            self._pass_done()
            if self._position < self._size:
                self._position += len(self._line_at(self._position))
            elif self._is_in_memory:
                self._memory_position += 1

    def rewind(self) -> None:
        """Go back to the oldest event that is not acknowledged."""
        with self._lock:
            self._position, self._memory_position = self._acknowledged, 0

    def acknowledge(self) -> None:
        """The event that ``peek`` gives has arrived."""
        with self._lock:
            self._pass_done()
            if self._position < self._size:
                end = self._position + len(self._line_at(self._position))
                self._done[self._position] = end
                self._position = end
                self._on_disk -= 1
                self._advance()
            elif self._is_in_memory:
                self._memory_size -= len(self._memory[self._memory_position])
                del self._memory[self._memory_position]

    def reject(self, reason: str) -> bool:
        """The receiver does not want the event that ``peek`` gives: it is put aside, with the reason.

        False when there is no room for it, and it is lost.
        """
        line = self.peek() or b""
        entry = {"time": time.time_ns() // 1_000_000, "reason": reason, "event": _event(line)}
        kept = _put_aside(self.path.parent / "rejected.ndjson", json.dumps(entry))
        self.lost += not kept
        self.acknowledge()
        return kept

    def move_to(self, folder: Path) -> None:
        """Let the events wait in another folder of the same disk, under a new name. Raises ``OSError``.

        The offset goes first: a crash in between costs no event, some are sent twice.
        """
        with self._lock:
            target = folder / _new_name()
            if self._ack_path.exists():
                self._ack_path.rename(target.with_suffix(".ack"))
            self.path = self.path.rename(target)

    def discard(self) -> None:
        """Remove the journal with all its events. Raises ``OSError``."""
        with self._lock:
            self._size = self._acknowledged = self._position = self._on_disk = 0
        self.close()

    def close(self) -> None:
        """Let go of the files; without pending events they are removed. What the disk still does not take is lost."""
        with self._lock:
            while self._memory and self._write(self._memory[0]):
                self._memory.popleft()
                self._on_disk += 1
            self.lost += len(self._memory)
            self._memory.clear()
            self._memory_size = 0
            if self._file < 0:
                return
            if self._on_disk:
                with suppress(OSError):  # what was written outlives the process nevertheless
                    os.fsync(self._file)
            else:
                self.path.unlink(missing_ok=True)
                self._ack_path.unlink(missing_ok=True)
            os.close(self._file)
            if self._offset_file >= 0:
                os.close(self._offset_file)
            self._file = self._offset_file = -1

    @property
    def _ack_path(self) -> Path:
        return self.path.with_suffix(".ack")

    @property
    def _is_in_memory(self) -> bool:
        return self._memory_position < len(self._memory)

    def _pass_done(self) -> None:
        while (end := self._done.get(self._position)) is not None:
            self._position = end

    def _advance(self) -> None:
        """Move the offset up to the oldest event that is not acknowledged."""
        before = self._acknowledged
        while (end := self._done.pop(self._acknowledged, None)) is not None:
            self._acknowledged = end
        if self._acknowledged != before:
            self._position = max(self._position, self._acknowledged)
            self._write_offset()
            self._tidy()

    def _write(self, line: bytes) -> bool:
        if self._file < 0:
            return False
        try:
            written = os.write(self._file, line)
            if written < len(line):
                os.ftruncate(self._file, self._size)
                return False
            self._size += written
            self._sync()
        except OSError:
            return False
        return True

    def _sync(self) -> None:
        if time.monotonic() - self._synced > SYNC_EVERY:
            os.fsync(self._file)
            self._synced = time.monotonic()

    def _remember(self, line: bytes) -> bool:
        if self._memory_size + len(line) > MEMORY_LIMIT:
            self.lost += 1
            return False
        self._memory.append(line)
        self._memory_size += len(line)
        return True

    def _line_at(self, offset: int) -> bytes:
        return b"".join(_chunks_to_newline(self._file, offset))

    def _forget_torn_line(self) -> None:
        """Drop what its process had not written to the end, and count the rest."""
        content = os.pread(self._file, max(self._size - self._acknowledged, 0), self._acknowledged)
        whole = content[: content.rfind(b"\n") + 1]
        self._size = self._acknowledged + len(whole)
        self._on_disk = whole.count(b"\n")
        self.lost += len(whole) < len(content)
        os.ftruncate(self._file, self._size)

    def _read_offset(self) -> int:
        try:
            offset = int(self._ack_path.read_text())
        except (OSError, ValueError):
            return 0
        return offset if offset <= self._size else 0

    def _write_offset(self) -> None:
        try:
            if self._offset_file < 0:
                self._offset_file = os.open(self._ack_path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            os.pwrite(self._offset_file, f"{self._acknowledged:020d}".encode(), 0)
        except OSError:
            return  # a full disk: after a crash, the receiver sees some events twice

    def _tidy(self) -> None:
        """Start over when everything is acknowledged. A crash in between leaves an offset beyond the end."""
        if self._acknowledged == self._size >= _TIDY_SIZE:
            os.ftruncate(self._file, 0)
            self._size = self._acknowledged = self._position = 0
            self._write_offset()


def _put_aside(path: Path, line: str) -> bool:
    try:
        with path.open("a", encoding="utf-8") as file:
            if file.tell() + len(line) > REJECTED_LIMIT:
                return False
            file.write(line + "\n")
    except OSError:
        return False
    return True


def orphans(folder: Path) -> Iterator[Journal]:
    """The journals of dead processes, oldest first; each is held until it is closed."""
    for path in sorted(folder.glob("[0-9]*.ndjson")):
        if journal := Journal.adopt(path):
            yield journal


def _new_name() -> str:
    return f"{time.time_ns() // 1_000_000:013d}-{os.getpid()}-{secrets.token_hex(4)}.ndjson"


def _locked(path: Path, more: int = 0) -> int:
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | more, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise
    return file


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:  # delivered by another process meanwhile
        return 0


def _is_at(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except OSError:
        return False


def _chunks_to_newline(file: int, offset: int, chunk: int = 65_536) -> Iterator[bytes]:
    while data := os.pread(file, chunk, offset):
        end = data.find(b"\n") + 1
        yield data[:end] if end else data
        if end:
            return
        offset += len(data)


def _event(line: bytes) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return line.decode("utf-8", "replace")
