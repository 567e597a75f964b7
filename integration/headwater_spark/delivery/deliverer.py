"""Delivers the events of spools to one destination, one at a time, those of a run in order.

``verdict`` decides whether a failed event is tried again later, or set aside.

After a failure, events of other runs show whether the receiver or this event is the cause: the next attempt is with the
oldest event of another run. While those fail too, the receiver is away, and each run has its turn. Once one is
accepted, the failed ones are tried again. A run whose event fails ``TRIES`` times, after which another run's is
accepted, is parked and blocks nothing: it is retried after a pause, when nothing else waits. It stays in the file of
its process, and events of the same run in another file wait behind it.
"""

from __future__ import annotations

import json
import logging
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Final

from openlineage.client.transport.transport import Transport

from headwater_queue.entry import FIRST_TURN, Entry
from headwater_queue.entry import LONGEST_PAUSE as LONGEST_RETRY
from headwater_queue.errors import QueueError
from headwater_spark.delivery.delivery_health import DeliveryHealth
from headwater_spark.delivery.destination import Destination
from headwater_spark.delivery.spool import FIRST_PAUSE as FIRST_RETRY
from headwater_spark.delivery.spool import Spool, orphans
from headwater_spark.delivery.stored_event import parse_event
from headwater_spark.delivery.verdict import Verdict, verdict
from headwater_spark.guard import Failure, guarded

log = logging.getLogger(__name__)

FIRST_PAUSE: Final = 0.25  # seconds
LONGEST_PAUSE: Final = 30.0
HURRIED_PAUSE: Final = 0.5
TRIES: Final = 2
"""Failures of one event after which its run is parked, as soon as another run's event is accepted."""
PROBES: Final = 3
"""Consecutive failures, of different runs, after which the receiver seems to be away: then each failure is followed by
a pause."""
MOST_STUCK: Final = 64
"""Undeliverable spools of ended processes that are open at a time; later processes deliver the others."""
PATIENCE: Final = 2.0  # seconds of nothing but failures after which a flush gives up


@dataclass(slots=True)
class FailedStream:
    """The failures of a stream's oldest event; ``accepted``: the number of accepted events at the last failure."""

    reason: str
    tries: int = 0
    accepted: int = 0


