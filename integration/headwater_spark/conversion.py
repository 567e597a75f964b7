"""The conversion of an application's documents to OpenLineage events, and what it needs: the client, and the analysis.

An error here is one line on standard error and, if an event can still be emitted, an entry in it that lists what is
missing.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import RunEvent

from headwater_spark.activation.configuration import unknown_settings
from headwater_spark.activation.declared import DeclaredFunctions
from headwater_spark.capture.application import Application
from headwater_spark.capture.application_end import LOST_DRIVER, ApplicationEnd
from headwater_spark.capture.program_reads import ProgramReads
from headwater_spark.delivery.delivery_health import LossLog
from headwater_spark.delivery.outbox import Outbox
from headwater_spark.guard import Failure, guarded
from headwater_spark.runs.deferred_ends import DEFAULT_FLUSH, FLUSH_TIMEOUT, defer_end
from headwater_spark.runs.lifecycle import Runs
from headwater_spark.runs.multi_inserts import MultiInserts
from headwater_spark.runs.summary import Summary, SummaryFile
from headwater_spark.tracing import Analyst
from headwater_spark.tracing.collected import Collected
from headwater_spark.units import seconds

log = logging.getLogger(__name__)

EXIT_TIME: Final = 0.5  # seconds
"""Time reserved for exiting, at most half of the flush timeout."""
FLUSH_SHARE: Final = 0.7
"""Share of the remaining time in which deliveries may start. The rest lets a started one finish, so that its event is
not sent twice."""


class Conversion:
    """The state of one application, updated by its documents."""

    def __init__(self) -> None:
        self._runs: Runs | None = None
        self._outbox: Outbox | None = None
        self._summary = Summary()
        self._summary_file = SummaryFile({})
        self._loss_log = LossLog()
        self._multi_inserts = MultiInserts()
        self._application: Mapping[str, Any] | None = None
        """The application's document, to start again from it after a failure."""
        self._ended: int | None = None
        """Time of the application's end as the driver reported it, in epoch milliseconds."""
        self._application_end = LOST_DRIVER
        self._deadline: int | None = None
        """Time at which the driver kills this process, in epoch milliseconds."""

    def take(self, frame: bytes) -> None:
        """Process one document. A malformed one is skipped and counted as lost."""
        done = guarded(lambda: self._handle(json.loads(frame)))
        if isinstance(done, Failure):
            self._loss_log.report("a document from the Spark driver could not be read: %s", done.where)
            if self._runs is not None:
                self._runs.count_unreadable()

    def finish(self) -> None:
        """End the runs, deliver their events, and reset the state."""
        if self._runs is None or self._outbox is None:
            return
        now = self._ended or time.time_ns() // 1_000_000
        is_deferred = self._ended is not None and defer_end(
            self._application or {}, self._runs.application, now
        )
        self._runs.end_application(now, None if is_deferred else self._application_end)
        left = self._seconds_left(self._runs.application)
        self._outbox.flush(left * FLUSH_SHARE)
        self._outbox.close(left * (1 - FLUSH_SHARE))
        self._summary.waiting, self._summary.lost = self._outbox.waiting, self._outbox.lost
        self._summary.is_running = False
        self._summary_file.write(self._summary)
        self._runs = self._outbox = self._ended = self._deadline = self._application = None
        self._application_end = LOST_DRIVER

    def _seconds_left(self, application: Application) -> float:
        """Seconds for deliveries: the time for which the driver waits, without the part reserved for exiting.

        Once it waits no more, as long again as it would have.
        """
        limit = seconds(application.conf.get(FLUSH_TIMEOUT, ""), DEFAULT_FLUSH)
        if self._deadline is not None and (driver_waits := self._deadline / 1000 - time.time()) > 0:
            limit = min(limit, driver_waits)
        return max(limit - EXIT_TIME, limit / 2)

    def _handle(self, document: Mapping[str, Any]) -> None:
        match document["kind"]:
            case "application":
                self.finish()
                self._loss_log, self._application = LossLog(), document
                self._open(document)
            case "execution-start":
                for part in self._multi_inserts.started(document):
                    self._running.start_execution(part)
            case "execution-end":
                for part in self._multi_inserts.ended(document):
                    self._running.end_execution(part)
            case "records":
                self._running.add_records(document)
            case "stream-end":
                self._running.end_query(document)
            case "application-end":
                self._ended = int(document.get("time") or time.time_ns() // 1_000_000)
                self._application_end = ApplicationEnd.from_document(document)
                self._deadline = document.get("deadline")
            case other:
                log.warning("a document of the unknown kind %r is ignored", other)

    @property
    def _running(self) -> Runs:
        """The current runs; those of an unnamed application if its document was lost."""
        return self._runs or self._open(self._application or {"time": time.time_ns() // 1_000_000})

    def _open(self, document: Mapping[str, Any]) -> Runs:
        application = Application.from_document(document)
        _warn_of_unknown_settings(application)
        self._outbox = Outbox.from_conf(application.conf)
        client = OpenLineageClient(transport=self._outbox)
        self._summary, self._summary_file = Summary(), SummaryFile(application.conf)
        self._summary_file.write(self._summary)

        def emit(event: RunEvent) -> None:
            self._summary.add(event)
            client.emit(event)

        declared = DeclaredFunctions(application.conf).find
        collected = Collected()
        analyst = Analyst(declared=declared, collected=collected)
        self._runs = Runs(
            application,
            analyst.analyse,
            emit,
            self._loss_log,
            collected,
            own_reads=ProgramReads(application.conf),
            given=(*application.conf.values(), *os.environ.values(), str(Path.cwd())),
        )
        self._runs.start_application()
        return self._runs


def _warn_of_unknown_settings(application: Application) -> None:
    for name, nearest in unknown_settings(application.conf):
        hint = f"; did you mean {nearest}?" if nearest else ""
        log.warning("%s is not a setting of Headwater%s", name, hint)
