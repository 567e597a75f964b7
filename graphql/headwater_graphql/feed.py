"""Who is told at once of runs: the feed from what stores events to subscriptions.

A store that is ``announced`` tells the feed of the runs of each batch, once they are stored. Every reader has a queue
of its own, of bounded length: one that is not read loses its oldest entries, and says how many. Telling never waits for
a reader.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, cast

from headwater_backend.errors import QuestionError
from headwater_backend.ingest.records import Batch
from headwater_backend.keys import job_of
from headwater_backend.model import JobKey, RunKey
from headwater_backend.ports import LineageStore

WAITING: Final = 1_000
"""Runs that wait for a reader; more are left out."""
READERS: Final = 1_000
AT_ONCE: Final = 100
"""Runs that are looked up together."""

Wanted = Callable[[JobKey], bool]


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
    """Passes runs on to all readers."""

    def __init__(self) -> None:
        self._readers: set[Reader] = set()
        self._lock = threading.Lock()

    def tell(self, runs: Iterable[RunKey]) -> None:
        """Tell all readers of the runs."""
        with self._lock:
            readers = list(self._readers)
        known = list(runs) if readers else []
        for reader in readers:
            reader.tell(known)

    @contextmanager
    def reading(self, wanted: Wanted) -> Iterator[Reader]:
        """A reader for as long as the block lasts; raises ``TooManySubscriptions``."""
        reader = Reader(wanted)
        with self._lock:
            if len(self._readers) >= READERS:
                raise TooManySubscriptions(
                    f"the server has {READERS} subscriptions already", "try again later"
                )
            self._readers.add(reader)
        try:
            yield reader
        finally:
            with self._lock:
                self._readers.discard(reader)

    @property
    def readers(self) -> int:
        """How many subscriptions there are."""
        return len(self._readers)


def announced(store: LineageStore, feed: Feed) -> LineageStore:
    """The same store, which tells the feed of the runs that it stored."""
    return cast(LineageStore, _Announced(store, feed))


class _Announced:
    """Passes each of the port's verbs on, whichever they are."""

    def __init__(self, store: LineageStore, feed: Feed) -> None:
        self._store = store
        self._feed = feed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def apply(self, batch: Batch) -> None:
        self._store.apply(batch)
        self._feed.tell(RunKey(job_of(run.job), run.run_id) for run in batch.runs)
