"""A process' events for one destination, on disk until the receiver has acknowledged them.

A journal is a file of JSON lines, locked by its process with a lock that the kernel releases when the process dies, and
beside it a file with the offset up to which everything is acknowledged. Written events survive the end of the process
at once; that of the machine too, except for the last second of a burst. A journal without a running process is an
orphan: the next process with the same destination adopts it. Delivery is at least once; receivers recognise an event
that they have received before.

    <folder>/1767225600000-4711-9f3c.ndjson     events
    <folder>/1767225600000-4711-9f3c.ack        offset, in bytes
    <folder>/parked-9f86d081884c7d65.ndjson     events that are retried later (see ``parked``)
    <folder>/rejected.ndjson                    events that the receiver refused, with the reason

A reader need not stop at the oldest event: it may skip some, and acknowledge those behind them. The offset stays
before the oldest unacknowledged event. Acknowledgements behind it are only in memory, so that after a crash these
events are sent twice.

While the disk is full or cannot be written, events are kept in memory, up to a limit.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from headwater_spark.delivery.journal_files import (
    append_rejected,
    is_at,
    new_name,
    open_locked,
    read_line,
    size_of,
)

SYNC_EVERY: Final = 1.0  # seconds
MEMORY_LIMIT: Final = 32_000_000  # bytes kept in memory while the disk cannot be written
_TRUNCATE_SIZE: Final = 1_000_000  # bytes of acknowledged events after which the file is truncated


class Journal:
    """The events of one process. Appending and acknowledging may happen in different threads."""

    def __init__(self, path: Path, file: int, limit: int) -> None:
        self.path = path
        self.lost = 0
        """The number of events for which neither the disk nor the memory had room."""
        self._file = file
        self._limit = limit
        self._lock = threading.Lock()
        self._size = os.fstat(file).st_size if file >= 0 else 0
        self._offset_file = -1
        self._acknowledged = self._read_offset()
        self._done: dict[int, int] = {}
        """Start and end offsets of acknowledged events behind an unacknowledged one."""
        self._on_disk = 0
        self._memory: deque[bytes] = deque()
        self._memory_size = 0
        self._position = self._acknowledged
        self._memory_position = 0
        """The reader's position: ``_position`` on disk, and then this index in memory."""
        self._synced = time.monotonic()

    @classmethod
    def create(cls, folder: Path, limit: int) -> Journal:
        """A new journal, in memory only if the folder cannot be written. ``limit`` is in bytes."""
        path = folder / new_name()
        try:
            for each in (folder.parent, folder):
                each.mkdir(parents=True, exist_ok=True, mode=0o700)
            room = limit - sum(map(size_of, folder.glob("*.ndjson")))
            return cls(path, open_locked(path, os.O_CREAT), max(room, 0))
        except OSError:
            return cls(path, -1, limit)

    @classmethod
    def adopt(cls, path: Path) -> Journal | None:
        """The journal of an ended process; None if its process is running or the file does not exist."""
        return cls._open(path, 0)

    @classmethod
    def extend(cls, path: Path) -> Journal | None:
        """A journal that processes append to in turn; None while another has the lock or the disk cannot be written."""
        return cls._open(path, sys.maxsize, os.O_CREAT)

    @classmethod
    def _open(cls, path: Path, limit: int, flags: int = 0) -> Journal | None:
        try:
            file = open_locked(path, flags)
        except OSError:
            return None
        if not is_at(path, file):  # another process delivered and removed it before this one had the lock
            os.close(file)
            return None
        journal = cls(path, file, limit)
        journal._drop_incomplete_line()
        return journal

    @property
    def in_memory(self) -> bool:
        """Whether events cannot be written to disk at the moment."""
        return self._file < 0 or bool(self._memory)

    @property
    def is_read_ahead(self) -> bool:
        """Whether an event behind an unacknowledged one is acknowledged."""
        with self._lock:
            return bool(self._done)

    @property
    def pending(self) -> int:
        """The number of unacknowledged events."""
        with self._lock:
            return self._on_disk + len(self._memory)

    @property
    def size(self) -> int:
        """Bytes of unacknowledged events."""
        with self._lock:
            return self._size - self._acknowledged + self._memory_size

    def append(self, event: str) -> bool:
        """Append the event; False if there is no room for it."""
        line = event.encode("utf-8", "surrogatepass") + b"\n"
        with self._lock:
            if self._size - self._acknowledged + self._memory_size + len(line) > self._limit:
                self.lost += 1
                return False
            if not self._memory and self._write(line):
                self._on_disk += 1
                return True
            return self._append_to_memory(line)

    def peek(self) -> bytes | None:
        """Return the unacknowledged event at the reader's position, without moving it; None at the end."""
        with self._lock:
            self._pass_done()
            if self._position < self._size:
                return self._line_at(self._position)
            return self._memory[self._memory_position] if self._is_in_memory else None

    def skip(self) -> None:
        """Move the reader behind the event that ``peek`` returns, without acknowledging it."""
        with self._lock:
            self._pass_done()
            if self._position < self._size:
                self._position += len(self._line_at(self._position))
            elif self._is_in_memory:
                self._memory_position += 1

    def rewind(self) -> None:
        """Move the reader back to the oldest unacknowledged event."""
        with self._lock:
            self._position, self._memory_position = self._acknowledged, 0

    def acknowledge(self) -> None:
        """Mark the event that ``peek`` returns as delivered."""
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
        """Move the event that ``peek`` returns, which the receiver refused, to the file of refused events.

        False if there is no room for it, and it is lost.
        """
        kept = append_rejected(self.path.parent, self.peek() or b"", reason)
        self.lost += not kept
        self.acknowledge()
        return kept

    def move_to(self, folder: Path) -> None:
        """Move the journal to another folder of the same disk, under a new name. Raises ``OSError``.

        The offset is moved first: a crash in between loses no event, but some are sent twice.
        """
        with self._lock:
            target = folder / new_name()
            if self._ack_path.exists():
                self._ack_path.rename(target.with_suffix(".ack"))
            self.path = self.path.rename(target)

    def discard(self) -> None:
        """Remove the journal with all its events. Raises ``OSError``."""
        with self._lock:
            self._size = self._acknowledged = self._position = self._on_disk = 0
        self.close()

    def close(self) -> None:
        """Close the files, and delete them if no event is pending. Events that still cannot be written are lost."""
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
                with suppress(OSError):  # written events survive the end of the process even so
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
        """Move the offset up to the oldest unacknowledged event."""
        before = self._acknowledged
        while (end := self._done.pop(self._acknowledged, None)) is not None:
            self._acknowledged = end
        if self._acknowledged != before:
            self._position = max(self._position, self._acknowledged)
            self._write_offset()
            self._truncate_if_done()

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

    def _append_to_memory(self, line: bytes) -> bool:
        if self._memory_size + len(line) > MEMORY_LIMIT:
            self.lost += 1
            return False
        self._memory.append(line)
        self._memory_size += len(line)
        return True

    def _line_at(self, offset: int) -> bytes:
        return read_line(self._file, offset)

    def _drop_incomplete_line(self) -> None:
        """Drop the line that the ended process did not write completely, and count the others."""
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
            return  # a full disk: after a crash, some events are sent twice

    def _truncate_if_done(self) -> None:
        """Empty a large file when all events are acknowledged.

        A crash in between leaves an offset beyond the end, which ``_read_offset`` takes for 0.
        """
        if self._acknowledged == self._size >= _TRUNCATE_SIZE:
            os.ftruncate(self._file, 0)
            self._size = self._acknowledged = self._position = 0
            self._write_offset()


def orphans(folder: Path) -> Iterator[Journal]:
    """Yield the journals of ended processes, oldest first; each is locked until it is closed."""
    for path in sorted(folder.glob("[0-9]*.ndjson")):
        if journal := Journal.adopt(path):
            yield journal
