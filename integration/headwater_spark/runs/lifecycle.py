"""Converts documents to runs: one run for each write of the user, with one START and one last event.

Spark reports executions, and one write may be several: a CREATE TABLE AS SELECT runs a nested insert with the same
root. Nested executions are *folded* into the outermost one that writes, which adopts their statistics and the location
that they wrote to. An execution that writes nothing is a run without outputs if it returns values to the program
(``accesses``), or if the configuration requests all accesses; otherwise it is not a run.

An execution is *announced* (START) as soon as it is known to write. If its plan is only in its end document, START and
the last event are sent together, and executions nested in it wait until then. The START of a table for which the
catalog chooses the location waits for the nested insert, which reveals it: a dataset has one name in all events of a
run. A write that leaves its target alone where that exists (``mode("ignore")``, IF NOT EXISTS) has no START before it
is known to write, and is no run if it has not.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from headwater_facets import schemas
from headwater_facets.locations import DatasetId
from headwater_spark.capture.application import Application, Job
from headwater_spark.capture.application_end import ApplicationEnd
from headwater_spark.capture.caches import Caches
from headwater_spark.capture.execution import Outcome
from headwater_spark.capture.program_reads import ProgramReads
from headwater_spark.delivery.delivery_health import LossLog
from headwater_spark.emit import events
from headwater_spark.executions.execution import Execution
from headwater_spark.naming.datasets import Catalogs
from headwater_spark.naming.models import Models
from headwater_spark.runs.accesses import Accesses
from headwater_spark.runs.event_sender import Emit, EventSender
from headwater_spark.runs.held_data import HeldData
from headwater_spark.runs.plan_analysis import Analyse, PlanAnalysis
from headwater_spark.runs.states import Change
from headwater_spark.runs.streams import Streams
from headwater_spark.runs.tracked_execution import PERHAPS_NOT_WRITTEN, TrackedExecution
from headwater_spark.tracing.collected import Collected

_MOST_ENDED: Final = 1_000


class Runs:
    """The runs of one application. ``analyse`` and ``emit`` may raise anything, which is contained here."""

    def __init__(
        self,
        application: Application,
        analyse: Analyse,
        emit: Emit,
        loss_log: LossLog | None = None,
        collected: Collected | None = None,
        *,
        own_reads: ProgramReads | None = None,
        given: Iterable[str] = (),
    ) -> None:
        self.application = application
        losses = loss_log or LossLog()
        self._analysis = PlanAnalysis(analyse, losses)
        self._sender = EventSender(emit, losses)
        self._tracked: dict[int, TrackedExecution] = {}
        self._dropped = 0
        self._unreadable = 0
        self._collected = Collected() if collected is None else collected
        self._held = HeldData(self._collected, own_reads, given)
        self._changed: dict[DatasetId, int] = {}
        """When each dataset was last written, in epoch milliseconds."""
        self._ended: OrderedDict[int, Job] = OrderedDict()
        """The runs of the last executions that have ended, of which more may be reported."""
        self._accesses = Accesses(application)
        self._models = Models()
        self._streams = Streams(self._sender.send_execution)

    def start_application(self) -> None:
        """Emit the START of the application."""
        self._sender.send(
            lambda: events.application_started(self.application), "the start of the application"
        )

    def start_execution(self, document: Mapping[str, Any]) -> None:
        """Process an ``execution-start`` document."""
        tracked = self._track(document)
        self._tracked[tracked.execution.id] = tracked
        self._analyse_plan(tracked, document.get("plan"))
        if tracked.query is not None:
            if tracked.writes:
                self._streams.start_batch(tracked.query, tracked.execution)
            elif self._is_reported_access(tracked):
                self._announce_access(tracked)
        elif tracked.writes:
            self._fold_or_announce(tracked)
        elif self._is_reported_access(tracked):
            self._announce_access(tracked)

    def end_execution(self, document: Mapping[str, Any]) -> None:
        """Process an ``execution-end`` document."""
        tracked = self._tracked.pop(int(document["execution"]), None) or self._track(document)
        tracked.execution = tracked.execution.with_end(document)
        self._take_caches(tracked, document)
        self._analyse_plan(tracked, document.get("plan") or tracked.plan)
        outcome = self._parse_outcome(document, tracked)
        self._adopt_columns(tracked, outcome)
        if outcome.error:
            self._held.add_failure(tracked.execution)
        if tracked.query is not None:
            self._streams.keep(tracked.query, tracked.execution, outcome)
            if (batch := self._batch_of(tracked)) is not None:
                batch.inner.append(outcome)
            elif tracked.writes:
                self._streams.end_batch(tracked.query, tracked.execution, tracked.with_inner(outcome))
            elif tracked.announced or self._is_reported_access(tracked):
                self._end_access(tracked, outcome)
            return
        if tracked.writes and not tracked.announced and tracked.host is None:
            self._fold_or_announce(tracked)
        elif not tracked.announced and self._is_reported_access(tracked):
            self._announce_access(tracked)
        self._finish(tracked, outcome)

    def add_records(self, document: Mapping[str, Any]) -> None:
        """Process a ``records`` document: what was kept of the records of an execution that has ended."""
        job = self._ended.get(int(document["execution"])) or self._ended.get(int(document["root"]))
        if job is not None and schemas.RECORDS not in self.application.disabled_facets:
            self._sender.send(
                lambda: events.records_kept(
                    self.application, job, document["records"], int(document["time"])
                ),
                f"the records of SQL execution {document['execution']}",
            )

    def end_query(self, document: Mapping[str, Any]) -> None:
        """Process a ``stream-end`` document: a streaming query has stopped."""
        self._streams.end_query(str(document["query"]), int(document["time"]), document.get("error"))

    def count_unreadable(self) -> None:
        """Count a document that could not be read: it may have belonged to any running execution."""
        self._unreadable += 1

    def end_application(self, time: int, end: ApplicationEnd | None) -> None:
        """End the application, and abort all executions that are still running.

        Without an ``end``, another process emits the application's own last event.
        """
        for tracked in [tracked for tracked in self._tracked.values() if tracked.announced]:
            outcome = Outcome(time, aborted=True, dropped=self._missing - tracked.dropped_before)
            self._send_end(tracked, outcome)
        self._tracked.clear()
        self._streams.abort(time)
        self._held.close()
        if end is not None:
            self._sender.send(
                lambda: events.application_ended(self.application, end, time), "the end of the application"
            )

    @property
    def _missing(self) -> int:
        """The number of documents that were dropped or could not be read."""
        return self._dropped + self._unreadable

    def _track(self, document: Mapping[str, Any]) -> TrackedExecution:
        execution = Execution.from_document(document, self.application)
        root = document.get("root")
        return TrackedExecution(execution, execution.id if root is None else int(root), self._missing)

    def _take_caches(self, tracked: TrackedExecution, document: Mapping[str, Any]) -> None:
        """Add what it took out of caches: a command runs the insert that does so as a nested execution."""
        found = Caches.of(document.get("cached") or (), Catalogs(self.application.conf))
        if found:
            for each in (tracked, self._tracked.get(tracked.root)):
                if each is not None:
                    each.execution, each.is_stale = each.execution.with_caches(found), True

    def _analyse_plan(self, tracked: TrackedExecution, plan: Any) -> None:
        if plan is None or (plan == tracked.plan and not tracked.is_stale):
            return
        if not tracked.is_stale:
            self._held.add_own_reads(tracked.execution.started, self._changed)
            tracked.execution = tracked.execution.with_earlier(self._collected.now, self._changed)
        version = self.application.versions.get("spark") or ""
        execution = tracked.execution
        lineage = self._analysis.lineage(plan, version, execution.constants, execution.computes)
        tracked.plan, tracked.resolved, tracked.is_stale = plan, True, False
        tracked.execution = self._held.with_names(self._with_models(execution.with_analysis(lineage)))
        self._changed |= {each.id: execution.started for each in tracked.execution.targets()}
        self._held.add_names(tracked.execution)
        if not self._is_step(tracked):
            self._held.add_execution(tracked.execution)

    def _with_models(self, execution: Execution) -> Execution:
        if execution.of_model:
            self._models.add(chain.from_iterable(execution.reads()), execution.targets())
        return execution.with_models(self._models.places)

    def _is_step(self, tracked: TrackedExecution) -> bool:
        """Whether it is a step of a command that writes. Executions inside a micro-batch are the user's own."""
        root = self._tracked.get(tracked.root)
        return root is not None and root is not tracked and root.writes and root.query is None

    def _adopt_columns(self, step: TrackedExecution, outcome: Outcome) -> None:
        """Take a step's lineage for its command's where it writes all that the command gives and more: columns that the
        table computes itself (Delta's generated columns, defaults).
        """
        root = self._tracked.get(step.root)
        if root is None or root is step or not (outcome.output or {}).get("rows") or not root.has_step(step):
            return
        version = self.application.versions.get("spark") or ""
        by = replace(step.execution.computes, step_of=root.command)
        lineage = self._analysis.lineage(step.plan, version, step.execution.constants, by)
        if root.is_widened_by(lineage):
            root.execution = root.execution.with_lineage(lineage)

    def _batch_of(self, tracked: TrackedExecution) -> TrackedExecution | None:
        """The micro-batch of which it is only a step: Spark runs the batch of a V2 sink as two executions."""
        root = self._tracked.get(tracked.root)
        same = root is not None and root is not tracked and root.query == tracked.query
        return root if same and root is not None and root.writes and root.targets == tracked.targets else None

    def _parse_outcome(self, document: Mapping[str, Any], tracked: TrackedExecution) -> Outcome:
        self._dropped = max(self._dropped, int(document.get("dropped") or 0))
        return Outcome.of(document, tracked.execution.started, self._missing - tracked.dropped_before)

    def _fold_or_announce(self, tracked: TrackedExecution) -> None:
        """Fold it into its host, let it wait for a root whose plan is unknown, or announce it."""
        tracked.host = self._host_of(tracked)
        if tracked.host is not None:
            tracked.change(Change.JOIN)
            tracked.host.take_in(tracked)
            if not tracked.host.waits_for_write:
                self._send_start(tracked.host)
        elif not self._waits_for_root(tracked):
            self._announce(tracked)

    def _host_of(self, tracked: TrackedExecution) -> TrackedExecution | None:
        root = self._tracked.get(tracked.root)
        if root is not None and root is not tracked and root.announced and not root.is_access:
            return root
        family = (
            other for other in self._tracked.values() if other.root == tracked.root and other is not tracked
        )
        return next((other for other in family if other.announced and other.names & tracked.names), None)

    def _waits_for_root(self, tracked: TrackedExecution) -> bool:
        root = self._tracked.get(tracked.root)
        return root is not None and root is not tracked and not root.resolved

    def _finish(self, tracked: TrackedExecution, outcome: Outcome) -> None:
        if tracked.host is not None:
            tracked.host.fold_in(tracked, outcome)
        elif tracked.announced:
            self._close(tracked, outcome)
        elif tracked.writes and (root := self._tracked.get(tracked.root)) is not None:
            tracked.change(Change.WAIT)
            root.waiting.append((tracked, outcome))
        elif (root := self._tracked.get(tracked.root)) is not None and outcome.output:
            # A step of a command: its output belongs to the command.
            root.inner.append(outcome)
        elif tracked.may_have_written(outcome):
            self._announce(tracked)
            self._close(tracked, outcome)
        else:
            self._release_waiting(tracked)

    def _close(self, tracked: TrackedExecution, outcome: Outcome) -> None:
        if tracked.is_access and outcome.error:
            self._accesses.discard(tracked.execution)
        if tracked.is_access:
            self._release_waiting(tracked)
        else:
            for other, inner in tracked.waiting:
                tracked.fold_in(other, inner)
        self._send_end(tracked, outcome)

    def _release_waiting(self, root: TrackedExecution) -> None:
        """Make runs of the executions that waited for a root that writes nothing.

        Of two that write the same dataset, the inner one is folded into the outer one.
        """
        last = {name: tracked for tracked, _ in root.waiting for name in tracked.names}
        hosts = [
            next((last[name] for name in tracked.names if last[name] is not tracked), tracked)
            for tracked, _ in root.waiting
        ]
        for (tracked, outcome), host in zip(root.waiting, hosts, strict=True):
            if host is not tracked:
                host.fold_in(tracked, outcome)
            else:
                self._announce(tracked)
                self._send_end(tracked, outcome)

    def _is_reported_access(self, tracked: TrackedExecution) -> bool:
        """Whether it is an action of the user that reads datasets, writes none, and is to be reported."""
        execution = tracked.execution
        if not tracked.resolved or not execution.is_access:
            return False
        if execution.is_inference or self._is_step(tracked):
            return False
        return self._accesses.includes(execution)

    def _announce_access(self, tracked: TrackedExecution) -> None:
        tracked.is_access = True
        tracked.execution = self._accesses.add(tracked.execution)
        self._announce(tracked)

    def _end_access(self, tracked: TrackedExecution, outcome: Outcome) -> None:
        if not tracked.announced:
            self._announce_access(tracked)
        self._close(tracked, outcome)

    def _announce(self, tracked: TrackedExecution) -> None:
        if tracked.change(Change.ANNOUNCE) and not (tracked.waits_for_location or tracked.waits_for_write):
            self._send_start(tracked)

    def _send_start(self, tracked: TrackedExecution) -> None:
        if tracked.change(Change.START):
            self._sender.send_execution(tracked.execution, events.started)

    def _send_end(self, tracked: TrackedExecution, outcome: Outcome) -> None:
        whole = tracked.with_inner(outcome)
        wrote = tracked.has_written(whole)
        if wrote is False:
            return
        if wrote is None:
            tracked.execution = tracked.execution.with_gap(PERHAPS_NOT_WRITTEN)
        self._send_start(tracked)
        tracked.change(Change.END)
        self._sender.send_execution(tracked.execution, lambda execution: events.ended(execution, whole))
        self._ended[tracked.execution.id] = tracked.execution.job
        if len(self._ended) > _MOST_ENDED:
            self._ended.popitem(last=False)
