"""The analysed plan in fewer kinds of operators, by Spark's own rules: views and common tables are put in place,
subqueries become joins, set operations and distinct become joins and groups, windows over the same rows one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater_records_spark.context import nodes
from headwater_records_spark.jvm import CATALYST, LOGICAL, Jvm, kind, listed

PULLED_UP = "optimizer.PullupCorrelatedPredicates"
"""Has to run before each rule that puts a subquery in place, as another one may have been in the plan of that."""
RULES = (
    "analysis.EliminateSubqueryAliases",
    "analysis.EliminateView",
    "optimizer.RewriteExceptAll",
    "optimizer.RewriteIntersectAll",
    "optimizer.ReplaceIntersectWithSemiJoin",
    "optimizer.ReplaceExceptWithAntiJoin",
    "optimizer.ReplaceDistinctWithAggregate",
    "optimizer.ReplaceDeduplicateWithAggregate",
    PULLED_UP,
    "optimizer.RewritePredicateSubquery",
    PULLED_UP,
    "optimizer.RewriteCorrelatedScalarSubquery",
    PULLED_UP,
    "optimizer.RewriteLateralSubquery",
    "optimizer.RewriteAsOfJoin",
)
PRUNING = "optimizer.ColumnPruning"
MOST_ROUNDS = 8


def normal(jvm: Jvm, plan: Any, *, pruned: bool = True) -> Any:
    """The plan after all rules; subqueries that refer to nothing outside stay expressions.

    ``pruned``: without columns that nobody uses, which puts projections between the operators of the program.
    """
    plan = _inlined(jvm, plan)
    rules = [jvm.one(CATALYST + name) for name in (*RULES, *([PRUNING] if pruned else []))]
    for _ in range(MOST_ROUNDS):
        before = plan
        plan = _bottom_up(jvm, plan, _of_distinct)
        for rule in rules:
            plan = rule.apply(plan)
        if plan.fastEquals(before):
            break
    return _bottom_up(jvm, plan, _together)


def _bottom_up(jvm: Jvm, plan: Any, change: Callable[[Jvm, Any], Any]) -> Any:
    """The plan after a change of each operator, those below it first."""
    before = listed(plan.children())
    after = [_bottom_up(jvm, each, change) for each in before]
    if any(new is not old for new, old in zip(after, before, strict=True)):
        plan = plan.withNewChildren(jvm.seq(after))
    return change(jvm, plan)


def _of_distinct(jvm: Jvm, plan: Any) -> Any:
    """INTERSECT over rows that are each there once.

    Else each of several equal rows on the left would be made of all that are equal on the right: a product, not a sum.
    """
    if kind(plan) != "Intersect" or plan.isAll():
        return plan
    before = listed(plan.children())
    after = [each if kind(each) == "Distinct" else jvm.type(LOGICAL + "Distinct")(each) for each in before]
    return plan.withNewChildren(jvm.seq(after))


def _together(jvm: Jvm, plan: Any) -> Any:
    """A window and one below it over the same partitions in the same order as one, as Spark runs them."""
    if kind(plan) != "Window":
        return plan
    between, below = [], plan.child()
    while kind(below) == "Project":
        between.append(below)
        below = below.child()
    if kind(below) != "Window" or not _may_be_one(plan, below):
        return plan
    given = [each.toAttribute() for each in listed(plan.windowExpressions())]
    functions = [*listed(below.windowExpressions()), *listed(plan.windowExpressions())]
    made = jvm.copy(below, _0=jvm.seq(functions))
    for each in reversed(between):
        made = jvm.copy(each, _0=jvm.seq([*listed(each.projectList()), *given]), _1=made)
    return made


def _may_be_one(above: Any, below: Any) -> bool:
    """Whether a window sees rows as the one below does, and takes nothing that was computed in between."""
    same = above.partitionSpec().equals(below.partitionSpec()) and above.orderSpec().equals(below.orderSpec())
    is_own = above.references().subsetOf(below.child().outputSet())
    return bool(same and is_own) and in_python(above) == in_python(below)


def in_python(window: Any) -> bool:
    """Whether a function of a window is in Python; Spark runs no other function beside it."""
    return any("Python" in kind(node) for each in listed(window.windowExpressions()) for node in nodes(each))


def _inlined(jvm: Jvm, plan: Any) -> Any:
    """Common tables in the places where they are used: their arguments differ between Spark's versions."""
    constructors = jvm.view.java.lang.Class.forName(CATALYST + "optimizer.InlineCTE").getConstructors()
    count = constructors[0].getParameterCount()
    rule = jvm.type(CATALYST + "optimizer.InlineCTE")(*[True, *[False] * (count - 1)])
    return rule.apply(plan)
