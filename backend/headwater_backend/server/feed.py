"""Who is told of runs: the feed from what is stored to subscriptions, whoever stored it.

Theory of operation
===================

Events are stored together with an entry of the audit log, which names their runs. Entries are numbered without a gap,
in the order of their transactions. So the log, read on from a number, tells each run once and forgets none, whether
this server stored its events, another over the same store, a journal that was emptied, or a command.

While anybody subscribes, one thread reads on, every ``SECONDS``. Every reader has a queue of its own, of bounded
length: one that is not read loses its oldest runs, and says how many. Telling never waits for a reader.
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
from headwater_backend.ingest.origin import runs_told
from headwater_backend.ports import AuditLog

SECONDS: Final = 0.5
"""Between two looks at the store."""
WAITING: Final = 1_000
"""Runs that wait for a reader; more are left out."""
READERS: Final = 1_000
AT_ONCE: Final = 100
"""Entries that are read, and runs that are looked up, together."""

Wanted = Callable[[JobKey], bool]
_log = logging.getLogger(__name__)


class TooManySubscriptions(QuestionError):  # noqa: N818, the name says what is the case
    """The server has as many subscriptions as it takes."""

    code = "TOO_MANY_SUBSCRIPTIONS"


class Reader:
    """One subscription's end of the feed; belongs to the event loop in which it was made."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[RunKey] = deque()
        self._something = asyncio.Event()
        self._missed = 0

    def tell(self, runs: Sequence[RunKey]) -> None:
        """Take note of the runs that are wanted; called by any thread."""
        wanted = [run for run in runs if self._wanted(run.job)]
        if wanted:
            with suppress(RuntimeError):  # the loop ended
                self._loop.call_soon_threadsafe(self._take, wanted)

    async def next(self) -> tuple[list[RunKey], int]:
        """The oldest runs that wait, each once, as soon as there are any; and how many were left out before them."""
        await self._something.wait()
        count = min(AT_ONCE, len(self._waiting))
        runs = list(dict.fromkeys(self._waiting.popleft() for _ in range(count)))
        missed, self._missed = self._missed, 0
        if not self._waiting:
            self._something.clear()
        return runs, missed

    def _take(self, runs: Iterable[RunKey]) -> None:
        for run in runs:
            if len(self._waiting) >= WAITING:
                self._waiting.popleft()
                self._missed += 1
            self._waiting.append(run)
        self._something.set()


class Feed:
    """Passes runs on to all readers, as the store has them."""

    def __init__(self, store: AuditLog) -> None:
        self._store = store
        self._readers: set[Reader] = set()
        self._lock = threading.Lock()
        self._begun: Future[None] | None = None
        """There while the thread reads; done as soon as all that is stored from then on will be told."""

    @asynccontextmanager
    async def reading(self, wanted: Wanted) -> AsyncIterator[Reader]:
        """A reader for as long as the block lasts, which is told of what is stored meanwhile.

        Raises ``TooManySubscriptions``, and ``StoreUnavailable`` where it cannot begin.
        """
        reader = Reader(wanted)
        begun = self._join(reader)
        try:
            # Others wait for the same, so who leaves must not cancel it.
            await asyncio.shield(asyncio.wrap_future(begun))
            yield reader
        finally:
            with self._lock:
                self._readers.discard(reader)

    @property
    def readers(self) -> int:
        """How many subscriptions are told of what is stored."""
        begun = self._begun
        return len(self._readers) if begun and begun.done() else 0

    def _join(self, reader: Reader) -> Future[None]:
        with self._lock:
            if len(self._readers) >= READERS:
                raise TooManySubscriptions(
                    f"the server has {READERS} subscriptions already", "try again later"
                )
            self._readers.add(reader)
            if self._begun is None:
                self._begun = Future()
                threading.Thread(
                    target=self._read_on, args=(self._begun,), name="reads what is stored", daemon=True
                ).start()
            return self._begun

    def _read_on(self, begun: Future[None]) -> None:
        """Tell of what is stored from now on, until nobody reads."""
        try:
            number, _ = self._store.audit_end()
        except HeadwaterError as error:
            with self._lock:
                self._begun = None
            begun.set_exception(error)
            return
        begun.set_result(None)
        pause = threading.Event()
        while self._is_read():
            number = self._tell_behind(number)
            pause.wait(SECONDS)

    def _is_read(self) -> bool:
        with self._lock:
            if not self._readers:
                self._begun = None
            return bool(self._readers)

    def _tell_behind(self, number: int) -> int:
        """Tell of all entries behind the one of that number; the number of the last of them."""
        try:
            while entries := _behind(self._store, number):
                number = entries[-1].number
                self._tell([run for entry in entries for run in runs_told(entry)])
        except HeadwaterError as error:
            _log.info("what is stored is not told now: %s", error)
        return number

    def _tell(self, runs: Sequence[RunKey]) -> None:
        with self._lock:
            readers = list(self._readers)
        for reader in readers:
            reader.tell(runs)


def _behind(store: AuditLog, number: int) -> Sequence[AuditEntry]:
    """The next entries behind the one of that number.

    A reader of Neo4j may pass the place of an entry that is committed just then, and see the one behind it. What was
    seen to be committed has all before it committed: it is read again.
    """
    entries = store.audit(number, AT_ONCE)
    if entries and entries[-1].number != number + len(entries):
        return [entry for entry in store.audit(number, AT_ONCE) if entry.number <= entries[-1].number]
    return entries
