"""An execution that is being tracked, with the executions that are folded into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from headwater_facets.kinds import IncompleteReason
from headwater_facets.locations import DatasetId
from headwater_spark.capture.execution import Outcome
from headwater_spark.decode import inserts_into_new_table
from headwater_spark.executions.execution import Execution
from headwater_spark.runs.states import RUNS, TRANSITIONS, Change, State
from headwater_spark.tracing.result import Gap, PlanLineage, Target

_TEMPORARY: Final = ("LocalTempView", "GlobalTempView")
_SECOND: Final = 1_000
PERHAPS_NOT_WRITTEN: Final = Gap(
    IncompleteReason.UNKNOWN_RELATION,
    "whether anything was written is not known: the command does nothing where its target exists",
)


@dataclass(slots=True)
class TrackedExecution:
    """An execution that is running, or that waits for its root's plan."""

    execution: Execution
    root: int
    dropped_before: int
    plan: Any = None
    resolved: bool = False
    """Whether its plan is known, and therefore whether it writes."""
    is_stale: bool = False
    """Whether it is known since its analysis what it took out of caches."""
    state: State = State.NEW
    is_access: bool = False
    """Whether it is reported as a read without a write."""
    host: TrackedExecution | None = None
    """The execution that it is folded into."""
    inner: list[Outcome] = field(default_factory=list)
    wrote: bool = False
    """Whether an execution nested in it writes its target."""
    waiting: list[tuple[TrackedExecution, Outcome]] = field(default_factory=list)
    """Ended nested executions that wait for this one's plan."""

    def change(self, change: Change) -> bool:
        """Go to the next state; returns whether there is one."""
        following = TRANSITIONS.get((self.state, change))
        self.state = self.state if following is None else following
        return following is not None

    @property
    def announced(self) -> bool:
        """Whether it is known to be a run, and has not ended."""
        return self.state in RUNS

    @property
    def query(self) -> str | None:
        """Run id of the streaming query whose micro-batch this is, or is a part of; else None."""
        return self.execution.query

    @property
    def writes(self) -> bool:
        """Whether it is known to write a dataset."""
        target = self.execution.lineage.target
        return target is not None and not _is_discarded(target)

    @property
    def targets(self) -> frozenset[DatasetId]:
        """The datasets that it writes."""
        return frozenset(each.id for each in self.execution.targets())

    @property
    def names(self) -> frozenset[DatasetId]:
        """All names of the datasets that it writes."""
        found = ((each.id, each.table) for each in self.execution.targets())
        return frozenset(name for both in found for name in both if name)

    @property
    def waits_for_location(self) -> bool:
        """Whether it creates a table whose location only the insert inside it will reveal."""
        target = self.execution.lineage.target
        if target is None or target.source.get("location") or self.execution.location:
            return False
        return inserts_into_new_table(target.command)

    @property
    def waits_for_write(self) -> bool:
        """Whether it leaves its target alone if that exists, and is not known yet to have written it."""
        return self._is_conditional and not self.wrote

    @property
    def _is_conditional(self) -> bool:
        target = self.execution.lineage.target
        return target is not None and bool(target.source.get("ifAbsent"))

    def has_written(self, whole: Outcome) -> bool | None:
        """Whether it wrote its target, by its whole outcome; None where that is not known."""
        if not self.waits_for_write or whole.error or whole.aborted or whole.version:
            return True
        if any((whole.output or {}).get(counted) for counted in ("rows", "bytes", "files")):
            return True
        target = self.execution.lineage.target
        source = {} if target is None else target.source
        if source.get("type") == "VIEW":
            return _is_new(source.get("created"), self.execution.started)
        # A connector that is not known may write from the driver, without a job.
        return False if whole.jobs == 0 and source.get("kind") != "unknown" else None

    def may_have_written(self, outcome: Outcome) -> bool:
        """Whether it wrote something, or may have, although its target is unknown."""
        if self.execution.lineage.target is not None:
            return False
        failed = any(gap.reason is IncompleteReason.ERROR for gap in self.execution.lineage.incomplete)
        return failed or any(each.output for each in (outcome, *self.inner))

    @property
    def command(self) -> tuple[str, Mapping[str, Any]] | None:
        """Spark's command and what it writes; None where it writes nothing."""
        target = self.execution.lineage.target
        return None if target is None else (target.command, target.source)

    def has_step(self, step: TrackedExecution) -> bool:
        """Whether that may give the rows that this adds to its target: it writes no dataset of its own."""
        target = self.execution.lineage.target
        adds = self.writes and target is not None and target.source.get("mode") != "update"
        return adds and step.resolved and step.execution.lineage.target is None

    def is_widened_by(self, lineage: PlanLineage) -> bool:
        """Whether a step's lineage has all the columns that this writes, and others."""
        return _columns(self.execution.lineage) < _columns(lineage)

    def fold_in(self, inner: TrackedExecution, outcome: Outcome) -> None:
        """Add a nested execution that has ended, with those folded into it."""
        inner.change(Change.JOIN)
        self.inner += [*inner.inner, outcome]
        self.take_in(inner)

    def take_in(self, inner: TrackedExecution) -> None:
        """Record what a nested execution that writes reveals of this one."""
        self.adopt_location(inner)
        self._adopt_ids(inner)
        self.wrote = self.wrote or not inner.waits_for_write

    def adopt_location(self, inner: TrackedExecution) -> None:
        """Set the location of a target table that has none to the one that a nested execution writes to."""
        target, written = self.execution.lineage.target, inner.execution.lineage.target
        if (
            self.state is State.STARTED
            or target is None
            or written is None
            or target.source.get("kind") != "table"
            or target.source.get("location")
        ):
            return
        location = written.source.get("location") or next(iter(written.source.get("roots") or ()), None)
        if location:
            self.execution = replace(self.execution, location=location)

    def _adopt_ids(self, inner: TrackedExecution) -> None:
        """Take the identifiers of the columns of a table that a nested execution writes, after this created it."""
        lineage, written = self.execution.lineage, inner.execution.lineage.target
        if lineage.target is None or written is None or "ids" not in written.source:
            return
        if "ids" not in lineage.target.source and self.names & inner.names:
            source = {**lineage.target.source, "ids": written.source["ids"]}
            lineage = replace(lineage, target=replace(lineage.target, source=source))
            self.execution = replace(self.execution, lineage=lineage)

    def with_inner(self, outcome: Outcome) -> Outcome:
        """The outcome, completed by statistics, version and content of the nested executions where it has none."""
        output = outcome.output or next((each.output for each in self.inner if each.output), None)
        inputs = outcome.inputs or next((each.inputs for each in self.inner if each.inputs), ())
        versions = {each.version for each in self.inner if each.version}
        version = outcome.version or (versions.pop() if len(versions) == 1 else None)
        contents = [each.content for each in self.inner if each.content]
        content = outcome.content or (contents[0] if len(contents) == 1 else None)
        dropped = max([outcome.dropped, *(each.dropped for each in self.inner)])
        return replace(
            outcome, output=output, inputs=inputs, version=version, content=content, dropped=dropped
        )


def _columns(lineage: PlanLineage) -> set[str]:
    """The columns that it writes, in lower case."""
    return set() if lineage.target is None else {f.name.lower() for f in lineage.target.schema.fields}


def _is_new(created: int | None, started: int) -> bool | None:
    """Whether something of the catalog was created by what started then; None where that is not certain.

    Both are in epoch milliseconds, but some catalogs round down to the second.
    """
    if created is None or created >= started:
        return True
    is_rounded = created % _SECOND == 0
    return None if is_rounded and created + _SECOND > started else False


def _is_discarded(target: Target) -> bool:
    """Whether the target does not outlive the application: a temporary view, or a sink in memory."""
    source = target.source
    if source.get("kind") == "memory":
        return True
    return source.get("type") in _TEMPORARY or "NoopTable" in str(source.get("class") or "")
