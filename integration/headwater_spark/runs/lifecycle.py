"""From documents to runs: one run for each write that a user made, with one START and one end.

Spark tells of executions, and one write may be several: a CREATE TABLE AS SELECT runs an inner insert, with
the same root. The inner ones are *folded* into the outermost one that writes; what they counted, and the place
that they wrote to, become its own. An execution that writes nothing is a run without outputs where it hands values to
the program (``accesses``), or where all accesses are asked for; else it is none.

An execution is *announced* (START) as soon as it is known that it writes. When its plan comes only with its
end, START and end go out together; what ran inside it until then waits for that decision. The START of a table that a
catalog creates at a place of its own choice waits for the insert inside it, which shows that place: a dataset has one
name in all events of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

from openlineage.client.event_v2 import RunEvent

from headwater_facets.kinds import IncompleteReason
from headwater_spark.capture.application import Application, Execution, Outcome
from headwater_spark.capture.ending import Ending
from headwater_spark.constants import Constants
from headwater_spark.decode import source_of_leaf, target_of
from headwater_spark.delivery.delivery_health import Losses
from headwater_spark.emit import events
from headwater_spark.guard import Failure, guarded
from headwater_spark.naming.datasets import IN_MEMORY, DatasetId, Identity
from headwater_spark.naming.models import Models
from headwater_spark.runs.accesses import Accesses
from headwater_spark.runs.streams import Streams
from headwater_spark.tracing.collected import Collected
from headwater_spark.tracing.result import Gap, PlanLineage, Target
from headwater_spark.types import StructType

Analyse = Callable[[Mapping[str, Any], str, Constants], PlanLineage]
Emit = Callable[[RunEvent], None]
_TEMPORARY: Final = ("LocalTempView", "GlobalTempView")
_CREATING: Final = ("TableAsSelect", "SaveAsV1Table")
"""What the names of commands have in them that run an insert into the table that they create."""


@dataclass(slots=True)
class Live:
    """An execution that runs, or waits for its root's decision."""

    execution: Execution
    root: int
    dropped_before: int
    plan: Any = None
    resolved: bool = False
    """Whether its plan is known, and so whether it writes."""
    announced: bool = False
    started: bool = False
    """Whether its START is sent: from then on its dataset keeps its name."""
    is_access: bool = False
    """Whether it is told as a read without a write."""
    host: Live | None = None
    """The execution that it is folded into."""
    inner: list[Outcome] = field(default_factory=list)
    waiting: list[tuple[Live, Outcome]] = field(default_factory=list)
    """Finished inner executions that wait for this one's plan."""

    @property
    def query(self) -> str | None:
        """The streaming query that it is a micro-batch of."""
        return self.execution.query

    @property
    def writes(self) -> bool:
        """Whether it is known to write a dataset."""
        target = self.execution.lineage.target
        return target is not None and not _is_discarded(target)

    @property
    def targets(self) -> frozenset[DatasetId]:
        """What it writes."""
        return frozenset(each.id for each in self.execution.targets())

    @property
    def names(self) -> frozenset[DatasetId]:
        """What it writes, under all names."""
        found = ((each.id, each.table) for each in self.execution.targets())
        return frozenset(name for both in found for name in both if name)


