"""A durable journal of events that arrive while the store is unreachable.

Theory of operation
===================

An event that validates is *accepted* when it is in the store, or in the journal: a SQLite file in WAL mode, whose
commits are synced. So a sender with the answer 201 can forget it, whatever is killed afterwards. A row is a *parcel*:
the events of one sender that one transaction would have stored, with their caller's name and rights, as they were when
the events were accepted. When the store is back, parcels are ingested, many in one transaction, and each is deleted
after it is stored. If the process stops between those two, a parcel is ingested again, which changes nothing in the
graph, because events merge; and because any order of events gives the same graph, new events need not wait until the
journal is empty.

A parcel that cannot be ingested must not block the others, even if it makes the store or this process end. So each
attempt is recorded before it is made. Parcels with attempts come after those without, after a pause that grows with
each attempt, and in ever smaller groups, until one is tried alone. From then on it counts as *parked*: somebody should
find out why, and it is still retried. Nothing is ever discarded::

    tries    together with    retried after
    0        500 events         1 s
    1         62 events         4 s
    2          7 events        16 s
    3        nobody            64 s, then 256 s, then every 5 min

A journal belongs to one process, and its size is bounded: when it is full, senders get 503. Questions are answered
from the store alone, which lags behind as long as the journal is not empty.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from headwater_backend.domain.dead_letters import letter_of
from headwater_backend.domain.errors import HeadwaterError, StoreUnavailable
from headwater_backend.domain.roles import Caller
from headwater_backend.ingest.decoding.limits import DEFAULT_LIMITS, Limits
from headwater_backend.ingest.sender import Sender
from headwater_backend.ingest.service import (
    EVENTS_PER_TRANSACTION,
    EventGroup,
    Outcome,
    RawEvent,
    ingest_together,
)
from headwater_backend.ports import DeadLetters, EventStore

MAX_BYTES: Final = 1024**3
MAX_BYTES_TOGETHER: Final = 16 * 1024**2
"""The size of parcels that are ingested in one transaction; in memory, their events take many times that."""
RETRY_SECONDS: Final = 1.0
STOP_SECONDS: Final = 5.0
PARKED_AFTER: Final = 4
MAX_PAUSE_SECONDS: Final = 300
_FILE: Final = "journal.db"
_FORMAT: Final = 1

_SCHEMA: Final = """
CREATE TABLE parcel (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    received REAL NOT NULL,
    events   INTEGER NOT NULL,
    bytes    INTEGER NOT NULL,
    tries    INTEGER NOT NULL DEFAULT 0,
    due      REAL NOT NULL DEFAULT 0
);
CREATE TABLE content (id INTEGER PRIMARY KEY, caller TEXT NOT NULL, request TEXT NOT NULL, events TEXT NOT NULL);
CREATE INDEX parcel_by_turn ON parcel (tries, id);
"""
_SIZE: Final = "SELECT coalesce(sum(events), 0), coalesce(sum(bytes), 0) FROM parcel"
_OLDEST: Final = "SELECT received FROM parcel ORDER BY id LIMIT 1"
_PARKED: Final = "SELECT coalesce(sum(events), 0) FROM parcel WHERE tries >= ?"
_ADD: Final = "INSERT INTO parcel (received, events, bytes) VALUES (?, ?, ?)"
_ADD_CONTENT: Final = "INSERT INTO content VALUES (last_insert_rowid(), ?, ?, ?)"
# The upper bound is for clocks that were set back: no parcel may wait for years.
_DUE: Final = """
SELECT id, events, bytes, tries FROM parcel WHERE due NOT BETWEEN :now AND :latest ORDER BY tries, id LIMIT :count
"""
_CONTENT: Final = "SELECT caller, request, events FROM content WHERE id = ?"
_TRY: Final = "UPDATE parcel SET tries = tries + 1, due = ? WHERE id = ?"
_REMOVE: Final = "DELETE FROM parcel WHERE id = ?"
_REMOVE_CONTENT: Final = "DELETE FROM content WHERE id = ?"

_log = logging.getLogger(__name__)


class JournalError(HeadwaterError):
    """A journal's folder that cannot be used."""

    code = "JOURNAL"


