"""RunFeed of run updates from the store to subscriptions.

Theory of operation
===================

Events are stored together with an entry of the audit log that names their runs. Entries are numbered without gaps,
in the order of their transactions. So reading the log onwards from a number returns each update once and misses none,
whether the events were stored by this server, by another one on the same store, from a journal, or by a command.

While there are subscriptions, one thread reads new entries every ``SECONDS``. Every reader has its own bounded
queue: a slow reader loses its oldest runs, and receives their number. The thread never waits for a reader.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from typing import Final

from headwater_backend.domain.audit_log import AuditEntry
from headwater_backend.domain.errors import HeadwaterError, QuestionError
from headwater_backend.domain.model import JobKey, RunKey
from headwater_backend.ingest.sender import runs_in
from headwater_backend.ports import AuditLog

SECONDS: Final = 0.5
"""Interval between two reads of the store."""
QUEUE_SIZE: Final = 1_000
"""Maximum number of queued runs per reader; the oldest are dropped."""
MAX_READERS: Final = 1_000
BATCH_SIZE: Final = 100
"""Maximum number of entries or runs per store call."""

Wanted = Callable[[JobKey], bool]
_log = logging.getLogger(__name__)


class TooManySubscriptions(QuestionError):  # noqa: N818, the name says what is the case
    """The server has the maximum number of subscriptions."""

    code = "TOO_MANY_SUBSCRIPTIONS"


class Reader:
    """The receiving end of one subscription; belongs to the event loop in which it was created."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[RunKey] = deque()
        self._something = asyncio.Event()
        self._missed = 0

    def put(self, runs: Sequence[RunKey]) -> None:
        """Queue the wanted runs; can be called by any thread."""
        wanted = [run for run in runs if self._wanted(run.job)]
        if wanted:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._enqueue, wanted)

    async def next(self) -> tuple[list[RunKey], int]:
        """Wait for runs; return the oldest ones without duplicates, and the number of runs dropped before them."""
        await self._something.wait()
        count = min(BATCH_SIZE, len(self._waiting))
        runs = list(dict.fromkeys(self._waiting.popleft() for _ in range(count)))
        missed, self._missed = self._missed, 0
        if not self._waiting:
            self._something.clear()
        return runs, missed

    def _enqueue(self, runs: Iterable[RunKey]) -> None:
        for run in runs:
            if len(self._waiting) >= QUEUE_SIZE:
                self._waiting.popleft()
                self._missed += 1
            self._waiting.append(run)
        self._something.set()


class RunFeed:
    """Distributes run updates from the store to all readers."""

    def __init__(self, store: AuditLog) -> None:
        self._store = store
        self._readers: set[Reader] = set()
        self._lock = threading.Lock()
        self._begun: Future[None] | None = None
        """Set while the thread is running; done when it delivers everything stored from then on."""

    @asynccontextmanager
    async def subscribe(self, wanted: Wanted) -> AsyncIterator[Reader]:
        """Context manager for a reader that receives what is stored inside the block.

        Raises ``TooManySubscriptions``, and ``StoreUnavailable`` if the feed cannot start.
        """
        reader = Reader(wanted)
        begun = self._join(reader)
        try:
            # Other readers wait for the same future, so cancelling one of them must not cancel it.
            await asyncio.shield(asyncio.wrap_future(begun))
            yield reader
        finally:
            with self._lock:
                self._readers.discard(reader)

    @property
    def readers(self) -> int:
        """The number of active subscriptions."""
        begun = self._begun
        return len(self._readers) if begun and begun.done() else 0

    def _join(self, reader: Reader) -> Future[None]:
        with self._lock:
            if len(self._readers) >= MAX_READERS:
                raise TooManySubscriptions(
                    f"the server has {MAX_READERS} subscriptions already", "try again later"
                )
            self._readers.add(reader)
            if self._begun is None:
                self._begun = Future()
                threading.Thread(
                    target=self._follow_log, args=(self._begun,), name="run feed", daemon=True
                ).start()
            return self._begun

    def _follow_log(self, begun: Future[None]) -> None:
        """Deliver new entries until there are no readers."""
        try:
            number, _ = self._store.audit_end()
        except HeadwaterError as error:
            with self._lock:
                self._begun = None
            begun.set_exception(error)
            return
        begun.set_result(None)
        pause = threading.Event()
        while self._has_readers():
            number = self._deliver_after(number)
            pause.wait(SECONDS)

    def _has_readers(self) -> bool:
        with self._lock:
            if not self._readers:
                self._begun = None
            return bool(self._readers)

    def _deliver_after(self, number: int) -> int:
        """Deliver the entries after the given number; return the number of the last one."""
        try:
            while entries := _entries_after(self._store, number):
                number = entries[-1].number
                self._deliver([run for entry in entries for run in runs_in(entry)])
        except HeadwaterError as error:
            _log.info("cannot read run updates now: %s", error)
        return number

    def _deliver(self, runs: Sequence[RunKey]) -> None:
        with self._lock:
            readers = list(self._readers)
        for reader in readers:
            reader.put(runs)


def _entries_after(store: AuditLog, number: int) -> Sequence[AuditEntry]:
    """Return the next entries after the given number, without gaps.

    A Neo4j read may miss an entry that is being committed, and return the one after it. All entries before a committed
    one are committed as well, so reading again returns them.
    """
    entries = store.audit(number, BATCH_SIZE)
    if entries and entries[-1].number != number + len(entries):
        return [entry for entry in store.audit(number, BATCH_SIZE) if entry.number <= entries[-1].number]
    return entries
