"""The lineage of a plan, with a partial result if the plan cannot be encoded or analysed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headwater_facets.kinds import IncompleteReason
from headwater_plan.types import StructType
from headwater_spark.constants import Constants
from headwater_spark.decode import PlanExecution, target_of
from headwater_spark.delivery.delivery_health import LossLog
from headwater_spark.guard import Failure, guarded
from headwater_spark.tracing.result import Gap, PlanLineage, Target

Analyse = Callable[[Mapping[str, Any], str, Constants, PlanExecution], PlanLineage]


class PlanAnalysis:
    """Calls ``analyse``, which may raise anything, and reports failures to the log of losses."""

    def __init__(self, analyse: Analyse, loss_log: LossLog) -> None:
        self._analyse = analyse
        self._loss_log = loss_log

    def lineage(self, plan: Any, spark_version: str, constants: Constants, by: PlanExecution) -> PlanLineage:
        """The plan's lineage; marked as incomplete if the plan could not be encoded or analysed."""
        error = _encoding_error(plan, constants)
        if error is None:
            found = guarded(lambda: self._analyse(plan, spark_version, constants, by))
            if not isinstance(found, Failure):
                return found
            error = found.describe(constants)
        self._loss_log.report(
            "the plan of a query could not be analysed (%s): its lineage is marked as incomplete", error
        )
        return _partial_lineage(plan, error)


def _encoding_error(plan: Any, constants: Constants) -> str | None:
    """The error of the listener that could not encode the plan; its message only if all constants are shown."""
    if not isinstance(plan, Mapping):
        return f"the plan is not an object but {type(plan).__name__}"
    error = plan.get("error")
    if error is None:
        return None
    details = error if isinstance(error, Mapping) else {"message": error}
    error_class = str(details.get("class") or "error")
    return f"{error_class}: {details.get('message') or 'no message'}" if constants.shows_all else error_class


def _partial_lineage(plan: Any, reason: str) -> PlanLineage:
    """An incomplete lineage with the target of the plan's root; empty if the root can be read and writes nothing."""

    def target() -> Target | None:
        written = target_of(plan)
        return Target(0, written[1], written[0], StructType()) if written is not None else None

    found = guarded(target)
    gap = Gap(IncompleteReason.ERROR, reason)
    if isinstance(found, Failure):
        return PlanLineage(incomplete=(gap,), operators=())
    return PlanLineage(target=found, incomplete=(gap,)) if found else PlanLineage()
