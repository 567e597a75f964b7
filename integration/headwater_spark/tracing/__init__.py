"""Path lineage of one execution: the analysis of its plan.

Definitions. A *path* leads from a dataset's row to a nested value. A path's *lineage* are the input paths that it
comes from (DIRECT) and that decide about it (INDIRECT), with what was done on the way. The analysis is conservative:
an input path that can change an output path is listed with it.

Theory of operation. The plan document is decoded into the closed form of ``headwater_plan`` (``decode``); every
operator is analysed by itself over its inputs' columns (``operators``, ``expressions``, ``functions``,
``lambdas``); composing these gives the plan's lineage (``value.substitute``), which ``report`` writes down. Example:

    Filter(retweet_count = 0) · Project(user.id_str AS id) over a read of tweets
      Filter   reads retweet_count (FILTER)                   influences {tweets.retweet_count FILTER}
      Project  id ← user.id_str IDENTITY [EXTRACT, RENAME]    influences as above
      result   fields {id ← tweets.user.id_str}, dataset {tweets.retweet_count}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from headwater_plan import nodes
from headwater_plan.declarations import Declared, undeclared
from headwater_plan.traversal import in_order
from headwater_spark.constants import BY_DEFAULT, Constants
from headwater_spark.decode import VARIABLE, KeptRows, PlanExecution, decode
from headwater_spark.decode.kept_rows import MOST_NODES
from headwater_spark.tracing.batches import Batches
from headwater_spark.tracing.collected import NOTHING_HELD, Collected, MayHold
from headwater_spark.tracing.deep import with_deep_stack
from headwater_spark.tracing.names import shown_names
from headwater_spark.tracing.operators import run
from headwater_spark.tracing.report import Report
from headwater_spark.tracing.result import PlanLineage, unversioned
from headwater_spark.tracing.scripts import Scripts
from headwater_spark.tracing.values.analysis import Analysis
from headwater_spark.tracing.written_names import of_plan

__all__ = ["Analyst", "PlanLineage", "analyse", "trace"]

MOST_IN_VARIABLE = 1_000
"""Relations behind a variable that is set from its own value again and again."""

MOST_IN_KEPT_ROWS = 5_000
"""Relations behind rows that are kept, and computed from kept rows again and again."""


def analyse(
    plan: Mapping[str, Any],
    spark_version: str = "",
    constants: Constants = BY_DEFAULT,
    *,
    declared: Declared = undeclared,
    collected: bool = False,
) -> PlanLineage:
    """The lineage of a plan document's ``plan``. Raises ``MalformedPlanError`` for a document out of form.

    In it are those ``constants`` of the program that may leave, and as they may. User functions that are ``declared``
    are traced as their declarations say. ``collected`` is whether the program has collected data before.
    """
    return with_deep_stack(
        lambda: trace(
            decode(plan, spark_version, constants=constants, declared=declared), collected=collected
        )
    )


class Analyst:
    """Analyses the plans of one application in turn, and remembers the newest ones.

    Rows that Spark keeps (a checkpoint, the batch in ``foreachBatch``) stand in later plans as an RDD; with the plan
    that gave them, lineage goes on (``decode.kept_rows``). So it does through variables of the session that a query
    sets (``SET VAR``). In a script, the queries before a statement decide about it (``scripts``).
    """

    def __init__(
        self,
        *,
        declared: Declared = undeclared,
        collected: Collected | None = None,
        most_nodes: int = MOST_NODES,
    ) -> None:
        self._declared = declared
        self._collected = Collected() if collected is None else collected
        self._kept = KeptRows(most_nodes)
        self._variables: dict[str, nodes.DecodedPlan] = {}
        self._scripts = Scripts()
        self._batches = Batches()
        self._first: dict[str, int] = {}
        """The first micro-batch of each streaming query's run that was seen."""

    def analyse(
        self,
        plan: Mapping[str, Any],
        spark_version: str = "",
        constants: Constants = BY_DEFAULT,
        by: PlanExecution | None = None,
    ) -> PlanLineage:
        """As the function of that name; ``by`` is the execution that computes the plan."""

        by = by and self._with_first(by)

        def work() -> PlanLineage:
            decoded = decode(
                plan,
                spark_version,
                constants=constants,
                declared=self._declared,
                kept=self._kept,
                by=by,
                variables=self._variables,
            )
            if by is not None:
                decoded = self._scripts.decided(by, decoded)
                self._keep(by, decoded, len(plan.get("nodes") or ()))
            self._keep_in_sink(decoded, len(plan.get("nodes") or ()))
            self._assign(decoded)
            program = self._collected.now.kinds
            observed = tuple(trace(nodes.DecodedPlan(each), program=program) for each in decoded.observed)
            lineage = replace(
                trace(decoded, program=program), observed=observed, assigns=bool(decoded.assigned)
            )
            if by is not None and (all_ := self._batches.joined(by, decoded, lineage)) is not decoded:
                lineage = replace(trace(all_, program=program), observed=observed)
            if by is not None:
                self._scripts.add(by, decoded, lineage)
                lineage = replace(lineage, states=self._states(by, decoded, program))
            return lineage

        return with_deep_stack(work)

    def _with_first(self, by: PlanExecution) -> PlanExecution:
        """The execution, with the number of the first micro-batch of its query's run."""
        if not by.is_batch or by.query is None or by.batch is None:
            return by
        return replace(by, first=self._first.setdefault(by.query, by.batch))

    def _states(
        self, by: PlanExecution, decoded: nodes.DecodedPlan, program: MayHold
    ) -> tuple[PlanLineage, ...]:
        """The lineage of what a micro-batch, and those before it, left for the next ones."""
        found = []
        for write in decoded.states:
            plan = nodes.DecodedPlan(write.child, write, decoded.problems)
            own = trace(plan, program=program)
            all_ = self._batches.joined(by, plan, own)
            found.append(
                replace(trace(all_, program=program), target=own.target) if all_ is not plan else own
            )
        return tuple(found)

    def _assign(self, decoded: nodes.DecodedPlan) -> None:
        """Take down what variables of the session are set to, for the plans that use them."""
        if decoded.relation is None or not decoded.assigned:
            return
        long = _is_longer(decoded.relation, MOST_IN_VARIABLE)
        for name, a in zip(decoded.assigned, decoded.relation.outputs, strict=False):
            detail = f"variable {name} was set from itself too often to be traced"
            self._variables[name] = _unfollowed((a,), VARIABLE, detail) if long else _column(a, decoded)

    def _keep(self, by: PlanExecution, decoded: nodes.DecodedPlan, size: int) -> None:
        """Take down the plan, for those that use its rows where Spark keeps them."""
        relation = decoded.relation
        if relation is None or (not by.keeps_rows and isinstance(relation, nodes.Read | nodes.Local)):
            return
        self._kept.add(by, _short(relation, decoded), size)

    def _keep_in_sink(self, decoded: nodes.DecodedPlan, size: int) -> None:
        """Take down a micro-batch's plan whose rows go into a memory sink, for those that read its table."""
        instance = None if decoded.write is None else decoded.write.target.get("instance")
        if decoded.relation is None or instance is None:
            return
        reads = (each for each in in_order(decoded.relation) if isinstance(each, nodes.Read))
        sources = frozenset(repr(unversioned(each.source)) for each in reads)
        self._kept.add_to_sink(instance, sources, _short(decoded.relation, decoded), size)