class Runs:
    """The runs of one application. ``analyse`` and ``emit`` may raise anything: it is contained here."""

    def __init__(
        self,
        application: Application,
        analyse: Analyse,
        emit: Emit,
        losses: Losses | None = None,
        collected: Collected | None = None,
    ) -> None:
        self.application = application
        self._losses = losses or Losses()
        self._analyse = analyse
        self._emit = emit
        self._live: dict[int, Live] = {}
        self._dropped = 0
        self._unreadable = 0
        self._collected = Collected() if collected is None else collected
        self._accesses = Accesses(application)
        self._models = Models()
        self._streams = Streams(self._send_of)

    def begin(self) -> None:
        """START of the application."""
        self._send(lambda: events.application_started(self.application), "the application's start")

    def started(self, document: Mapping[str, Any]) -> None:
        """An ``execution-start`` document."""
        live = self._open(document)
        self._live[live.execution.id] = live
        self._resolve(live, document.get("plan"))
        if live.query is not None:
            if live.writes:
                self._streams.began(live.query, live.execution)
            elif self._is_access(live):
                self._announce_access(live)
        elif live.writes:
            self._place(live)
        elif self._is_access(live):
            self._announce_access(live)

    def ended(self, document: Mapping[str, Any]) -> None:
        """An ``execution-end`` document."""
        live = self._live.pop(int(document["execution"]), None) or self._open(document)
        live.execution = live.execution.with_end(document)
        self._resolve(live, document.get("plan"))
        outcome = self._outcome(document, live)
        if live.query is not None:
            if (batch := self._batch_of(live)) is not None:
                batch.inner.append(outcome)
            elif live.writes:
                self._streams.advanced(live.query, live.execution, _with_inner(outcome, live.inner))
            elif live.announced or self._is_access(live):
                self._end_access(live, outcome)
            return
        if live.writes and not live.announced and live.host is None:
            self._place(live)
        elif not live.announced and self._is_access(live):
            self._announce_access(live)
        self._finish(live, outcome)

    def query_ended(self, document: Mapping[str, Any]) -> None:
        """A ``stream-end`` document: a streaming query has stopped."""
        self._streams.ended(str(document["query"]), int(document["time"]), document.get("error"))

    def unreadable(self) -> None:
        """A document that came and could not be read: it may have been of any running execution."""
        self._unreadable += 1

    def end(self, time: int, ending: Ending | None) -> None:
        """The end of the application: what still runs is aborted with it.

        Without an ``ending``, another process sends the application's own event.
        """
        for live in [live for live in self._live.values() if live.announced]:
            outcome = Outcome(time, aborted=True, dropped=self._missing - live.dropped_before)
            self._send_end(live, outcome)
        self._live.clear()
        self._streams.abort(time)
        if ending is not None:
            self._send(
                lambda: events.application_ended(self.application, ending, time), "the application's end"
            )

    @property
    def _missing(self) -> int:
        return self._dropped + self._unreadable

    def _open(self, document: Mapping[str, Any]) -> Live:
        execution = Execution.from_document(document, self.application)
        root = document.get("root")
        return Live(execution, execution.id if root is None else int(root), self._missing)

    def _resolve(self, live: Live, plan: Any) -> None:
        if plan is None or plan == live.plan:
            return
        live.execution = live.execution.after(self._collected.now)
        lineage = self._lineage(plan, live.execution.constants)
        live.plan = plan
        live.resolved = lineage is not None
        if lineage is not None:
            live.execution = self._with_models(live.execution.with_lineage(lineage))
            self._note_collected(live)

    def _with_models(self, execution: Execution) -> Execution:
        if execution.of_model:
            self._models.learn([*chain.from_iterable(execution.reads()), *execution.targets()])
        return execution.among(self._models.places)

    def _note_collected(self, live: Live) -> None:
        """What the execution hands to the program is there for every plan that comes after it."""
        execution = live.execution
        if not execution.hands_over or self._is_step(live):
            return
        reads = execution.reads()
        for read, path in execution.lineage.returned:
            for dataset in reads[read]:
                self._collected.add(dataset.id, path)
        if _returns_unnamed(execution, reads):
            self._collected.add_unnamed()

    def _is_step(self, live: Live) -> bool:
        """Whether it is a step of a command that writes. What runs inside a micro-batch is the user's own."""
        root = self._live.get(live.root)
        return root is not None and root is not live and root.writes and root.query is None

    def _lineage(self, plan: Any, constants: Constants) -> PlanLineage | None:
        """The plan's lineage; an incomplete one when the analysis fails; None when nothing at all is known."""
        version = self.application.versions.get("spark") or "4.0"
        failed = _encoding_error(plan, constants)
        if failed is None:
            found = guarded(lambda: self._analyse(plan, version, constants))
            if not isinstance(found, Failure):
                return found
            failed = found.described(constants)
        self._losses.say("a plan could not be analysed (%s): its lineage is marked incomplete", failed)
        return salvage(plan, failed)

    def _batch_of(self, live: Live) -> Live | None:
        """The micro-batch that an execution is only a step of: Spark runs the batch of a V2 sink as two."""
        root = self._live.get(live.root)
        same = root is not None and root is not live and root.query == live.query
        return root if same and root is not None and root.writes and root.targets == live.targets else None

    def _outcome(self, document: Mapping[str, Any], live: Live) -> Outcome:
        self._dropped = max(self._dropped, int(document.get("dropped") or 0))
        metrics = document.get("metrics") or {}
        return Outcome(
            ended=int(document.get("time") or live.execution.started),
            error=document.get("error"),
            output=metrics.get("output"),
            inputs=tuple(_with_source(each) for each in metrics.get("input") or ()),
            version=document.get("version"),
            dropped=self._missing - live.dropped_before,
        )

    def _place(self, live: Live) -> None:
        """Fold it into what it is a part of, leave it to a root that is not known yet, or announce it."""
        live.host = self._host(live)
        if live.host is not None:
            _learn_place(live.host, live)
            self._send_start(live.host)
        elif not self._is_undecided(live):
            self._announce(live)

    def _host(self, live: Live) -> Live | None:
        root = self._live.get(live.root)
        if root is not None and root is not live and root.announced and not root.is_access:
            return root
        family = (other for other in self._live.values() if other.root == live.root and other is not live)
        return next((other for other in family if other.announced and other.names & live.names), None)

    def _is_undecided(self, live: Live) -> bool:
        root = self._live.get(live.root)
        return root is not None and root is not live and not root.resolved

    def _finish(self, live: Live, outcome: Outcome) -> None:
        if live.host is not None:
            _absorb(live.host, live, outcome)
        elif live.announced:
            self._close(live, outcome)
        elif live.writes and (root := self._live.get(live.root)) is not None:
            root.waiting.append((live, outcome))
        elif (root := self._live.get(live.root)) is not None and outcome.output:
            # A command's own step: what it wrote, it wrote for the command.
            root.inner.append(outcome)
        elif _must_be_told(live, outcome):
            self._announce(live)
            self._close(live, outcome)
        else:
            self._release(live)

    def _close(self, live: Live, outcome: Outcome) -> None:
        if live.is_access and outcome.error:
            self._accesses.forget(live.execution)
        if live.is_access:
            self._release(live)
        else:
            for other, inner in live.waiting:
                _absorb(live, other, inner)
        self._send_end(live, outcome)

    def _release(self, root: Live) -> None:
        """A root that writes nothing: what waited for it are runs of their own, the outer of two alike."""
        last = {name: live for live, _ in root.waiting for name in live.names}
        hosts = [
            next((last[name] for name in live.names if last[name] is not live), live)
            for live, _ in root.waiting
        ]
        for (live, outcome), host in zip(root.waiting, hosts, strict=True):
            if host is not live:
                _absorb(host, live, outcome)
            else:
                self._announce(live)
                self._send_end(live, outcome)

    def _is_access(self, live: Live) -> bool:
        """Whether it is an action of the user's that reads datasets, writes none, and is to be told."""
        execution = live.execution
        if not live.resolved or not execution.is_access or execution.is_inference or self._is_step(live):
            return False
        return self._accesses.includes(execution)

    def _announce_access(self, live: Live) -> None:
        live.is_access = True
        live.execution = self._accesses.add(live.execution)
        self._announce(live)

    def _end_access(self, live: Live, outcome: Outcome) -> None:
        if not live.announced:
            self._announce_access(live)
        self._close(live, outcome)

    def _announce(self, live: Live) -> None:
        live.announced = True
        if not _is_placed_inside(live.execution):
            self._send_start(live)

    def _send_start(self, live: Live) -> None:
        if not live.started:
            live.started = True
            self._send_of(live.execution, events.started)

    def _send_end(self, live: Live, outcome: Outcome) -> None:
        self._send_start(live)
        whole = _with_inner(outcome, live.inner)
        self._send_of(live.execution, lambda execution: events.ended(execution, whole))

    def _send_of(self, execution: Execution, build: Callable[[Execution], RunEvent]) -> None:
        """The event; with less lineage, and saying so, when building or keeping it fails."""
        failures: list[Failure] = []
        for attempt in _attempts(execution, failures):
            done = guarded(lambda attempt=attempt: self._emit(build(attempt)))  # type: ignore[misc]
            if not isinstance(done, Failure):
                break
            failures.append(done)
        if failures:
            why = failures[0].described(execution.constants)
            self._losses.say("the event of execution %d is incomplete: %s", execution.id, why)

    def _send(self, build: Callable[[], RunEvent], what: str) -> None:
        done = guarded(lambda: self._emit(build()))
        if isinstance(done, Failure):
            self._losses.say("no event for %s: %s", what, done)


