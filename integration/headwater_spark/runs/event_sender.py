"""Emits events, with less lineage if an event cannot be built or stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from openlineage.client.event_v2 import RunEvent

from headwater_facets.kinds import IncompleteReason
from headwater_spark.delivery.delivery_health import LossLog
from headwater_spark.executions.execution import Execution
from headwater_spark.guard import Failure, guarded
from headwater_spark.tracing.result import Gap, PlanLineage

Emit = Callable[[RunEvent], None]


class EventSender:
    """Calls ``emit``, which may raise anything, and reports failures to the log of losses."""

    def __init__(self, emit: Emit, loss_log: LossLog) -> None:
        self._emit = emit
        self._loss_log = loss_log

    def send(self, build: Callable[[], RunEvent], what: str) -> None:
        """Emit the event that ``build`` returns; ``what`` describes it in the log."""
        done = guarded(lambda: self._emit(build()))
        if isinstance(done, Failure):
            self._loss_log.report("no lineage event could be sent for %s: %s", what, done)

    def send_execution(self, execution: Execution, build: Callable[[Execution], RunEvent]) -> None:
        """Emit an event of the execution; if that fails, one with less lineage that is marked as incomplete."""
        failures: list[Failure] = []
        for attempt in _attempts(execution, failures):
            done = guarded(lambda attempt=attempt: self._emit(build(attempt)))  # type: ignore[misc]
            if not isinstance(done, Failure):
                break
            failures.append(done)
        if failures:
            reason = failures[0].describe(execution.constants)
            self._loss_log.report(
                "the lineage event of SQL execution %d is incomplete: %s", execution.id, reason
            )


def _attempts(execution: Execution, failures: list[Failure]) -> Iterator[Execution]:
    """Yield the execution, then with its target alone, then with only the reason."""
    yield execution
    gaps = (Gap(IncompleteReason.ERROR, failures[0].describe(execution.constants)),)
    yield execution.with_lineage(PlanLineage(target=execution.lineage.target, incomplete=gaps))
    yield execution.with_lineage(PlanLineage(incomplete=gaps))