class Deliverer:
    """A thread that delivers to one destination: the events of ended processes, and those of its own spool."""

    def __init__(self, destination: Destination, folder: Path, own: Spool | None) -> None:
        self.destination = destination
        self.health = DeliveryHealth(destination.label)
        self.rejected = 0
        self._folder = folder
        self._own = own
        self._own_skipped: set[str] = set()
        self._backlog: dict[Spool, set[str]] = {}
        """Spools of ended processes, with the streams that are skipped in each."""
        self._backlog_done = False
        self._orphans = orphans(folder)
        self._orphans_due = inf
        """When to look for parked streams of ended processes again."""
        self._parked: dict[str, float] = {}
        """Streams that are parked in any file, and when each is due."""
        self._failed: dict[str, FailedStream] = {}
        self._accepted = 0
        self._consecutive_failures = 0
        self._pause = FIRST_PAUSE
        self._pauses = 0
        self._transport: Transport | None = None
        self._wake = threading.Event()
        self._hurry = threading.Event()
        self._stop = threading.Event()
        self._failing_since: float | None = None
        self._hurried_at = 0.0
        self._deadline = float("inf")
        self._duration = 0.0
        """Seconds that the last attempt to send an event took."""
        self._is_sending = False
        self._thread = threading.Thread(target=self._work, name=f"deliver-{destination.kind}", daemon=True)

    def start(self) -> None:
        """Start delivering."""
        self._thread.start()

    def notify(self) -> None:
        """Wake the thread: the spool has a new event."""
        self._wake.set()

    @property
    def pending(self) -> int:
        """The number of undelivered events of this process, without parked ones."""
        return self._own.pending if self._own else 0

    def hurry(self, deadline: float = float("inf")) -> None:
        """Make short pauses from now on: the process is about to end.

        No event is sent that would arrive after the deadline (of ``time.monotonic``), judging by the duration of the
        last attempt: its result would be unknown, and it would be sent again later.
        """
        self._deadline = deadline
        self._hurried_at = time.monotonic()
        self._hurry.set()
        self._wake.set()

    def settled(self) -> bool:
        """Whether further waiting is pointless: all events are delivered, or none can be."""
        failing = self._failing_since
        gave_up = failing is not None and time.monotonic() - max(failing, self._hurried_at) > PATIENCE
        idle = self._backlog_done and not self._undelivered and self._own is not None
        is_over = self._is_too_late() and not self._is_sending
        return idle or gave_up or is_over or not self._thread.is_alive()

    def stop(self, timeout: float = 5) -> None:
        """Stop the thread after the current event; waits for it ``timeout`` seconds at most."""
        self._stop.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(timeout)
        if self._transport is not None and not self._thread.is_alive():
            guarded(self._transport.close)

    def _work(self) -> None:
        done = guarded(self._run)
        if isinstance(done, Failure):
            self.health.add_problem("ended", f"delivery stopped after an error ({done}); events are kept")

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.clear()
            self._deliver_round()
            if self._is_too_late():
                self._wake.wait()
            elif self._backlog_done and not self._undelivered:
                if self._own is None:
                    break
                self._idle(self._own)
        for spool in self._backlog:
            spool.close()

    def _idle(self, own: Spool) -> None:
        """Wait for events, or until parked ones are due unless the process is about to end."""
        due = inf if self._hurry.is_set() else min(own.next_due(), self._orphans_due)
        pause = None if due == inf else min(max(due - time.time(), 1.0), LONGEST_RETRY)
        if not self._wake.wait(pause) and self._orphans_due < inf:
            self._orphans, self._orphans_due, self._backlog_done = orphans(self._folder), inf, False

    @property
    def _undelivered(self) -> bool:
        return bool(self._backlog) or self.pending > 0

    def _deliver_round(self) -> None:
        """Send the events of each spool, those of ended processes first."""
        before = self._accepted, self._pauses
        self._adopt()
        for spool, skipped in tuple(self._backlog.items()):
            with self._setting_aside(spool):
                self._serve(spool, skipped)
                if not spool.pending:
                    self._release(spool)
        if self._own:
            self._serve(self._own, self._own_skipped)
        if self._undelivered and before == (self._accepted, self._pauses):
            self._make_pause()

    def _adopt(self) -> None:
        """Open the next spool of an ended process with events that are due, unless too many are stuck."""
        if len(self._backlog) >= MOST_STUCK:
            return
        for spool in self._orphans:
            self._backlog[spool] = set()
            with self._setting_aside(spool):
                if self._own is None:
                    spool.make_due()
                self._parked.update(spool.parked_streams())
                if spool.next() is not None:
                    return
                self._release(spool)
        self._backlog_done = True

    def _release(self, spool: Spool) -> None:
        """Close the spool of an ended process in which nothing is left but parked streams."""
        self._orphans_due = max(min(self._orphans_due, spool.next_due()), time.time() + FIRST_RETRY)
        del self._backlog[spool]
        spool.close()

    @contextmanager
    def _setting_aside(self, spool: Spool) -> Iterator[None]:
        """Set the spool of an ended process aside if it cannot be read."""
        try:
            yield
        except QueueError as error:
            self._backlog.pop(spool, None)
            spool.set_aside(error)

    def _serve(self, spool: Spool, skipped: set[str]) -> None:
        """Send a spool's events until no more are due, or the receiver seems to be away."""
        after = FIRST_TURN
        while not self._is_over():
            entry = spool.next(after)
            if entry is None or (entry.tries and self._has_better_to_do):
                skipped.clear()
                return
            if (entry.stream or "") in skipped:
                after = entry.turn
            elif self._deliver(spool, entry):
                skipped.clear()
                after = FIRST_TURN
            else:
                skipped.add(entry.stream or "")
                if self._consecutive_failures >= PROBES:
                    self._make_pause()
                    return

    @property
    def _has_better_to_do(self) -> bool:
        """Whether parked streams are not retried now."""
        return self._own is not None and (self.pending > 0 or self._hurry.is_set())

    def _deliver(self, spool: Spool, entry: Entry) -> bool:
        """Send or park an event; whether its stream may go on."""
        stream = entry.stream or ""
        until = self._parked.get(stream, 0)
        # Behind its earlier events, which are parked in another file.
        if 0 < until - time.time() <= LONGEST_RETRY:
            return spool.park(entry, until + 1) is not None
        if self._is_stuck(stream):
            return self._park(spool, entry)
        result, reason = self._try(spool, entry) if entry.tries else self._timed(spool, entry)
        if result is not Verdict.LATER:
            self._record_success(stream)
            self._settle(spool, entry, result, reason)
            return True
        if entry.tries:
            return self._park(spool, entry)
        self._record_failure(stream, reason)
        return False

    def _is_stuck(self, stream: str) -> bool:
        failed = self._failed.get(stream)
        return failed is not None and failed.tries >= TRIES and failed.accepted < self._accepted

    def _park(self, spool: Spool, entry: Entry) -> bool:
        """Park an event's stream; False if that fails now."""
        stream = entry.stream or ""
        failed = self._failed.pop(stream, None)
        due = spool.park(entry)
        if due is None:
            return False
        self._parked[stream] = due
        if failed:
            kind = "parked" if spool is self._own else "parked for others"
            self.health.add_problem(
                kind, f"it keeps failing on some runs while it accepts others ({failed.reason})"
            )
        return True

    def _settle(self, spool: Spool, entry: Entry, result: Verdict, reason: str) -> None:
        if result is Verdict.DELIVERED:
            spool.remove(entry)
        else:
            self.rejected += spool.reject(entry, reason)
            self.health.add_problem("refused", f"it refused an event: {reason}")

    def _record_success(self, stream: str) -> None:
        self._accepted += 1
        self._failed.pop(stream, None)
        self._parked.pop(stream, None)
        self._pause, self._failing_since, self._consecutive_failures = FIRST_PAUSE, None, 0
        self.health.clear("away")

    def _record_failure(self, stream: str, reason: str) -> None:
        failed = self._failed.setdefault(stream, FailedStream(reason))
        failed.tries, failed.accepted = failed.tries + 1, self._accepted
        self._failing_since = self._failing_since or time.monotonic()
        self.health.add_problem("away", f"it accepts no events ({reason})")
        self._consecutive_failures += 1

    def _is_over(self) -> bool:
        return self._stop.is_set() or self._is_too_late()

    def _is_too_late(self) -> bool:
        return time.monotonic() + self._duration > self._deadline

    def _timed(self, spool: Spool, entry: Entry) -> tuple[Verdict, str]:
        began = time.monotonic()
        self._is_sending = True
        result = self._try(spool, entry)
        self._duration = time.monotonic() - began
        self._is_sending = False
        return result

    def _make_pause(self) -> None:
        """Pause, and make the next pause longer."""
        pause = self._pause
        self._pause = min(pause * 2, LONGEST_PAUSE)
        self._pauses += 1
        if self._hurry.is_set():
            self._stop.wait(min(pause, HURRIED_PAUSE))
            return
        deadline = time.monotonic() + pause * random.uniform(0.8, 1.2)  # noqa: S311 - spreads retries
        while time.monotonic() < deadline and not (self._stop.is_set() or self._hurry.is_set()):
            self._stop.wait(0.1)

    def _try(self, spool: Spool, entry: Entry) -> tuple[Verdict, str]:
        content = spool.content(entry)
        event = guarded(lambda: parse_event(json.loads(content)))
        if isinstance(event, Failure):
            return Verdict.NEVER, f"unreadable: {event}"
        sent = guarded(lambda: self._open().emit(event))
        return verdict(sent.error) if isinstance(sent, Failure) else (Verdict.DELIVERED, "")

    def _open(self) -> Transport:
        if self._transport is None:
            self._transport = self.destination.open()
        return self._transport
