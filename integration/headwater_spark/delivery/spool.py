"""A process' events for one destination, on disk until the receiver has accepted them.

A spool is a queue in a file of its own, which its process has open (see ``headwater_queue.queue``). Written events
survive the end of the process at once; that of the machine too, except for the last second of a burst. A file that no
running process has open is an orphan: the next process with the same destination adopts it. Delivery is at least
once; receivers recognise an event that they have received before.

    <folder>/1767225600000-4711-9f3c.db         events; beside it, while it is open, the last ones in …-wal
    <folder>/1767225600000-4711-9f3c.damaged    a file that could not be read any more
    <folder>/rejected.ndjson                    events that the receiver refused, with the reason

A *stream* is the events of one run, whose order is kept. It is *parked* when the receiver keeps failing on its first
event while it accepts others: then all of it waits for a pause, which grows with each attempt, also across processes,
and later events of it wait behind.

While the disk is full or cannot be written, or Python has no SQLite, events are kept in memory, up to a limit.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final

from headwater_queue.entry import FIRST_TURN, LONGEST_PAUSE, Entry
from headwater_queue.errors import QueueDamagedError, QueueError
from headwater_spark.delivery.rejected import append_rejected

if TYPE_CHECKING:
    from headwater_queue.queue import Queue

log = logging.getLogger(__name__)

SYNC_EVERY: Final = 1.0  # seconds
MEMORY_LIMIT: Final = 32_000_000  # bytes kept in memory while the disk cannot be written
FIRST_PAUSE: Final = 30.0  # seconds
GROWTH: Final = 4
_SHRINK_FROM: Final = 1_000_000  # bytes of an empty file, from which its space is given back
_IN_MEMORY: Final = 2**62  # the first id in memory, behind all on disk


class Spool:
    """The events of one process. Appending and delivering may happen in different threads.

    The methods that read raise ``QueueError`` when the file cannot be read any more.
    """

    def __init__(self, path: Path, queue: Queue | None, limit: int) -> None:
        self.path = path
        self.lost = 0
        """The number of events for which neither the disk nor the memory had room."""
        self._queue = queue
        self._limit = limit
        self._lock = threading.RLock()
        self._done: dict[int, Entry] = {}
        """Delivered events that could not be removed from disk yet."""
        self._memory: dict[int, tuple[Entry, bytes]] = {}
        self._memory_size = 0
        self._ids = count(_IN_MEMORY)

    @classmethod
    def create(cls, folder: Path, limit: int) -> Spool:
        """A new spool, in memory only if the folder cannot be written. ``limit`` is in bytes, for the whole folder."""
        try:
            for each in (folder.parent, folder):
                each.mkdir(parents=True, exist_ok=True, mode=0o700)
            room = limit - sum(map(_bytes_in, folder.iterdir()))
            queue = _create(folder)
            return cls(queue.path, queue, max(room, 0))
        except (OSError, QueueError) as error:
            log.info("events are kept in memory: %s", error)
            return cls(folder / _new_name(), None, limit)

    @classmethod
    def adopt(cls, path: Path) -> Spool | None:
        """The spool of an ended process; None if its process is running or the file does not exist.

        A damaged file is renamed.
        """
        try:
            return cls(path, _open(path, create=False), 0)
        except QueueDamagedError as error:
            _set_aside(path, error)
        except QueueError as error:
            log.debug("%s is not adopted: %s", path, error)
        return None

    @property
    def in_memory(self) -> bool:
        """Whether events cannot be written to disk at the moment."""
        return self._queue is None or bool(self._memory)

    @property
    def events(self) -> int:
        """The number of events that are not delivered, those of parked streams included."""
        with self._lock:
            return (self._queue.events if self._queue else 0) - len(self._done) + len(self._memory)

    @property
    def pending(self) -> int:
        """The number of events that are not delivered, without those of parked streams."""
        return self.events - self.parked

    @property
    def parked(self) -> int:
        """The number of events in parked streams."""
        with self._lock, suppress(QueueError):
            return self._queue.tried(1) if self._queue else 0
        return 0

    def append(self, event: str, stream: str) -> bool:
        """Append an event of that stream; False if there is no room for it."""
        content = event.encode("utf-8", "surrogatepass")
        with self._lock:
            if self._size + len(content) > self._limit:
                self.lost += 1
                return False
            if not self._memory and self._write(content, stream):
                return True
            return self._append_to_memory(content, stream)

    def next(self, after: tuple[int, int] = FIRST_TURN) -> Entry | None:
        """The next event that is due, behind a turn: those of parked streams come last."""
        with self._lock:
            found = self._due(after)
            if found is None or found.tries:
                found = next((each for each, _ in self._memory.values() if each.turn > after), found)
            return found

    def content(self, entry: Entry) -> bytes:
        """The event itself."""
        with self._lock:
            if entry.id in self._memory:
                return self._memory[entry.id][1]
            return self._queue.content(entry) if self._queue else b""

    def parked_streams(self) -> dict[str, float]:
        """The parked streams, and when each is due, in epoch seconds."""
        return self._queue.tried_streams() if self._queue else {}

    def next_due(self) -> float:
        """When the first parked stream is due; infinite if none is parked."""
        return min(self.parked_streams().values(), default=inf)

    def remove(self, entry: Entry) -> None:
        """Remove a delivered event. While the disk is full, that is only known in memory: it is sent again later."""
        with self._lock:
            if self._forget(entry) or self._queue is None:
                return
            self._done[entry.id] = entry
            with suppress(QueueError):
                self._queue.remove(tuple(self._done.values()))
                self._done.clear()
                self._queue.shrink(_SHRINK_FROM)

    def reject(self, entry: Entry, reason: str) -> bool:
        """Move an event that the receiver refused to the file of refused ones; False if it has no room: it is lost."""
        kept = append_rejected(self.path.parent, self.content(entry), reason)
        self.lost += not kept
        self.remove(entry)
        return kept

    def park(self, entry: Entry, until: float = 0) -> float | None:
        """Park an event's stream, for a pause or until that time; the time, or None if that fails now."""
        due = until or time.time() + min(FIRST_PAUSE * GROWTH ** min(entry.tries, 9), LONGEST_PAUSE)
        with self._lock:
            if entry.id in self._memory:
                if not self._write(self.content(entry), entry.stream or ""):
                    return None
                self._forget(entry)
            if self._queue is None:
                return None
            try:
                self._queue.record([(entry, due)])
            except QueueError:
                return None
        return due

    def make_due(self) -> None:
        """Make parked streams due now."""
        with suppress(QueueError):
            if self._queue:
                self._queue.make_due()

    def move_to(self, folder: Path) -> None:
        """Close the spool and move it to another destination's folder, where nothing of it is parked.

        Raises ``QueueError``. A crash leaves it in one of the two folders.
        """
        if self._queue:
            self._queue.make_due(afresh=True)
            self._queue.move(folder / _new_name())

    def discard(self) -> None:
        """Remove the spool with all its events. Raises ``QueueError``."""
        if self._queue:
            self._queue.delete()

    def close(self) -> None:
        """Close the file, and delete it if it has no event. Events that still cannot be written are lost."""
        with self._lock:
            for entry, content in tuple(self._memory.values()):
                if not self._write(content, entry.stream or ""):
                    break
                self._forget(entry)
            self.lost += len(self._memory)
            self._memory.clear()
            self._memory_size = 0
            if self._queue is None:
                return
            with suppress(QueueError):
                if self.events:
                    self._queue.close()
                else:
                    self._queue.delete()

    def set_aside(self, error: QueueError) -> None:
        """Close a spool that cannot be read; rename its file if that will not change."""
        self.close()
        if isinstance(error, QueueDamagedError):
            _set_aside(self.path, error)
        else:
            log.warning("events cannot be read now: %s", error)

    @property
    def _size(self) -> int:
        on_disk = self._queue.bytes - sum(entry.bytes for entry in self._done.values()) if self._queue else 0
        return on_disk + self._memory_size

    def _due(self, after: tuple[int, int]) -> Entry | None:
        while self._queue and (found := self._queue.due(time.time(), after=after)):
            if found[0].id not in self._done:
                return found[0]
            after = found[0].turn
        return None

    def _write(self, content: bytes, stream: str) -> bool:
        if self._queue is None:
            return False
        try:
            self._queue.append(content, time.time(), stream)
        except QueueError:
            return False
        return True

    def _append_to_memory(self, content: bytes, stream: str) -> bool:
        if self._memory_size + len(content) > MEMORY_LIMIT:
            self.lost += 1
            return False
        entry = Entry(next(self._ids), stream, 1, len(content), 0)
        self._memory[entry.id] = entry, content
        self._memory_size += len(content)
        return True

    def _forget(self, entry: Entry) -> bool:
        """Remove an event from memory; whether it was there."""
        is_there = self._memory.pop(entry.id, None) is not None
        self._memory_size -= entry.bytes * is_there
        return is_there


