"""A durable journal of events that arrive while the store is unreachable.

Theory of operation
===================

An event that validates is *accepted* when it is in the store, or in the journal: a queue in a SQLite file, whose
commits are synced. So a sender with the answer 201 can forget it, whatever is killed afterwards. An entry is a
*parcel*: the events of one sender that one transaction would have stored, with their caller's name and rights, as they
were when the events were accepted. When the store is back, parcels are ingested, many in one transaction, and each is
deleted after it is stored. If the process stops between those two, a parcel is ingested again, which changes nothing
in the graph, because events merge; and because any order of events gives the same graph, new events need not wait
until the journal is empty.

A parcel that cannot be ingested must not block the others, even if it makes the store or this process end. So each
attempt is recorded before it is made. Parcels with attempts come after those without, after a pause that grows with
each attempt, and in ever smaller groups, until one is tried alone. From then on it counts as *parked*: somebody should
find out why, and it is still retried. Nothing is ever discarded::

    tries    together with    retried after
    0        500 events         1 s
    1         62 events         4 s
    2          7 events        16 s
    3        nobody            64 s, then 256 s, then every 5 min

Each parcel begins with its checksum. A file ``journal.count`` says how many events have to wait: it is written after a
parcel is appended, and before one is removed, so that it never says too many, unless the machine itself stopped. So
``Journal.open`` can say what a damaged disk has lost. A parcel that is not whole is kept, and parked.

A journal belongs to one process, and its size is bounded: when it is full, senders get 503. Questions are answered
from the store alone, which lags behind as long as the journal is not empty.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from headwater_backend.domain.dead_letters import letter_of
from headwater_backend.domain.errors import HeadwaterError, StoreUnavailable
from headwater_backend.domain.roles import Caller
from headwater_backend.ingest.decoding.limits import DEFAULT_LIMITS, Limits
from headwater_backend.ingest.seals import Count, sealed, unsealed
from headwater_backend.ingest.sender import Sender
from headwater_backend.ingest.service import (
    EVENTS_PER_TRANSACTION,
    EventGroup,
    Outcome,
    RawEvent,
    ingest_together,
)
from headwater_backend.ports import DeadLetters, EventStore
from headwater_queue.entry import Entry
from headwater_queue.errors import QueueError, QueueInUseError
from headwater_queue.queue import Queue

MAX_BYTES: Final = 1024**3
MAX_BYTES_TOGETHER: Final = 16 * 1024**2
"""The size of parcels that are ingested in one transaction; in memory, their events take many times that."""
RETRY_SECONDS: Final = 1.0
STOP_SECONDS: Final = 5.0
PARKED_AFTER: Final = 4
MAX_PAUSE_SECONDS: Final = 300
_FILE: Final = "journal.db"
_COUNT: Final = "journal.count"
_UNREADABLE: Final = (
    f"move {_FILE} and the files named like it elsewhere, and keep them: they may hold events"
)

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


class Journal:
    """The journal in a folder. Use ``Journal.open``; it is thread-safe."""

    def __init__(self, folder: Path, queue: Queue, most_bytes: int) -> None:
        self._folder = folder
        self._queue = queue
        self._most_bytes = most_bytes
        self._accepting = threading.Lock()
        self.damaged = self.lost = 0
        """The numbers of events that were damaged, and that were missing, when the journal was opened."""
        self._holding = threading.Event()
        self._count = Count(folder / _COUNT)

    @classmethod
    def open(cls, folder: Path, most_bytes: int = MAX_BYTES) -> Journal:
        """The journal in that folder, created where needed; raises ``JournalError``, also when another process has
        it.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            journal = cls(folder, Queue.open(folder / _FILE, checked=True), most_bytes)
        except OSError as error:
            raise JournalError(f"the journal {folder} cannot be used: {error.strerror}") from error
        except QueueInUseError as error:
            hint = "give each process a folder of its own"
            raise JournalError(f"the journal {folder} belongs to another process", hint) from error
        except QueueError as error:
            raise JournalError(f"the journal {folder} cannot be read: {error}", _UNREADABLE) from error
        try:
            journal._report_damage()
            waiting = journal.waiting()
        except QueueError as error:
            with suppress(QueueError):
                journal.close()
            raise JournalError(f"the journal {folder} cannot be read: {error}", _UNREADABLE) from error
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
        since = self._queue.oldest()
        seconds = max(0.0, time.time() - since) if since is not None else 0.0
        return Waiting(self._queue.events, self._queue.bytes, seconds, self._queue.tried(PARKED_AFTER))

    def accept(self, events: Sequence[RawEvent], sender: Sender) -> None:
        """Keep events that are valid; durable when it returns. Raises ``StoreUnavailable`` when that cannot be."""
        parcel = {
            "caller": sender.caller.text(),
            "request": sender.request,
            "events": [_document(event) for event in events],
        }
        content = sealed(json.dumps(parcel, separators=(",", ":")).encode())
        with self._accepting:
            if self._queue.bytes + len(content) > self._most_bytes:
                raise StoreUnavailable("the store does not answer, and the journal is full")
            try:
                self._queue.append(content, time.time(), events=len(events))
                self._count.write(self._queue.events)
            except QueueError as error:
                _log.error("the journal %s cannot be written: %s", self._folder, error)
                raise StoreUnavailable(
                    "the store does not answer, and the journal cannot be written"
                ) from error
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
        if not self._queue.events:
            _log.warning("the store has all events of the journal %s", self._folder)
        return sum(parcel.events for parcel in parcels)

    def close(self) -> None:
        """Release the folder; waiting events stay in it."""
        self._queue.close()
        self._count.close()

    def _begin(self) -> list[Entry]:
        """The parcels to try next; their attempt is recorded."""
        now = time.time()
        parcels = _together(self._queue.due(now, EVENTS_PER_TRANSACTION))
        self._queue.record((parcel, now + _pause(parcel)) for parcel in parcels)
        return parcels

    def _take_in(self, parcels: Sequence[Entry], store: EventStore, limits: Limits) -> None:
        groups = [_group(self._queue.content(parcel)) for parcel in parcels]
        for (events, sender), outcomes in zip(groups, ingest_together(store, groups, limits), strict=True):
            _keep_refused(store, events, sender, outcomes)
        with self._accepting:
            self._count.write(self._queue.events - sum(parcel.events for parcel in parcels))
            self._queue.remove(parcels)
        self._queue.shrink()

    def _report_damage(self) -> None:
        held = {parcel: self._events_in(parcel) for parcel in self._queue.all()}
        counted = [(parcel, number) for parcel, number in held.items() if number is not None]
        self._queue.recount((parcel, number) for parcel, number in counted if number != parcel.events)
        broken = [parcel for parcel, number in held.items() if number is None]
        self._park(broken)
        damaged = sum(parcel.events for parcel in broken)
        lost = max(0, self._count.read() - damaged - sum(number for _, number in counted))
        if self._queue.salvaged:
            _log.error(
                "the journal %s was damaged; %d events were read nevertheless",
                self._folder,
                self._queue.salvaged,
            )
        if damaged:
            _log.error(
                "%d events in the journal %s are damaged; they stay in it, and are not stored",
                damaged,
                self._folder,
            )
        if lost:
            _log.error(
                "%d events are missing from the journal %s: they were accepted, and are lost",
                lost,
                self._folder,
            )
        self.damaged, self.lost = damaged, lost
        self._count.write(self._queue.events)

    def _park(self, broken: Sequence[Entry]) -> None:
        """Record as many attempts at parcels that are not whole as park them, so that they hold up no others."""
        due = time.time() + MAX_PAUSE_SECONDS
        for tries in range(PARKED_AFTER):
            if waiting := [(parcel, due) for parcel in broken if parcel.tries <= tries]:
                self._queue.record(waiting)

    def _events_in(self, parcel: Entry) -> int | None:
        """The number of the events of a parcel; None of one that is not whole."""
        try:
            return len(_group(self._queue.content(parcel)).events)
        except (QueueError, ValueError, KeyError, TypeError):
            return None


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


def _together(parcels: Sequence[Entry]) -> list[Entry]:
    """The first parcels, to be tried together: with as many attempts as the first, and fewer the more attempts."""
    most_events = EVENTS_PER_TRANSACTION >> 3 * parcels[0].tries if parcels else 0
    found: list[Entry] = []
    events = size = 0
    for parcel in parcels:
        events, size = events + parcel.events, size + parcel.bytes
        fits = events <= most_events and size <= MAX_BYTES_TOGETHER
        if found and not (fits and parcel.tries == found[0].tries):
            break
        found.append(parcel)
    return found


def _pause(parcel: Entry) -> float:
    """Seconds until a parcel is retried if the current attempt fails."""
    return float(min(MAX_PAUSE_SECONDS, 4 ** min(parcel.tries, 10)))


def _group(content: bytes) -> EventGroup:
    """The events of a parcel, and their sender. Raises ``ValueError`` for one that is damaged."""
    parcel = json.loads(unsealed(content))
    return EventGroup(parcel["events"], Sender(Caller.of_text(parcel["caller"]), parcel["request"]))


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
