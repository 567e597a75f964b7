"""``python -m headwater_spark.brain``: plan documents on standard input become OpenLineage events.

The process is started and fed by the agent in Spark's driver. It must never matter to the job: whatever goes
wrong here is one line on standard error and, where there is still an event to send, an entry that says what is
missing. At the end of the input, or on SIGTERM, it delivers what it can within the flush time and leaves; the
rest waits in the spool.
"""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import RunEvent

from headwater_spark.activation.configuration import misspelt
from headwater_spark.activation.declared import DeclaredFunctions
from headwater_spark.capture.application import Application
from headwater_spark.capture.ending import LOST_DRIVER, Ending
from headwater_spark.capture.frames import BrokenStreamError, Readable, frames
from headwater_spark.delivery.delivery_health import Losses
from headwater_spark.delivery.spool import Outbox
from headwater_spark.guard import Failure, guarded
from headwater_spark.runs.held_ends import DEFAULT_FLUSH, FLUSH_TIMEOUT, hand_over
from headwater_spark.runs.lifecycle import Runs
from headwater_spark.runs.summary import Summary, SummaryFile
from headwater_spark.tracing import Analyst
from headwater_spark.tracing.collected import Collected
from headwater_spark.units import seconds

log = logging.getLogger(__name__)

EXIT_TIME: Final = 0.5  # seconds
"""What the process needs to leave, of the time that it has; half of that at most."""
FLUSH_SHARE: Final = 0.7
"""Of the rest, for beginning to deliver; the rest is for what is on its way then, lest it is sent twice."""
CAPTURE: Final = "HEADWATER_CAPTURE"


class Brain:
    """The state of one application, fed with documents."""

    def __init__(self) -> None:
        self._runs: Runs | None = None
        self._outbox: Outbox | None = None
        self._summary = Summary()
        self._summary_file = SummaryFile({})
        self._losses = Losses()
        self._application: Mapping[str, Any] | None = None
        """The application's document, to begin with once more where that has failed."""
        self._ended: int | None = None
        """When the application said that it ended, in epoch milliseconds."""
        self._ending = LOST_DRIVER
        self._deadline: int | None = None
        """When the driver ends this process at the latest, likewise."""

    def take(self, frame: bytes) -> None:
        """One document; whatever is wrong with it costs no more than itself."""
        done = guarded(lambda: self._handle(json.loads(frame)))
        if isinstance(done, Failure):
            self._losses.say("a document could not be read: %s", done.where)
            if self._runs is not None:
                self._runs.unreadable()

    def finish(self) -> None:
        """End the runs, deliver, and let go."""
        if self._runs is None or self._outbox is None:
            return
        now = self._ended or time.time_ns() // 1_000_000
        is_held = self._ended is not None and hand_over(self._application or {}, self._runs.application, now)
        self._runs.end(now, None if is_held else self._ending)
        left = self._seconds_left(self._runs.application)
        self._outbox.flush(left * FLUSH_SHARE)
        self._outbox.close(left * (1 - FLUSH_SHARE))
        self._summary.waiting, self._summary.lost = self._outbox.waiting, self._outbox.lost
        self._summary.is_running = False
        self._summary_file.write(self._summary)
        self._runs = self._outbox = self._ended = self._deadline = self._application = None
        self._ending = LOST_DRIVER

    def _seconds_left(self, application: Application) -> float:
        """For deliveries: of what the driver waits for this process, the part that is not needed to leave."""
        limit = seconds(application.conf.get(FLUSH_TIMEOUT, ""), DEFAULT_FLUSH)
        if self._deadline is not None:
            limit = min(limit, max(self._deadline / 1000 - time.time(), 0))
        return max(limit - EXIT_TIME, limit / 2)

    def _handle(self, document: Mapping[str, Any]) -> None:
        match document["kind"]:
            case "application":
                self.finish()
                self._losses, self._application = Losses(), document
                self._open(document)
            case "execution-start":
                self._running.started(document)
            case "execution-end":
                self._running.ended(document)
            case "stream-end":
                self._running.query_ended(document)
            case "application-end":
                self._ended = int(document.get("time") or time.time_ns() // 1_000_000)
                self._ending = Ending.of_document(document)
                self._deadline = document.get("deadline")
            case other:
                log.warning("a document of unknown kind %r is passed over", other)

    @property
    def _running(self) -> Runs:
        """The runs; of a nameless application when its document was lost."""
        return self._runs or self._open(self._application or {"time": time.time_ns() // 1_000_000})

    def _open(self, document: Mapping[str, Any]) -> Runs:
        application = Application.from_document(document)
        _warn_of_misspelt(application)
        self._outbox = Outbox.of(application.conf)
        client = OpenLineageClient(transport=self._outbox)
        self._summary, self._summary_file = Summary(), SummaryFile(application.conf)
        self._summary_file.write(self._summary)

        def emit(event: RunEvent) -> None:
            self._summary.add(event)
            client.emit(event)

        declared = DeclaredFunctions(application.conf).find
        collected = Collected()
        analyst = Analyst(declared=declared, collected=collected)
        self._runs = Runs(application, analyst.analyse, emit, self._losses, collected)
        self._runs.begin()
        return self._runs


def _warn_of_misspelt(application: Application) -> None:
    for name, nearest in misspelt(application.conf):
        hint = f"; did you mean {nearest}?" if nearest else ""
        log.warning("%s is no setting of Headwater%s", name, hint)


class Input:
    """A file descriptor to read from, which is at its end as soon as SIGTERM comes.

    The signal is seen through a pipe of its own: a handler alone would miss one that arrives just before the
    read blocks, or that the kernel gives to another thread.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._alarm, self._bell = os.pipe()
        os.set_blocking(self._bell, False)

    def heed_signals(self) -> None:
        """Listen to SIGTERM; leave the keyboard and the terminal to the driver, whose end is the input's."""
        signal.set_wakeup_fd(self._bell, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def read(self, most: int, /) -> bytes:
        """What is there, at most so many bytes; nothing at the end."""
        ready, _, _ = select.select([self._descriptor, self._alarm], [], [])
        return b"" if self._alarm in ready else os.read(self._descriptor, most)


def documents(stream: Readable) -> Iterator[bytes]:
    """The frames until the input ends or breaks."""
    try:
        yield from frames(stream)
    except BrokenStreamError as broken:
        log.warning("the driver's documents end early: %s", broken)


def serve(stream: Readable) -> None:
    """Feed a brain with what comes until it ends."""
    brain = Brain()
    capture = os.environ.get(CAPTURE)
    for content in documents(stream):
        if capture and not _record(Path(capture), content):
            capture = None
        brain.take(content)
    brain.finish()


def _record(path: Path, content: bytes) -> bool:
    """Append a document to the file; False when that is not possible."""
    try:
        with path.open("ab") as file:
            file.write(content.replace(b"\n", b" ") + b"\n")
    except OSError as error:
        log.warning("no more documents are captured: %s; lineage goes on", error)
        return False
    return True


def main() -> int:
    """Run until the input ends. The exit code is 0 unless the agent itself is broken."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(message)s")
    logging.getLogger("headwater_spark").setLevel(logging.INFO)
    logging.getLogger("openlineage.client.transport.console").setLevel(logging.INFO)
    stream = Input(sys.stdin.fileno())
    stream.heed_signals()
    done = guarded(lambda: serve(stream))
    if isinstance(done, Failure):
        log.error("the agent's process ends: %s", done)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
