"""A queue of entries in one SQLite file, which one process at a time has open.

Theory of operation
===================

An *entry* is some bytes that wait: a row from the commit that appends it to the commit that removes it. So there is
nothing to repair after a crash.

*One process at a time.* The file is in WAL mode with exclusive locking: whoever opens it has a lock on it until it is
closed, and the kernel releases the lock of a process that ends, however it ends. Everybody else is refused at once.
The index of the WAL is in memory then, so that file systems that share no memory will do. As with all POSIX locks,
nothing else in the same process may open the file and close it, which would release the lock; and a forked child must
leave the queue alone.

*Durable.* What is committed survives the end of the process. With ``sync_every=0`` it also survives that of the
machine; otherwise, the first append after so many seconds syncs all that came before.

*Damaged.* What SQLite drops of a damaged write-ahead log (``salvage``) is appended again when the queue is opened, with
its attempts: ``salvaged`` is the number of events. The queue does not know what is in an entry. Where whoever appended
it can tell whether it is whole (``checked``), a file whose pages are damaged is copied to a name of its own
(``….damaged-…``), and begun anew with the entries that can be read, which count as salvaged; of a row that is damaged
beside its content, the turn and the stream are forgotten, and it counts as one event. Any other damaged file is
refused, and left as it is.

*Removed.* A file that was removed, moved or replaced while it is open takes no entries any more, since they would be
gone with it. Where its write-ahead log was, what the open one holds is copied into the file, and a new one is begun.

*Turns.* An attempt is recorded with the time at which the next one is due. Entries with fewer attempts come first, and
then those that are older. The entries of a *stream* keep their order: an attempt counts for all of them, and an entry
that is appended to a stream with attempts joins it. An entry without a stream is independent of all others::

    append("a", "run 1"), append("b", "run 1"), append("c", "run 2")
    due(now)                   a, b, c
    record([(a, now + 30)])
    due(now)                   c
    due(now + 30)              c, a, b
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from headwater_queue.entry import FIRST_TURN, LONGEST_PAUSE, Entry
from headwater_queue.errors import QueueDamagedError, QueueError, QueueInUseError
from headwater_queue.files import identity, log_of_its_own
from headwater_queue.salvage import Log, begin_anew, is_damaged, keep_copy, readable_rows, rows, unread

_logger = logging.getLogger(__name__)
_FORMAT: Final = 1
_PAGES_IN_WAL: Final = 4_000  # then they are copied into the file, which syncs

# Content is last: whatever is in front of it is read without it. The indexes have nothing to do with most entries.
_SCHEMA: Final = """
CREATE TABLE entry (
    id       INTEGER PRIMARY KEY,
    stream   TEXT,
    received REAL NOT NULL,
    events   INTEGER NOT NULL,
    bytes    INTEGER NOT NULL,
    tries    INTEGER NOT NULL,
    due      REAL NOT NULL,
    content  BLOB NOT NULL
);
CREATE INDEX tried_by_turn ON entry (tries, id) WHERE tries > 0;
CREATE INDEX tried_by_stream ON entry (stream) WHERE tries > 0;
"""
_SIZE: Final = "SELECT coalesce(sum(events), 0), coalesce(sum(bytes), 0) FROM entry"
_APPEND: Final = """
INSERT INTO entry (stream, received, events, bytes, tries, due, content)
SELECT :stream, :received, :events, :bytes, coalesce(max(tries), 0), coalesce(max(due), 0), :content FROM entry
WHERE stream = :stream AND tries > 0
"""
_UNTRIED: Final = """
SELECT id, stream, events, bytes, tries FROM entry WHERE tries = 0 AND id > :id ORDER BY id LIMIT :count
"""
_TRIED: Final = """
SELECT id, stream, events, bytes, tries FROM entry
WHERE tries > 0 AND (tries > :tries OR tries = :tries AND id > :id) AND due NOT BETWEEN :now AND :latest
ORDER BY tries, id LIMIT :count
"""
_CONTENT: Final = "SELECT content FROM entry WHERE id = ?"
_RECORD: Final = "UPDATE entry SET tries = tries + 1, due = ? WHERE id = ?"
_RECORD_STREAM: Final = "UPDATE entry SET tries = tries + 1, due = ? WHERE stream = ?"
_MAKE_DUE: Final = "UPDATE entry SET due = 0 WHERE tries > 0"
_FORGET: Final = "UPDATE entry SET due = 0, tries = 0 WHERE tries > 0"
_REMOVE: Final = "DELETE FROM entry WHERE id = ?"
_TRIED_EVENTS: Final = "SELECT coalesce(sum(events), 0) FROM entry WHERE tries > 0 AND tries >= ?"
_TRIED_STREAMS: Final = (
    "SELECT stream, max(due) FROM entry WHERE tries > 0 AND stream NOT NULL GROUP BY stream"
)
_ALL: Final = "SELECT id, stream, events, bytes, tries FROM entry ORDER BY id"
_IDS: Final = "SELECT id FROM entry"
_HAS_ENTRIES: Final = "SELECT 1 FROM sqlite_master WHERE name = 'entry'"
_ROWS: Final = "SELECT id, stream, received, events, bytes, tries, due, content FROM entry"
_WHOLE: Final = f"{_ROWS} ORDER BY id"
_APPEND_AGAIN: Final = "INSERT OR IGNORE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_RECOUNT: Final = "UPDATE entry SET events = ? WHERE id = ?"
_REPAIR: Final = """
UPDATE entry SET stream = NULL, received = 0, events = 1, bytes = length(CAST(content AS BLOB)), tries = 0, due = 0
WHERE typeof(stream) NOT IN ('null', 'text') OR typeof(received) != 'real' OR typeof(due) != 'real'
OR typeof(events) != 'integer' OR events < 0 OR typeof(bytes) != 'integer' OR bytes < 0
OR typeof(tries) != 'integer' OR tries < 0
"""
_OLDEST: Final = "SELECT received FROM entry ORDER BY id LIMIT 1"


class Queue:
    """An open queue. It is thread-safe; all methods raise ``QueueError`` where the file cannot be used."""

    def __init__(self, path: Path, db: sqlite3.Connection, sync_every: float, salvaged: int = 0) -> None:
        self.path = path
        self.salvaged = salvaged
        self.events, self.bytes = db.execute(_SIZE).fetchone()
        self._db = db
        self._sync_every = sync_every
        self._synced = time.monotonic()
        self._lock = threading.RLock()
        self._opened = tuple(map(identity, self._files()))

    @classmethod
    def open(cls, path: Path, *, create: bool = True, sync_every: float = 0, checked: bool = False) -> Queue:
        """The queue in that file. Raises ``QueueError``, also for a file that is missing, in use or damaged.

        ``checked`` is for entries of which whoever appended them can tell whether they are whole: then a file with
        damaged pages is begun anew.
        """
        with _errors(path):
            if create:
                _create(path)
            before = path.stat()
            log = _log(path)
            db = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=rw",
                uri=True,
                timeout=0,
                isolation_level=None,
                check_same_thread=False,
            )
            if checked:
                db.text_factory = lambda text: text.decode("utf-8", "replace")
            try:
                _lock(db, is_synced=not sync_every)
                # A log that changed until now was not ours: another process has ended in between.
                found = (
                    _dropped(db, log)
                    if log and _log(path) in (log, *([] if before.st_size else [b""]))
                    else []
                )
                _set_up(db, is_synced=not sync_every)
                salvaged = _repair(db, path) if checked else 0
                salvaged += _append_again(db, found)
                if not os.path.samestat(before, path.stat()):
                    raise QueueError(f"{path} was deleted by whoever had it open")
                return cls(path, db, sync_every, salvaged)
            except BaseException:
                db.close()
                raise

    def append(self, content: bytes, received: float, stream: str | None = None, events: int = 1) -> None:
        """Append an entry; ``received`` is the time in epoch seconds."""
        size = len(content)
        row = {
            "stream": stream,
            "received": received,
            "events": events,
            "bytes": size,
            "content": content,
        }
        with self._using() as db:
            self._require_files(db)
            db.execute(_APPEND, row)
            self.events, self.bytes = self.events + events, self.bytes + size
            self._sync()

    def due(self, now: float, count: int = 1, after: tuple[int, int] = FIRST_TURN) -> list[Entry]:
        """The next entries that are due, in order of turns, behind a turn."""
        tries, last = after
        asked = {"now": now, "latest": now + LONGEST_PAUSE, "count": count, "tries": tries, "id": last}
        with self._using() as db:
            found = db.execute(_UNTRIED, asked).fetchall() if tries == 0 else []
            if len(found) < count:
                asked["count"] -= len(found)
                found += db.execute(_TRIED, asked).fetchall()
        return [Entry(*row) for row in found]

    def all(self) -> list[Entry]:
        """All entries, in their order."""
        with self._using() as db:
            return [Entry(*row) for row in db.execute(_ALL)]

    def content(self, entry: Entry) -> bytes:
        """The content of an entry."""
        with self._using() as db:
            row = db.execute(_CONTENT, (entry.id,)).fetchone()
        if row is None:
            raise QueueDamagedError(f"{self.path}: the entry {entry.id} is missing")
        return bytes(row[0])

    def record(self, attempts: Iterable[tuple[Entry, float]]) -> None:
        """Record an attempt at each entry, and at its stream, with the time at which the next one is due."""
        with self._transaction() as db:
            for entry, due in attempts:
                if entry.stream is None:
                    db.execute(_RECORD, (due, entry.id))
                else:
                    db.execute(_RECORD_STREAM, (due, entry.stream))

    def recount(self, counted: Iterable[tuple[Entry, int]]) -> None:
        """Correct the numbers of events of entries."""
        with self._transaction() as db:
            db.executemany(_RECOUNT, [(events, entry.id) for entry, events in counted])
            self.events, self.bytes = db.execute(_SIZE).fetchone()

    def make_due(self, *, afresh: bool = False) -> None:
        """Make all entries due now; ``afresh``, as if nobody had tried them."""
        with self._transaction() as db:
            db.execute(_FORGET if afresh else _MAKE_DUE)

    def remove(self, entries: Sequence[Entry]) -> None:
        """Remove entries that are done."""
        with self._transaction() if len(entries) > 1 else self._using() as db:
            db.executemany(_REMOVE, [(entry.id,) for entry in entries])
        with self._lock:
            self.events -= sum(entry.events for entry in entries)
            self.bytes -= sum(entry.bytes for entry in entries)

    def tried(self, times: int) -> int:
        """The number of events in entries with at least that many attempts, one or more."""
        with self._using() as db:
            return int(db.execute(_TRIED_EVENTS, (times,)).fetchone()[0])

    def tried_streams(self) -> dict[str, float]:
        """The streams with attempts, and when each is due."""
        with self._using() as db:
            return dict(db.execute(_TRIED_STREAMS).fetchall())

    def oldest(self) -> float | None:
        """When the oldest entry was received, in epoch seconds; None in an empty queue."""
        with self._using() as db:
            row = db.execute(_OLDEST).fetchone()
        return row[0] if row else None

    def shrink(self, least: int = 0) -> None:
        """Give the space of removed entries back if none is left, and if the files have at least so many bytes."""
        if self.events or sum(path.stat().st_size for path in self._files() if path.exists()) < least:
            return
        with suppress(QueueError), self._using() as db:
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def move(self, path: Path) -> None:
        """Close the queue and rename its file, on the same disk. A crash leaves it at one of the two places."""
        with self._using() as db:
            db.execute("PRAGMA journal_mode = DELETE").fetchall()
            self.path.rename(path)
            db.close()

    def delete(self) -> None:
        """Close the queue and delete its files, with whatever is in it."""
        with self._using() as db:
            db.execute("PRAGMA synchronous = OFF")
            for path in self._files():
                path.unlink(missing_ok=True)
            db.close()

    def close(self) -> None:
        """Close the queue; what is in it is synced."""
        with self._using() as db:
            db.close()

    def _files(self) -> tuple[Path, Path]:
        return self.path, self.path.with_name(f"{self.path.name}-wal")

    def _require_files(self, db: sqlite3.Connection) -> None:
        """Raise ``QueueError`` if the file is gone; have its log written again if that is."""
        file, log = (identity(path) for path in self._files())
        if file != self._opened[0]:
            raise QueueError(f"{self.path} was removed, moved or replaced while it is open")
        if log != self._opened[1]:
            if not log_of_its_own(db, self.path):
                raise QueueError(f"the log of {self.path} was removed while it is open")
            self._opened = (file, identity(self._files()[1]))
            _logger.warning(
                "the log of %s was removed or replaced; what it held is in the file again", self.path
            )

    def _sync(self) -> None:
        if self._sync_every and time.monotonic() - self._synced > self._sync_every:
            with suppress(QueueError), self._using() as db:  # a full disk: the WAL has everything
                db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            self._synced = time.monotonic()

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self._lock, _errors(self.path):
            yield self._db

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._using() as db, _transaction(db):
            yield db


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Raise errors of the file system and of SQLite as ``QueueError``."""
    try:
        yield
    except OSError as error:
        raise QueueError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:  # of SQLite's text about a damaged schema
        raise QueueDamagedError(f"{path}: {error}") from error
    except sqlite3.Error as error:
        # Python 3.10 has no error codes. The others are subclasses: a full disk is an ``OperationalError``.
        kind = QueueDamagedError if type(error) is sqlite3.DatabaseError else QueueError
        raise (QueueInUseError if "locked" in str(error) else kind)(f"{path}: {error}") from error


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _create(path: Path) -> None:
    with suppress(FileExistsError):  # and it must not be opened: that could release this process' lock
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _log(path: Path) -> bytes:
    with suppress(FileNotFoundError):
        return path.with_name(f"{path.name}-wal").read_bytes()
    return b""