def orphans(folder: Path) -> Iterator[Spool]:
    """Yield the spools of ended processes, oldest first; each is open until it is closed."""
    for path in files(folder):
        if spool := Spool.adopt(path):
            yield spool


def files(folder: Path) -> list[Path]:
    """The files of all spools in a destination's folder, oldest first."""
    return sorted(folder.glob("[0-9]*.db"))


def _create(folder: Path, attempts: int = 2) -> Queue:
    """A new queue in that folder. Raises ``QueueError``."""
    path = folder / _new_name()
    try:
        return _open(path, create=True)
    except QueueError:
        with suppress(OSError):
            path.unlink()
        if attempts == 1:
            raise
    return _create(folder, attempts - 1)  # another process may have taken the new file for an orphan


def _open(path: Path, *, create: bool) -> Queue:
    try:
        from headwater_queue.queue import Queue  # noqa: PLC0415 - a Python may be built without it
    except ImportError as error:
        raise QueueError("this Python has no SQLite") from error
    return Queue.open(path, create=create, sync_every=SYNC_EVERY)


def _new_name() -> str:
    """A unique file name, in the order of creation."""
    return f"{time.time_ns() // 1_000_000:013d}-{os.getpid()}-{secrets.token_hex(4)}.db"


def _bytes_in(path: Path) -> int:
    """Bytes of a file; 0 if another process has deleted it meanwhile."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _set_aside(path: Path, error: QueueError) -> None:
    """Rename a damaged file, with its WAL."""
    aside = path.with_suffix(".damaged")
    log.warning("events cannot be read and are kept in %s: %s", aside, error)
    with suppress(OSError):
        path.rename(aside)
        path.with_name(f"{path.name}-wal").rename(f"{aside}-wal")
