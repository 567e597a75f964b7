"""Delivering journals to their destination, one event at a time, those of a run in order.

What a failure means: the receiver is away or asks to wait (no connection, 5xx, 408, 429), or is not rightly
configured (credentials or an address that it does not know, or a redirect, which is not followed), and the event is
tried again, later and later; or it does not want this event (any other 4xx), which is then put aside so that it does
not hold up those behind it.

Whether it is the receiver or this event is found out with the events of other runs: after a failure the next try is
with the oldest event of another run. While they fail too, the receiver is away, and each run has its turn. Once one is
taken, those that failed are tried again. A run whose event fails ``TRIES`` times, and after that another's is taken, is
parked (see ``parked``) and holds up nothing.
"""

from __future__ import annotations

import json
import logging
import random
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Final

from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import parent_run
from openlineage.client.transport.transport import Transport

from headwater_spark.delivery.delivery_health import Trouble
from headwater_spark.delivery.journal import Journal, orphans
from headwater_spark.delivery.parked import Parked, forget_tries
from headwater_spark.delivery.transport import Destination, redirect, status
from headwater_spark.guard import Failure, guarded

log = logging.getLogger(__name__)

_WAIT_FOR: Final = frozenset({401, 403, 404, 405, 407, 408, 425, 429})
FIRST_PAUSE: Final = 0.25  # seconds
LONGEST_PAUSE: Final = 30.0
HURRIED_PAUSE: Final = 0.5
TRIES: Final = 2
"""Failures of one event after which its run is parked, as soon as another's is taken."""
PROBES: Final = 3
"""Failures in a row, of different runs, after which the receiver seems to be away: from then on, each costs a pause."""
MOST_STUCK: Final = 64
"""Journals of dead processes that are held open while they cannot be delivered; others are left to later processes."""
PATIENCE: Final = 2.0  # seconds of nothing but failures after which a flush gives up


class Verdict(Enum):
    """What became of an event."""

    DELIVERED = "delivered"
    LATER = "later"
    NEVER = "never"


@dataclass(slots=True)
class Failed:
    """Failures of a stream's oldest event; ``taken``: how many events the receiver had taken at the last one."""

    reason: str
    tries: int = 0
    taken: int = 0


@dataclass(slots=True)
class Reader:
    """A journal that is read beyond the streams that are passed over for now."""

    journal: Journal
    passed: set[str] = field(default_factory=set)

    def next(self) -> tuple[bytes, str] | None:
        """The oldest event, and its stream, of those that are not passed over."""
        while (line := self.journal.peek()) is not None:
            if (stream := stream_of(line)) not in self.passed:
                return line, stream
            self.journal.skip()
        return None

    def restart(self) -> None:
        """Pass over nothing any more."""
        if self.passed:
            self.passed.clear()
            self.journal.rewind()


