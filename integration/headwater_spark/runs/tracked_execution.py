"""An execution that is being tracked, with the executions that are folded into it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from headwater_facets.kinds import IncompleteReason
from headwater_spark.capture.execution import Execution, Outcome
from headwater_spark.naming.datasets import DatasetId
from headwater_spark.tracing.result import Target

_TEMPORARY: Final = ("LocalTempView", "GlobalTempView")
_CREATING: Final = ("TableAsSelect", "SaveAsV1Table")
"""Parts of the names of commands that run an insert into the table that they create."""


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
    announced: bool = False
    """Whether it is known to be a run."""
    started: bool = False
    """Whether its START is sent. From then on, the names of its datasets do not change."""
    is_access: bool = False
    """Whether it is reported as a read without a write."""
    host: TrackedExecution | None = None
    """The execution that it is folded into."""
    inner: list[Outcome] = field(default_factory=list)
    waiting: list[tuple[TrackedExecution, Outcome]] = field(default_factory=list)
    """Ended nested executions that wait for this one's plan."""

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
        return any(name in target.command for name in _CREATING)

    def may_have_written(self, outcome: Outcome) -> bool:
        """Whether it wrote something, or may have, although its target is unknown."""
        if self.execution.lineage.target is not None:
            return False
        failed = any(gap.reason is IncompleteReason.ERROR for gap in self.execution.lineage.incomplete)
        return failed or any(each.output for each in (outcome, *self.inner))

    def fold_in(self, inner: TrackedExecution, outcome: Outcome) -> None:
        """Add a nested execution that has ended, with those folded into it."""
        self.inner += [*inner.inner, outcome]
        self.adopt_location(inner)

    def adopt_location(self, inner: TrackedExecution) -> None:
        """Set the location of a target table that has none to the one that a nested execution writes to."""
        target, written = self.execution.lineage.target, inner.execution.lineage.target
        if (
            self.started
            or target is None
            or written is None
            or target.source.get("kind") != "table"
            or target.source.get("location")
        ):
            return
        location = written.source.get("location") or next(iter(written.source.get("roots") or ()), None)
        if location:
            self.execution = replace(self.execution, location=location)

    def with_inner(self, outcome: Outcome) -> Outcome:
        """The outcome, completed by statistics and version of the nested executions where it has none."""
        output = outcome.output or next((each.output for each in self.inner if each.output), None)
        inputs = outcome.inputs or next((each.inputs for each in self.inner if each.inputs), ())
        versions = {each.version for each in self.inner if each.version}
        version = outcome.version or (versions.pop() if len(versions) == 1 else None)
        dropped = max([outcome.dropped, *(each.dropped for each in self.inner)])
        return replace(outcome, output=output, inputs=inputs, version=version, dropped=dropped)


def _is_discarded(target: Target) -> bool:
    """Whether the target does not outlive the application: a temporary view, or a sink in memory."""
    source = target.source
    if source.get("kind") == "memory":
        return True
    return source.get("type") in _TEMPORARY or "NoopTable" in str(source.get("class") or "")
