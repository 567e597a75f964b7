"""SQL scripts (``BEGIN … END``): a condition, or the rows that a loop goes over, decide about the statements after it.

    IF (SELECT max(reason) = 'flu' FROM visits) THEN     an execution of its own, which only reads
      INSERT INTO t SELECT z FROM o;                     Filter(EXISTS (Filter(max(reason) = 'flu'))) over the rows
    END IF;

Spark executes a script's queries one after the other, and tells of each the script, and not the place in it. So what a
query gives decides about all that is executed later in the script: a statement may be left out (LEAVE, SIGNAL, a
handler) that stands behind a block, as well as one within it. A text that EXECUTE IMMEDIATE runs is a statement of its
own; it is taken to belong to the last script with such a statement, until something else than SQL is executed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from headwater_plan.nodes import Call, Column, DecodedPlan, Filter, Problem, Relation, Subquery
from headwater_plan.types import AtomicType
from headwater_spark.decode import PlanExecution
from headwater_spark.tracing.result import PlanLineage, unversioned

MOST_CONDITIONS: Final = 50
"""Different conditions of one script."""
MOST_SCRIPTS: Final = 100
"""Scripts of one application that are remembered, the newest ones."""

_IMMEDIATE: Final = re.compile(r"\bEXECUTE\s+IMMEDIATE\b", re.IGNORECASE)
_TOO_MANY: Final = DecodedPlan(None, None, (Problem("TRUNCATED", "a script had too many conditions"),))

_Conditions = dict[str, DecodedPlan]
"""What was queried in a script, by what it depends on: a loop's condition is executed again and again."""


class Scripts:
    """The conditions of the scripts of one application."""

    def __init__(self) -> None:
        self._conditions: dict[str, _Conditions] = {}
        self._immediate: str | None = None
        """The script whose texts may be executed now."""
        self._without_text: _Conditions = {}
        """Queries of a script that is not known yet: Spark gives what follows CASE no text."""

    def add(self, by: PlanExecution, plan: DecodedPlan, lineage: PlanLineage) -> None:
        """Note a query that was executed in a script, if its result depends on anything."""
        conditions = self._conditions_of(by)
        if conditions is None or not by.asks or not is_condition(plan) or not _gives_rows(plan):
            return
        if not (lineage.reads or lineage.fields or lineage.dataset or plan.problems):
            return
        key = _depends_on(lineage)
        is_known = key in conditions or len(conditions) < MOST_CONDITIONS
        conditions |= {key: plan} if is_known else {"": _TOO_MANY}

    def decided(self, by: PlanExecution, plan: DecodedPlan) -> DecodedPlan:
        """The plan of what writes, or sets a variable, as the queries before it in its script decide about it."""
        conditions = self._conditions_of(by)
        if plan.relation is None or not conditions or is_condition(plan):
            return plan
        relation, problems = plan.relation, dict.fromkeys(plan.problems)
        for each in conditions.values():
            problems |= dict.fromkeys(each.problems)
            relation = _filtered(relation, each)
        write = plan.write and replace(plan.write, child=relation)
        return replace(plan, relation=relation, write=write, problems=tuple(problems))

    def _conditions_of(self, by: PlanExecution) -> _Conditions | None:
        """What was queried in the script in which it is executed; None outside of scripts."""
        if by.script is not None:
            self._immediate = by.script if _IMMEDIATE.search(by.script) else None
            return self._newest(by.script)
        if not by.is_sql:
            self._immediate, self._without_text = None, {}
            return None
        return self._without_text if self._immediate is None else self._newest(self._immediate)

    def _newest(self, script: str) -> _Conditions:
        """The script's conditions, with those of a script that was not known."""
        found = self._conditions.pop(script, {}) | self._without_text
        self._conditions[script], self._without_text = found, {}
        if len(self._conditions) > MOST_SCRIPTS:
            del self._conditions[next(iter(self._conditions))]
        return found


def is_condition(plan: DecodedPlan) -> bool:
    """Whether it only reads: it writes no dataset, and sets no variable."""
    return plan.relation is not None and plan.write is None and not plan.assigned


def _gives_rows(plan: DecodedPlan) -> bool:
    """Whether it is a query: a command that is not known as a write (CREATE TABLE) has no columns."""
    return plan.relation is not None and bool(plan.relation.outputs)


def _filtered(relation: Relation, condition: DecodedPlan) -> Relation:
    if condition.relation is None:
        return relation
    return Filter(relation.outputs, relation, Subquery("EXISTS", _chosen(condition.relation)))


def _chosen(queried: Relation) -> Relation:
    """The rows of a condition that hold, or those that a loop goes over: all their columns decide."""
    columns = tuple(Column(a.id, a.name, a.type) for a in queried.outputs)
    boolean = AtomicType("boolean")
    if len(columns) == 1 and columns[0].type == boolean:
        return Filter(queried.outputs, queried, columns[0])
    for each in columns:
        queried = Filter(queried.outputs, queried, Call("isnotnull", (each,), boolean))
    return queried


def _depends_on(lineage: PlanLineage) -> str:
    """A text that is the same for the same query: without expression ids, and versions of what is read."""
    reads = [unversioned(read.source) for read in lineage.reads]
    conditions = [each.sql for each in lineage.conditions]
    return repr((reads, lineage.fields, lineage.dataset, conditions, lineage.incomplete))
