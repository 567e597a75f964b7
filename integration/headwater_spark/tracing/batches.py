"""Micro-batches of a streaming query that write one dataset: a row in it may come from any of them.

    readings UNION alarms      batch 1 has rows of readings alone, batch 2 of alarms alone

Spark leaves out of a batch's plan what has no new rows, and a function for batches may do something else each time. So
of all plans that differ in their lineage one is kept, and the query's lineage is that of their union.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from headwater_plan.nodes import DecodedPlan, Problem, Union, Write
from headwater_spark.decode import PlanExecution
from headwater_spark.tracing.result import PlanLineage, unversioned

MOST_PLANS: Final = 20
"""Different plans of one query that write one dataset."""
_TOO_MANY: Final = DecodedPlan(
    None, None, (Problem("TRUNCATED", "the batches of a query had too many different plans"),)
)

_Writes = tuple[str, str, int]
"""A query, what it writes, and the number of columns."""


class Batches:
    """The plans of the batches of one application's streaming queries."""

    def __init__(self) -> None:
        self._plans: dict[_Writes, dict[str, DecodedPlan]] = {}

    def joined(self, by: PlanExecution, plan: DecodedPlan, lineage: PlanLineage) -> DecodedPlan:
        """The plan of all batches until now; the plan itself where there are no others, or it has read nothing."""
        write, relation = plan.write, plan.relation
        if by.query is None or write is None or relation is None or not lineage.reads:
            return plan
        key = (by.query, repr(unversioned(write.target)), len(relation.outputs))
        plans = self._plans.setdefault(key, {})
        signature = _signature(lineage)
        is_kept = signature in plans or len(plans) < MOST_PLANS
        plans |= {signature: plan} if is_kept else {"": _TOO_MANY}
        return plan if len(plans) == 1 else _union(plan, write, plans)


def _union(plan: DecodedPlan, write: Write, plans: dict[str, DecodedPlan]) -> DecodedPlan:
    relations = tuple(each.relation for each in plans.values() if each.relation is not None)
    child = Union(write.child.outputs, relations)
    problems = dict.fromkeys(problem for each in (plan, *plans.values()) for problem in each.problems)
    return replace(plan, relation=child, write=replace(write, child=child), problems=tuple(problems))


def _signature(lineage: PlanLineage) -> str:
    """A text that is the same for plans with the same lineage."""
    reads = [unversioned(read.source) for read in lineage.reads]
    return repr((reads, lineage.fields, lineage.dataset, lineage.opaque, lineage.generated))