def _is_discarded(target: Target) -> bool:
    """Whether nothing of it is left after the application: a temporary view, or a sink in memory."""
    source = target.source
    if source.get("kind") == "memory":
        return True
    return source.get("type") in _TEMPORARY or "NoopTable" in str(source.get("class") or "")


def _attempts(execution: Execution, failures: list[Failure]) -> Iterator[Execution]:
    """The execution, then with its target alone, then with nothing but the reason."""
    yield execution
    gaps = (Gap(IncompleteReason.ERROR, failures[0].described(execution.constants)),)
    yield execution.with_lineage(PlanLineage(target=execution.lineage.target, incomplete=gaps))
    yield execution.with_lineage(PlanLineage(incomplete=gaps))


def _encoding_error(plan: Any, constants: Constants) -> str | None:
    """What the eye says when it could not encode the plan; a message may hold the program's constants."""
    if not isinstance(plan, Mapping):
        return f"the plan is no object but {type(plan).__name__}"
    error = plan.get("error")
    if error is None:
        return None
    told = error if isinstance(error, Mapping) else {"message": error}
    error_class = str(told.get("class") or "error")
    return f"{error_class}: {told.get('message') or 'no message'}" if constants.shows_all else error_class


def _with_source(counted: Mapping[str, Any]) -> Mapping[str, Any]:
    """What was counted of a scan, with its source; without one where its leaf cannot be read."""
    if "leaf" not in counted:
        return counted
    source = guarded(lambda: source_of_leaf(counted["leaf"]))
    rest = {key: each for key, each in counted.items() if key != "leaf"}
    return rest if isinstance(source, Failure) else {**rest, "source": source}