def _lock(db: sqlite3.Connection, is_synced: bool) -> None:
    """Lock the file."""
    db.execute(
        "PRAGMA locking_mode = EXCLUSIVE"
    )  # first: whatever reads the file before would share its WAL's index
    # Nothing can be lost yet; and what is appended is synced together with the file's beginning.
    db.execute(f"PRAGMA synchronous = {'FULL' if is_synced else 'OFF'}")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA secure_delete = OFF")  # where it is on, removing costs more than appending
    db.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_IN_WAL}")


def _dropped(db: sqlite3.Connection, log: bytes) -> list[tuple[object, ...]]:
    """The entries in a log that SQLite does not read any more."""
    (page_size,) = db.execute("PRAGMA page_size").fetchone()
    known = {row[0] for row in db.execute(_IDS)} if db.execute(_HAS_ENTRIES).fetchone() else set()
    (_, frames, _) = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    found = Log(log, page_size)
    if not unread(found, frames):
        return []
    return [row for row in rows(found, db, _SCHEMA, _WHOLE) if row[0] not in known]


def _append_again(db: sqlite3.Connection, found: list[tuple[object, ...]]) -> int:
    with _transaction(db):
        db.executemany(_APPEND_AGAIN, found)
    return sum(row[3] for row in found if isinstance(row[3], int))


def _repair(db: sqlite3.Connection, path: Path) -> int:
    """Begin a damaged file anew with the entries that can be read; the number of their events, 0 of a whole file."""
    salvaged = 0
    if is_damaged(db):
        keep_copy(db, path)
        found = readable_rows(db, _ROWS)
        begin_anew(db, _SCHEMA)
        salvaged = _append_again(db, found)
    db.execute(_REPAIR)
    return salvaged


def _set_up(db: sqlite3.Connection, is_synced: bool) -> None:
    """Write the schema into a new file."""
    with _transaction(db):
        (found,) = db.execute("PRAGMA user_version").fetchone()
        if found not in (0, _FORMAT):
            raise sqlite3.NotSupportedError(f"its format is {found}, and {_FORMAT} is known here")
        if not found:
            for statement in _SCHEMA.split(";\n"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {_FORMAT}")
    if not is_synced:
        db.execute("PRAGMA synchronous = NORMAL")
