"""Micro-batches of streams: the rows that ``foreachBatch`` is given, as the plan that reads the batch's own files.

Spark gives its function rows of which only the stream knows where they are from. While the batch is running, the plan
that made them is known. Operators that keep a state are refused: what they give is made of earlier batches as well.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame

from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.jvm import Jvm, analysed, key, kind, listed, output

STATELESS = {
    "Project", "Filter", "Generate", "SubqueryAlias", "Union", "Sample", "Repartition", "RepartitionByExpression",
    "RebalancePartitions", "ResolvedHint", "View", "CollectMetrics", "LogicalRelation", "EventTimeWatermark",
    "MapInPandas", "MapInArrow", "PythonMapInArrow",
}  # fmt: skip
"""Operators over a stream that make their rows of rows of the same batch alone; a join with a table is another."""
WATERMARK = "EventTimeWatermark"
SINK = "WriteToMicroBatchDataSourceV1"


def plan_of(jvm: Jvm, frame: DataFrame) -> Any:
    """The analysed plan of a frame; rows of a batch that is running are read from its sources."""
    return followed(jvm, analysed(frame))


def followed(jvm: Jvm, plan: Any) -> Any:
    """The plan with the plans of batches in the place of their rows."""
    if kind(plan) == "LogicalRDD":
        batch = _batch(jvm, plan)
        return plan if batch is None else _read(jvm, batch)
    return _with_children(jvm, plan, [followed(jvm, each) for each in listed(plan.children())])


def _batch(jvm: Jvm, leaf: Any) -> Any:
    """The plan of the running batch whose rows these are; None if they are of none."""
    given = list(map(key, output(leaf)))
    running = jvm.spark._jsparkSession.sharedState().activeStreamingQueries()
    for query in running.values():
        execution = query.lastExecution()
        if execution is None or list(map(key, output(execution.logical()))) != given:
            continue
        if execution.toRdd().id() == leaf.rdd().id():
            batch = execution.analyzed()
            return batch.child() if kind(batch) == SINK else batch
    return None


def _read(jvm: Jvm, plan: Any) -> Any:
    """The plan of a batch as one that is no stream."""
    if plan.isStreaming():
        joins = kind(plan) == "Join" and plan.left().isStreaming() != plan.right().isStreaming()
        if not joins and kind(plan) not in STATELESS:
            raise UntraceableError(kind(plan), "over a stream it is not known to need this batch alone")
    if kind(plan) == WATERMARK:
        return _read(jvm, plan.child())
    if kind(plan) == "LogicalRelation" and plan.isStreaming():
        nothing = jvm.view.scala.Option.empty()
        return jvm.copy(plan, **({"_3": False, "_4": nothing} if plan.productArity() > 4 else {"_3": False}))
    return _with_children(jvm, plan, [_read(jvm, each) for each in listed(plan.children())])


def _with_children(jvm: Jvm, plan: Any, children: list[Any]) -> Any:
    before = listed(plan.children())
    same = all(new.equals(old) for new, old in zip(children, before, strict=True))
    return plan if same else plan.withNewChildren(jvm.seq(children))