def salvage(plan: Any, reason: str) -> PlanLineage | None:
    """What the root of an unreadable plan shows: its target, or that there is none; None when not even that."""

    def target() -> Target | None:
        written = target_of(plan)
        return Target(0, written[1], written[0], StructType()) if written is not None else None

    found = guarded(target)
    gap = Gap(IncompleteReason.ERROR, reason)
    if isinstance(found, Failure):
        return PlanLineage(incomplete=(gap,), operators=())
    return PlanLineage(target=found, incomplete=(gap,)) if found else PlanLineage()


def _returns_unnamed(execution: Execution, reads: Sequence[Sequence[Identity]]) -> bool:
    """Whether values of a source are handed over that has no name."""
    returned = {read for read, _ in execution.lineage.returned}
    kinds = [execution.lineage.reads[read].source.get("kind") for read in returned if not reads[read]]
    if any(kind not in IN_MEMORY for kind in kinds):
        return True
    unknown = any(gap.reason is IncompleteReason.RDD for gap in execution.lineage.incomplete)
    return unknown and not execution.lineage.reads


def _must_be_told(live: Live, outcome: Outcome) -> bool:
    """Whether it has written, or may have, though no target is known."""
    target = live.execution.lineage.target
    if target is not None:
        return False
    failed = any(gap.reason is IncompleteReason.ERROR for gap in live.execution.lineage.incomplete)
    return failed or any(each.output for each in (outcome, *live.inner))


def _is_placed_inside(execution: Execution) -> bool:
    """Whether it creates a table of which only the insert inside it shows where it lies, and has not done so yet."""
    target = execution.lineage.target
    if target is None or target.source.get("location") or execution.location:
        return False
    return any(name in target.command for name in _CREATING)


def _absorb(host: Live, inner: Live, outcome: Outcome) -> None:
    host.inner += [*inner.inner, outcome]
    _learn_place(host, inner)


def _learn_place(host: Live, inner: Live) -> None:
    """Where a table lies that names no place, as what runs inside its write shows it."""
    target, place = host.execution.lineage.target, inner.execution.lineage.target
    if (
        host.started
        or target is None
        or place is None
        or target.source.get("kind") != "table"
        or target.source.get("location")
    ):
        return
    location = place.source.get("location") or next(iter(place.source.get("roots") or ()), None)
    if location:
        host.execution = replace(host.execution, location=location)


def _with_inner(outcome: Outcome, inner: list[Outcome]) -> Outcome:
    """What was counted inside, where nothing was counted outside."""
    output = outcome.output or next((each.output for each in inner if each.output), None)
    inputs = outcome.inputs or next((each.inputs for each in inner if each.inputs), ())
    versions = {each.version for each in inner if each.version}
    version = outcome.version or (versions.pop() if len(versions) == 1 else None)
    dropped = max([outcome.dropped, *(each.dropped for each in inner)])
    return replace(outcome, output=output, inputs=inputs, version=version, dropped=dropped)
