"""Micro-batches of a streaming query that write one dataset: a row in it may come from any of them.

    readings UNION alarms      batch 1 has rows of readings alone, batch 2 of alarms alone

Spark leaves out of a batch's plan what has no new rows, and a function for batches may do something else each time:
write other columns, or in another mode. So of all plans that differ in their lineage one is kept, and the query's
lineage is that of their union, by the names of what they write. If one of them leaves what was there, so does the
query.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, Final

from headwater_plan.nodes import (
    Attribute,
    DecodedPlan,
    Definition,
    Literal,
    Problem,
    Project,
    Relation,
    Union,
    Write,
)
from headwater_plan.types import StructField, StructType
from headwater_spark.decode import PlanExecution
from headwater_spark.tracing.result import PlanLineage, unversioned

MOST_PLANS: Final = 20
"""Different plans of one query that write one dataset."""
_TOO_MANY: Final = DecodedPlan(
    None, None, (Problem("TRUNCATED", "the batches of a query had too many different plans"),)
)
_LEAVING: Final = ("append", "update")
"""Modes in which what was there stays."""

_Writes = tuple[str, str]
"""A query, and what it writes."""


class Batches:
    """The plans of the batches of one application's streaming queries."""

    def __init__(self) -> None:
        self._plans: dict[_Writes, dict[str, DecodedPlan]] = {}

    def joined(self, by: PlanExecution, plan: DecodedPlan, lineage: PlanLineage) -> DecodedPlan:
        """The plan of all batches until now; the plan itself where there are no others, or it has read nothing."""
        write, relation = plan.write, plan.relation
        if by.query is None or write is None or relation is None or not lineage.reads:
            return plan
        plans = self._plans.setdefault((by.query, repr(_place(write.target))), {})
        signature = _signature(lineage)
        is_kept = signature in plans or len(plans) < MOST_PLANS
        plans |= {signature: plan} if is_kept else {"": _TOO_MANY}
        return plan if len(plans) == 1 else _union(plan, write, list(plans.values()))


def _place(target: Mapping[str, Any]) -> Any:
    """What is written, however it is."""
    place = next((target[name] for name in ("roots", "identifier") if target.get(name)), None)
    return {**unversioned(target), "mode": None} if place is None else place


def _union(plan: DecodedPlan, write: Write, plans: Sequence[DecodedPlan]) -> DecodedPlan:
    """All plans as one, by the names of the columns that they write; what one does not write is null in it."""
    writes = [each.write for each in plans if each.write is not None]
    leaving = next((each for each in writes if each.target.get("mode") in _LEAVING), write)
    fields = {f.name: f for each in (write, *writes) for f in each.columns.fields if f.name}
    new = count(_highest_id(writes) + 1)
    outputs = {name: Attribute(next(new), name, field.type) for name, field in fields.items()}
    inputs = tuple(_widened(each, outputs) for each in writes)
    child = Union(tuple(outputs.values()), inputs)
    columns = StructType(tuple(StructField(name, field.type) for name, field in fields.items()))
    problems = dict.fromkeys(problem for each in (plan, *plans) for problem in each.problems)
    joined = replace(write, child=child, columns=columns, target=leaving.target, command=leaving.command)
    return replace(plan, relation=child, write=joined, problems=tuple(problems))


def _highest_id(writes: Iterable[Write]) -> int:
    return max((attribute.id for each in writes for attribute in each.child.outputs), default=0)


def _widened(write: Write, outputs: Mapping[str, Attribute]) -> Relation:
    """What a batch writes, in the order of all that is written."""
    named = zip(write.columns.fields, write.child.outputs, strict=True)
    own = {field.name: attribute for field, attribute in named}
    found = [own.get(name) for name in outputs]
    if tuple(found) == write.child.outputs:
        return write.child
    definitions = tuple(_nulls(found, outputs.values()))
    nulls = iter(each.attribute for each in definitions)
    columns = tuple(next(nulls) if attribute is None else attribute for attribute in found)
    return Project(columns, write.child, definitions)


def _nulls(found: Iterable[Attribute | None], outputs: Iterable[Attribute]) -> Iterator[Definition]:
    """A null for each column that is not found."""
    for attribute, output in zip(found, outputs, strict=True):
        if attribute is None:
            yield Definition(output, Literal(None, output.type, "NULL", "NULL"))


def _signature(lineage: PlanLineage) -> str:
    """A text that is the same for plans with the same lineage, which write in the same mode."""
    reads = [unversioned(read.source) for read in lineage.reads]
    mode = lineage.target and lineage.target.source.get("mode")
    return repr((reads, lineage.fields, lineage.dataset, lineage.opaque, lineage.generated, mode))