def _is_longer(relation: nodes.Relation, most: int) -> bool:
    return len(tuple(islice(in_order(relation), most))) == most


def _short(relation: nodes.Relation, plan: nodes.DecodedPlan) -> nodes.DecodedPlan:
    """The plan, unless it has grown over plans before it."""
    if not _is_longer(relation, MOST_IN_KEPT_ROWS):
        return plan
    detail = "rows were kept and computed from again too often to be traced"
    return _unfollowed(relation.outputs, "RDD", detail)


def _column(a: nodes.Attribute, plan: nodes.DecodedPlan) -> nodes.DecodedPlan:
    """One column of a plan that only reads."""
    assert plan.relation is not None  # noqa: S101 - the caller has checked
    own = nodes.Definition(a, nodes.Column(a.id, a.name, a.type))
    return nodes.DecodedPlan(nodes.Project((a,), plan.relation, (own,)), None, plan.problems)


def _unfollowed(outputs: tuple[nodes.Attribute, ...], of: str, detail: str) -> nodes.DecodedPlan:
    problem = nodes.Problem("TRUNCATED", detail)
    return nodes.DecodedPlan(nodes.UnknownRelation(outputs, (), of), None, (problem,))


def trace(
    plan: nodes.DecodedPlan, *, collected: bool = False, program: MayHold = NOTHING_HELD
) -> PlanLineage:
    """The lineage of a decoded plan, of a program that has ``collected`` data, or holds what ``program`` says."""
    held = MayHold(collected=True) if collected else program
    if plan.relation is not None:
        relations = in_order(plan.relation)
        held = held.in_plan(lambda: of_plan(relations))
    analysis = Analysis({} if plan.relation is None else shown_names(plan.relation), held)
    root = run(analysis, plan.relation) if plan.relation is not None else None
    return Report(analysis, plan, root).lineage()