class Waiting(NamedTuple):
    """The events that wait for the store: their number, their size in bytes, and the age of the oldest in seconds.

    ``parked`` is the number of events that failed several times.
    """

    events: int
    bytes: int
    seconds: float
    parked: int


class _Parcel(NamedTuple):
    """A row of the journal, without its content."""

    id: int
    events: int
    bytes: int
    tries: int


class Journal:
    """The journal in a folder. Use ``Journal.open``; it is thread-safe."""

    def __init__(self, folder: Path, lock: int, db: sqlite3.Connection, most_bytes: int) -> None:
        self._folder = folder
        self._lock = lock
        self._db = db
        self._most_bytes = most_bytes
        self._using = threading.Lock()
        self._events, self._bytes = db.execute(_SIZE).fetchone()
        self._holding = threading.Event()

    @classmethod
    def open(cls, folder: Path, most_bytes: int = MAX_BYTES) -> Journal:
        """The journal in that folder, created where needed; raises ``JournalError``, also when another process has
        it.
        """
        lock = _locked(folder)
        try:
            journal = cls(folder, lock, _opened(folder / _FILE), most_bytes)
        except (OSError, sqlite3.Error) as error:
            os.close(lock)
            hint = f"move {_FILE} and the files named like it elsewhere, and keep them: they may hold events"
            raise JournalError(f"the journal {folder} cannot be read: {error}", hint) from error
        waiting = journal.waiting()
        if waiting.events:
            _log.warning(
                "%s events wait in the journal %s, %s of them parked", waiting.events, folder, waiting.parked
            )
        return journal

    @property
    def holding(self) -> bool:
        """Whether the store was unreachable at the last attempt: then events go here without trying it."""
        return self._holding.is_set()

    def waiting(self) -> Waiting:
        """The events that wait for the store now, in constant time."""
        with self._using:
            (parked,) = self._db.execute(_PARKED, (PARKED_AFTER,)).fetchone()
            since = self._db.execute(_OLDEST).fetchone()
            seconds = max(0.0, time.time() - since[0]) if since else 0.0
            return Waiting(self._events, self._bytes, seconds, parked)

    def accept(self, events: Sequence[RawEvent], sender: Sender) -> None:
        """Keep events that are valid; durable when it returns. Raises ``StoreUnavailable`` when that cannot be."""
        content = json.dumps([_document(event) for event in events], separators=(",", ":"))
        size = len(content)
        with self._using:
            if self._bytes + size > self._most_bytes:
                raise StoreUnavailable("the store does not answer, and the journal is full")
            try:
                with _transaction(self._db) as db:
                    db.execute(_ADD, (time.time(), len(events), size))
                    db.execute(_ADD_CONTENT, (sender.caller.text(), sender.request, content))
            except sqlite3.Error as error:
                _log.error("the journal %s cannot be written: %s", self._folder, error)
                raise StoreUnavailable(
                    "the store does not answer, and the journal cannot be written"
                ) from error
            self._events, self._bytes = self._events + len(events), self._bytes + size
            if not self._holding.is_set():
                _log.warning("the store is away: events go into the journal %s", self._folder)
            self._holding.set()

    def drain(self, store: EventStore, limits: Limits = DEFAULT_LIMITS) -> int:
        """Ingest due parcels, as many as fit into one transaction, and return the number of events.

        Raises ``StoreUnavailable``.
        """
        try:
            store.ping()
            self._holding.clear()
            parcels = self._begin()
            if not parcels:
                return 0
            self._take_in(parcels, store, limits)
        except StoreUnavailable:
            self._holding.set()
            raise
        if not self._events:
            _log.warning("the store has all events of the journal %s", self._folder)
        return sum(parcel.events for parcel in parcels)

    def close(self) -> None:
        """Release the folder; waiting events stay in it."""
        with self._using:
            self._db.close()
        os.close(self._lock)

    def _begin(self) -> list[_Parcel]:
        """The parcels to try next; their attempt is recorded."""
        now = time.time()
        asked = {"now": now, "latest": now + MAX_PAUSE_SECONDS, "count": EVENTS_PER_TRANSACTION}
        with self._using, _transaction(self._db) as db:
            parcels = _together([_Parcel(*row) for row in db.execute(_DUE, asked)])
            db.executemany(_TRY, [(now + _pause(parcel), parcel.id) for parcel in parcels])
        return parcels

    def _take_in(self, parcels: Sequence[_Parcel], store: EventStore, limits: Limits) -> None:
        groups = [self._content(parcel) for parcel in parcels]
        for (events, sender), outcomes in zip(groups, ingest_together(store, groups, limits), strict=True):
            _keep_refused(store, events, sender, outcomes)
        ids = [(parcel.id,) for parcel in parcels]
        with self._using:
            with _transaction(self._db) as db:
                db.executemany(_REMOVE, ids)
                db.executemany(_REMOVE_CONTENT, ids)
            self._events -= sum(parcel.events for parcel in parcels)
            self._bytes -= sum(parcel.bytes for parcel in parcels)
            if not self._events:
                self._db.execute("PRAGMA incremental_vacuum").fetchall()
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _content(self, parcel: _Parcel) -> EventGroup:
        with self._using:
            caller, request, events = self._db.execute(_CONTENT, (parcel.id,)).fetchone()
        return EventGroup(json.loads(events), Sender(Caller.of_text(caller), request))


