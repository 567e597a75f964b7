"""Rebuilds an analysed plan so that each row also says which rows of the sources it was made of.

Attributes keep their identities (``ExprId``), so that expressions fit as they are. Each operator has a rule; what has
none is refused by its name, so that no answer is wrong in silence. Ids follow from the sources alone: a derivation is
that of the input, a pair, or a list, in the shape that ``headwater_records.nested.steps`` describes. Nothing counts
rows above a shuffle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from headwater_records_spark.batches import plan_of
from headwater_records_spark.context import NO_VERSIONS, Built, Context, FileHash, Members, Source
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.jvm import Jvm, kind, output
from headwater_records_spark.normal import normal
from headwater_records_spark.operators import (
    frame_functions,
    generators,
    groups,
    joins,
    rows,
    sources,
    windows,
)

Rule = Callable[[Context, Any], Built]
Keep = Callable[[Source, Column, bool], Column | None]
"""A source, the id of its rows, and whether they are looked for in vain → which rows to read, or None for all."""

RULES: dict[str, Rule] = {
    "LogicalRelation": sources.files,
    "DataSourceV2Relation": sources.versioned,
    "LogicalRDD": sources.rows_of_the_program,
    "LocalRelation": sources.local,
    "Range": sources.numbers,
    "OneRowRelation": sources.one_row,
    **dict.fromkeys(rows.TITLES, rows.same),
    **dict.fromkeys(("SubqueryAlias", "ResolvedHint", "CollectMetrics"), rows.same),
    "Project": rows.project,
    "Generate": generators.flatten,
    "Expand": rows.grouping_sets,
    "Join": joins.join,
    "Union": joins.union,
    "Aggregate": groups.group,
    "Window": windows.window,
    **dict.fromkeys(("MapInPandas", "MapInArrow", "PythonMapInArrow"), frame_functions.of_partitions),
    **dict.fromkeys(("FlatMapGroupsInPandas", "FlatMapGroupsInArrow"), frame_functions.of_groups),
    **dict.fromkeys(("FlatMapCoGroupsInPandas", "FlatMapCoGroupsInArrow"), frame_functions.of_cogroups),
}


def everything(source: Source, row: Column, absent: bool) -> Column | None:
    """Read all rows of every source."""
    del source, row, absent
    return None


class Rebuilt:
    """A data frame beside itself with derivations.

    ``plan`` is its analysed plan, and ``normal`` the same in fewer kinds of operators; ``frame`` has its columns and
    one more, named ``made_of``; ``step`` is what it does, and ``ordered`` what may come out otherwise when it runs
    again. Tables with versions are read at those of
    ``versions``, by their roots, else at the newest now. With ``once``, what all rows of an operator have in common is
    in its step, and not in the derivation of each row. With ``members``, a group's key is its derivation, if they can
    be kept. ``file_hash`` gives what ``xxhash64`` does.
    """

    def __init__(
        self,
        frame: DataFrame,
        keep: Keep = everything,
        *,
        versions: Mapping[str, str] = NO_VERSIONS,
        once: bool = False,
        members: Members | None = None,
        file_hash: FileHash = F.xxhash64,
    ) -> None:
        self.jvm = Jvm(frame.sparkSession)
        self.plain = frame
        context = Context(
            self.jvm,
            self._build,
            keep,
            once=once,
            members=members,
            file_hash=file_hash,
            versions=dict(versions),
        )
        self.context = context
        self.plan = plan_of(self.jvm, frame)
        self.normal = plan = normal(self.jvm, self.plan)
        built = context.build(plan)
        by_key = {each.exprId().id(): each for each in built.columns}
        wanted = [by_key[each.exprId().id()] for each in output(plan)]
        self.built = context.matched(built, wanted)
        self.step = built.step
        self.made_of: str = built.made_of.name()
        self.built.plan.setAnalyzed()
        self.frame = self.jvm.frame(self.built.plan)
        self.columns = [(each.name(), str(each.exprId().id())) for each in wanted]
        self.sources = context.sources
        self.ordered = context.ordered

    def by_number(self) -> dict[int, Built]:
        """Each operator on the way by its number; what has no number of its own follows the one that it is found by."""
        found: dict[int, Built] = {}
        for each in self.context.built:
            if found.setdefault(each.step.number, each) is each:
                each.plan.setAnalyzed()
        return found

    def _build(self, plan: Any) -> Built:
        if plan.isStreaming():
            raise UntraceableError(kind(plan), "the frame is a stream")
        rule = RULES.get(kind(plan))
        if rule is None:
            raise UntraceableError(kind(plan))
        built = rule(self.context, plan)
        self.context.built.append(built)
        return built
