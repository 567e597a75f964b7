"""Delivering a journal to its destination, in order, one event at a time.

What a failure means: the receiver is away or asks to wait (no connection, 5xx, 408, 429), or is not rightly
configured (credentials or an address that it does not know), and the event is tried again, later and later;
or it does not want this event (any other 4xx), which is then put aside so that it does not hold up those
behind it.
"""

from __future__ import annotations

import json
import logging
import random
import threading
import time
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, Final

from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import parent_run
from openlineage.client.transport.transport import Transport

from headwater_spark.guard import Failure, guarded
from headwater_spark.journal import Journal, orphans
from headwater_spark.transport import Destination, status
from headwater_spark.trouble import Trouble

log = logging.getLogger(__name__)

_WAIT_FOR: Final = frozenset({401, 403, 404, 405, 407, 408, 425, 429})
FIRST_PAUSE: Final = 0.25  # seconds
LONGEST_PAUSE: Final = 30.0
HURRIED_PAUSE: Final = 0.5
PATIENCE: Final = 2.0  # seconds of nothing but failures after which a flush gives up


class Verdict(Enum):
    """What became of an event."""

    DELIVERED = "delivered"
    LATER = "later"
    NEVER = "never"


class Delivery:
    """The thread that delivers to one destination: first what dead processes left, then its own journal."""

    def __init__(self, destination: Destination, folder: Path, own: Journal | None) -> None:
        self.destination = destination
        self.trouble = Trouble(destination.label)
        self.rejected = 0
        self._folder = folder
        self._own = own
        self._backlog_done = False
        self._transport: Transport | None = None
        self._wake = threading.Event()
        self._hurry = threading.Event()
        self._stop = threading.Event()
        self._failing_since: float | None = None
        self._hurried_at = 0.0
        self._deadline = float("inf")
        self._took = 0.0
        self._is_sending = False
        self._thread = threading.Thread(target=self._work, name=f"deliver-{destination.kind}", daemon=True)

    def start(self) -> None:
        """Begin to deliver."""
        self._thread.start()

    def notify(self) -> None:
        """There is something new in the journal."""
        self._wake.set()

    @property
    def pending(self) -> int:
        """Events of this process that have not arrived."""
        return self._own.pending if self._own else 0

    def hurry(self, deadline: float = float("inf")) -> None:
        """From now on, pauses are short: the process is about to end.

        No event is sent that would arrive only after the deadline (of ``time.monotonic``), judged by what the last one
        took: whether it has arrived would not be known, and it would be sent again later.
        """
        self._deadline = deadline
        self._hurried_at = time.monotonic()
        self._hurry.set()
        self._wake.set()

    def settled(self) -> bool:
        """Whether waiting longer is pointless: all has arrived, or nothing does."""
        failing = self._failing_since
        gave_up = failing is not None and time.monotonic() - max(failing, self._hurried_at) > PATIENCE
        idle = self._backlog_done and not self.pending
        is_over = self._is_too_late() and not self._is_sending
        return idle or gave_up or is_over or not self._thread.is_alive()

    def stop(self, timeout: float = 5) -> None:
        """End the thread after the event that it is at, which is waited for so many seconds at most."""
        self._stop.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(timeout)
        if self._transport is not None and not self._thread.is_alive():
            guarded(self._transport.close)

    def _work(self) -> None:
        done = guarded(self._run)
        if isinstance(done, Failure):
            self.trouble.note("ended", f"delivery has ended ({done}); events are kept")

    def _run(self) -> None:
        for journal in self._backlog():
            if self._stop.is_set():
                journal.close()
                break
            self._drain(journal)
            journal.close()
        self._backlog_done = True
        while self._own and not self._stop.is_set():
            self._wake.clear()
            self._drain(self._own)
            if self._own.pending == 0 or self._is_too_late():
                self._wake.wait()

    def _backlog(self) -> Iterator[Journal]:
        for journal in orphans(self._folder):
            if journal.lost:
                log.warning("an event was cut off when its process died: %s", journal.path.name)
            yield journal

    def _drain(self, journal: Journal) -> None:
        pause = FIRST_PAUSE
        while not self._is_over() and (line := journal.peek()) is not None:
            verdict, reason = self._timed(line)
            if verdict is Verdict.LATER:
                self._failed(reason)
                self._rest(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
                continue
            pause, self._failing_since = FIRST_PAUSE, None
            self.trouble.over("away")
            if verdict is Verdict.DELIVERED:
                journal.acknowledge()
            else:
                self._refused(journal, reason)

    def _is_over(self) -> bool:
        return self._stop.is_set() or self._is_too_late()

    def _is_too_late(self) -> bool:
        return time.monotonic() + self._took > self._deadline

    def _timed(self, line: bytes) -> tuple[Verdict, str]:
        began = time.monotonic()
        self._is_sending = True
        told = self._try(line)
        self._took = time.monotonic() - began
        self._is_sending = False
        return told

    def _failed(self, reason: str) -> None:
        self._failing_since = self._failing_since or time.monotonic()
        self.trouble.note("away", f"it takes no events ({reason})")

    def _refused(self, journal: Journal, reason: str) -> None:
        self.rejected += 1
        journal.reject(reason)
        self.trouble.note("refused", f"it refused an event: {reason}")

    def _rest(self, pause: float) -> None:
        if self._hurry.is_set():
            self._stop.wait(min(pause, HURRIED_PAUSE))
            return
        deadline = time.monotonic() + pause * random.uniform(0.8, 1.2)  # noqa: S311 - spreads retries
        while time.monotonic() < deadline and not (self._stop.is_set() or self._hurry.is_set()):
            self._stop.wait(0.1)

    def _try(self, line: bytes) -> tuple[Verdict, str]:
        event = guarded(lambda: revive(json.loads(line)))
        if isinstance(event, Failure):
            return Verdict.NEVER, f"unreadable: {event}"
        sent = guarded(lambda: self._open().emit(event))
        return verdict(sent.error) if isinstance(sent, Failure) else (Verdict.DELIVERED, "")

    def _open(self) -> Transport:
        if self._transport is None:
            self._transport = self.destination.open()
        return self._transport


def verdict(error: Exception) -> tuple[Verdict, str]:
    """What an error of a transport means for the event, and its reason without secrets."""
    answered = status(error)
    if answered is None:
        return Verdict.LATER, type(error).__name__
    if 400 <= answered < 500 and answered not in _WAIT_FOR:
        text = getattr(getattr(error, "response", None), "text", "")
        return Verdict.NEVER, f"HTTP {answered}: {str(text)[:500]}"
    return Verdict.LATER, f"HTTP {answered}"


def revive(document: dict[str, Any]) -> RunEvent:
    """The event behind its JSON, typed as far as transports look into it."""
    run, job = document["run"], document["job"]
    return RunEvent(
        eventTime=document["eventTime"],
        eventType=RunState(document["eventType"]),
        producer=document["producer"],
        run=Run(run["runId"], _with_parent(run.get("facets") or {})),
        job=Job(job["namespace"], job["name"], job.get("facets") or {}),
        inputs=[
            InputDataset(d["namespace"], d["name"], d.get("inputFacets") or {}, facets=d.get("facets") or {})
            for d in document.get("inputs") or ()
        ],
        outputs=[
            OutputDataset(
                d["namespace"], d["name"], d.get("outputFacets") or {}, facets=d.get("facets") or {}
            )
            for d in document.get("outputs") or ()
        ],
    )


def _with_parent(facets: dict[str, Any]) -> dict[str, Any]:
    """Kafka's transport makes its message keys from the parent facet."""
    parent = facets.get("parent")
    if parent is None:
        return facets
    root = parent.get("root")
    typed = parent_run.ParentRunFacet(
        run=parent_run.Run(**parent["run"]),
        job=parent_run.Job(**parent["job"]),
        root=parent_run.Root(parent_run.RootRun(**root["run"]), parent_run.RootJob(**root["job"]))
        if root
        else None,
        producer=parent["_producer"],
    )
    return {**facets, "parent": typed}