class Drainer:
    """A thread that empties a journal as soon as the store is reachable."""

    def __init__(self, journal: Journal, store: EventStore, limits: Limits = DEFAULT_LIMITS) -> None:
        self._journal = journal
        self._store = store
        self._limits = limits
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)

    def start(self) -> None:
        """Start the thread, which tries every ``RETRY_SECONDS``."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current transaction; waiting events stay in the journal."""
        self._stopping.set()
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        while not self._stopping.wait(RETRY_SECONDS if not self._once() else 0):
            pass

    def _once(self) -> bool:
        """Whether more events may be due at once."""
        if not self._journal.holding and not self._journal.waiting().events:
            return False
        try:
            return self._journal.drain(self._store, self._limits) > 0
        except StoreUnavailable:
            return False
        except Exception:  # noqa: BLE001 - without the thread, all events would keep waiting
            _log.exception("events of the journal could not be ingested; they stay in it, and are retried")
            return False


def _locked(folder: Path) -> int:
    """The acquired lock of the folder; raises ``JournalError``."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise JournalError(f"the journal {folder} cannot be used: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        hint = "give each process a folder of its own"
        raise JournalError(f"the journal {folder} belongs to another process", hint) from error
    return lock


def _opened(file: Path) -> sqlite3.Connection:
    """The journal's database, created where needed. Raises ``sqlite3.Error``."""
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    db = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        with _transaction(db):
            (found,) = db.execute("PRAGMA user_version").fetchone()
            if found not in (0, _FORMAT):
                raise sqlite3.NotSupportedError(f"its format is {found}, and {_FORMAT} is known here")
            if not found:
                for statement in _SCHEMA.split(";\n"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {_FORMAT:d}")
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A durable transaction around the code inside."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield db
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _together(parcels: Sequence[_Parcel]) -> list[_Parcel]:
    """The first parcels, to be tried together: with as many attempts as the first, and fewer the more attempts."""
    most_events = EVENTS_PER_TRANSACTION >> 3 * parcels[0].tries if parcels else 0
    found: list[_Parcel] = []
    events = size = 0
    for parcel in parcels:
        events, size = events + parcel.events, size + parcel.bytes
        fits = events <= most_events and size <= MAX_BYTES_TOGETHER
        if found and not (fits and parcel.tries == found[0].tries):
            break
        found.append(parcel)
    return found


def _pause(parcel: _Parcel) -> float:
    """Seconds until a parcel is retried if the current attempt fails."""
    return float(min(MAX_PAUSE_SECONDS, 4 ** min(parcel.tries, 10)))


def _keep_refused(
    store: DeadLetters, events: Sequence[RawEvent], sender: Sender, outcomes: Sequence[Outcome]
) -> None:
    """Keep events that are not valid any more as dead letters, because their sender gets no answer."""
    refused = [(events[each.index], each.error) for each in outcomes if each.error and not each.dead_letter]
    if refused:
        store.keep_dead_letters(
            [letter_of(event, error, sender.caller.name, sender.caller) for event, error in refused]
        )


def _document(event: RawEvent) -> Any:
    if isinstance(event, bytes):
        event = event.decode("utf-8-sig")
    return json.loads(event) if isinstance(event, str) else event