class Delivery:
    """The thread that delivers to one destination: what dead processes left, and its own journal."""

    def __init__(self, destination: Destination, folder: Path, own: Journal | None) -> None:
        self.destination = destination
        self.trouble = Trouble(destination.label)
        self.rejected = 0
        self._folder = folder
        self._own = own
        self._mine = [Reader(own)] if own else []
        self._orphans = orphans(folder)
        self._backlog: list[Reader] = []
        self._backlog_done = False
        self._parked = Parked(folder)
        self._failed: dict[str, Failed] = {}
        self._taken = 0
        self._in_a_row = 0
        self._pause = FIRST_PAUSE
        self._rests = 0
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
        """Events of this process that have not arrived, without those that are parked."""
        return self._own.pending if self._own else 0

    @property
    def parked(self) -> int:
        """Events that wait in streams that this process has parked."""
        return self._parked.own_events

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
        idle = self._backlog_done and not self._undelivered and self._own is not None
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
        while not self._stop.is_set():
            self._wake.clear()
            self._turn()
            if self._is_too_late():
                self._wake.wait()
            elif self._backlog_done and not self._undelivered:
                if self._own is None:
                    self._retry(self._parked.all())
                    return
                self._idle()
        for reader in [*self._backlog, *self._mine]:
            self._park_oldest(reader)
        for reader in self._backlog:
            reader.journal.close()

    def _park_oldest(self, reader: Reader) -> None:
        """Park what waits before events that have arrived, lest those are sent again by the next process."""
        reader.restart()
        while reader.journal.is_read_ahead and (found := reader.next()) is not None:
            self._park(reader, *found)

    def _idle(self) -> None:
        """Wait for events; meanwhile parked ones are tried again, unless the process is about to end."""
        if self._hurry.is_set():
            self._wake.wait()
        elif not self._wake.wait(self._parked.until_due()):
            self._retry(self._parked.due())

    @property
    def _undelivered(self) -> bool:
        return bool(self._backlog) or self.pending > 0

    def _turn(self) -> None:
        """Offer what each journal has, first those of dead processes."""
        taken, rests = self._taken, self._rests
        self._adopt()
        for reader in [*self._backlog, *self._mine]:
            self._serve(reader)
        for reader in [reader for reader in self._backlog if not reader.journal.pending]:
            reader.journal.close()
            self._backlog.remove(reader)
        if self._undelivered and (taken, rests) == (self._taken, self._rests):
            self._rest()

    def _adopt(self) -> None:
        """Take over the next dead process' journal, unless too many are stuck."""
        if len(self._backlog) >= MOST_STUCK:
            return
        journal = next(self._orphans, None)
        if journal is None:
            self._backlog_done = True
            return
        if journal.lost:
            log.warning("an event was cut off when its process died: %s", journal.path.name)
        self._backlog.append(Reader(journal))

    def _serve(self, reader: Reader) -> None:
        """Offer a journal's events until there are no more, or the receiver seems to be away."""
        while not self._is_over():
            found = reader.next()
            if found is None:
                reader.restart()
                return
            if self._is_parked(found[1]):
                self._park(reader, *found)
            elif not self._offer(reader, *found):
                return

    def _is_parked(self, stream: str) -> bool:
        failed = self._failed.get(stream)
        is_stuck = failed is not None and failed.tries >= TRIES and failed.taken < self._taken
        return is_stuck or self._parked.holds(stream)

    def _park(self, reader: Reader, line: bytes, stream: str) -> None:
        failed = self._failed.pop(stream, None)
        if self._parked.add(stream, line):
            reader.journal.acknowledge()
            reason = f" ({failed.reason})" if failed else ""
            self.trouble.note("parked", f"it keeps failing on some runs while it takes others{reason}")
        else:
            reader.passed.add(stream)

    def _offer(self, reader: Reader, line: bytes, stream: str) -> bool:
        """Send an event; whether to go on with its journal."""
        verdict, reason = self._timed(line)
        if verdict is Verdict.LATER:
            reader.passed.add(stream)
            return self._has_failed(stream, reason)
        self._has_taken(stream)
        self._settle(reader.journal, verdict, reason)
        reader.restart()
        return True

    def _settle(self, journal: Journal, verdict: Verdict, reason: str) -> None:
        if verdict is Verdict.DELIVERED:
            journal.acknowledge()
        else:
            self._refused(journal, reason)

    def _has_taken(self, stream: str) -> None:
        self._taken += 1
        self._failed.pop(stream, None)
        self._pause, self._failing_since, self._in_a_row = FIRST_PAUSE, None, 0
        self.trouble.over("away")

    def _has_failed(self, stream: str, reason: str) -> bool:
        """Note it; whether another stream is to be tried at once, to see if it is the receiver."""
        failed = self._failed.setdefault(stream, Failed(reason))
        failed.tries, failed.taken = failed.tries + 1, self._taken
        self._failing_since = self._failing_since or time.monotonic()
        self.trouble.note("away", f"it takes no events ({reason})")
        self._in_a_row += 1
        if self._in_a_row >= PROBES:
            self._rest()
        return self._in_a_row < PROBES

    def _retry(self, parked: Iterable[Path]) -> None:
        """Try parked streams again, as long as there is nothing else to deliver."""
        for path in parked:
            if self._is_over() or self.pending:
                return
            journal = Journal.adopt(path)
            if journal is not None:
                self._retry_stream(path, journal)

    def _retry_stream(self, path: Path, journal: Journal) -> None:
        while not self._is_over() and (line := journal.peek()) is not None:
            verdict, reason = self._try(line)
            if verdict is Verdict.LATER:
                self._parked.failed(path)
                break
            self._settle(journal, verdict, reason)
        if not journal.pending:
            forget_tries(path)
        journal.close()

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

    def _refused(self, journal: Journal, reason: str) -> None:
        self.rejected += journal.reject(reason)
        self.trouble.note("refused", f"it refused an event: {reason}")

    def _rest(self) -> None:
        """A pause, and the next one is longer."""
        pause = self._pause
        self._pause = min(pause * 2, LONGEST_PAUSE)
        self._rests += 1
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
    place = redirect(error)
    return Verdict.LATER, f"HTTP {answered}, a redirect to {place}" if place else f"HTTP {answered}"


def stream_of(line: bytes) -> str:
    """The run of an event; empty when it cannot be read."""
    found = guarded(lambda: str(json.loads(line)["run"]["runId"]))
    return "" if isinstance(found, Failure) else found


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
