"""The lineage of a data frame that the program itself goes on with, beside what its agent reports of it.

The plan of a frame is encoded and traced as the agent does it, in the program's own process: the answer is what the
agent would send if the frame were written. Nothing is executed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from openlineage.client.event_v2 import InputDataset

from headwater_facets.facets import PathLineageDatasetFacet
from headwater_plan import nodes
from headwater_plan.types import StructField, StructType
from headwater_spark.activation.agent_settings import LISTENER, jar_path
from headwater_spark.capture.application import Application, Job
from headwater_spark.decode import decode
from headwater_spark.emit.events import read_by
from headwater_spark.emit.facet_context import FacetContext
from headwater_spark.emit.path_facets import path_lineage
from headwater_spark.executions.actions import RETURNS_NO_VALUES, action_of
from headwater_spark.executions.execution import Execution
from headwater_spark.tracing import trace
from headwater_spark.tracing.collected import Collected
from headwater_spark.tracing.deep import with_deep_stack

_ENCODER: Final = "io.headwater.spark.PlanDocuments"
_MOST_BYTES: Final = 64 << 20
_GIVES_NOTHING: Final = RETURNS_NO_VALUES | {
    *("save", "save_as_table", "insert_into", "parquet", "orc", "csv", "json", "text", "jdbc", "xml"),
    *("append", "overwrite", "overwrite_partitions", "create", "replace", "create_or_replace"),
    *("create_temp_view", "create_or_replace_temp_view"),
    *("create_global_temp_view", "create_or_replace_global_temp_view"),
}
"""Actions that give the program no values. One of SQL may, by way of a variable or of a text that it executes."""


class FrameLineage(NamedTuple):
    """What a frame was made of: the lineage of its columns, what it reads, and the application's run, if reported."""

    paths: PathLineageDatasetFacet
    inputs: list[InputDataset]
    application: Job | None


def frame_lineage(frame: Any) -> FrameLineage:
    """The lineage of a frame of PySpark, whose session has a driver of its own.

    Raises ``JarMissingError``, ``MalformedPlanError``, ``ValueError`` and what py4j raises.
    """
    spark = frame.sparkSession
    application = _application(spark)
    plan = _document(spark, frame._jdf.queryExecution().analyzed())
    collected = Collected()
    if _has_collected(spark):
        collected.add_unnamed()
    now = time.time_ns() // 1_000_000
    document = {"execution": 0, "time": now, "description": "toPandas at frame_lineage.py:1"}
    execution = Execution.from_document(document, application)
    constants = execution.with_earlier(collected.now, {}).constants
    decoded = decode(plan, spark.version, constants=constants)
    lineage = with_deep_stack(lambda: trace(_written(decoded), program=collected.now.kinds))
    execution = execution.with_lineage(replace(lineage, target=None)).with_earlier(collected.now, {})
    context = replace(FacetContext.of(execution, None), collected=collected.now.collected)
    reported = application.job if _has_agent(spark) else None
    facet = path_lineage(context, None)  # type: ignore[arg-type]  # the facet is the frame's, which is no dataset
    assert isinstance(facet, PathLineageDatasetFacet)  # noqa: S101 - for the type checker
    return FrameLineage(facet, read_by(context), reported)


def application_of(spark: Any) -> Job | None:
    """The run of a session's application, if an agent reports it."""
    return _application(spark).job if _has_agent(spark) else None


def _written(plan: nodes.DecodedPlan) -> nodes.DecodedPlan:
    """The plan as of a write of all its columns: only those are traced column by column."""
    if plan.relation is None:
        return plan
    fields = tuple(StructField(a.name, a.type) for a in plan.relation.outputs)
    return replace(plan, write=nodes.Write(plan.relation, {}, "toPandas", StructType(fields)))


def _document(spark: Any, plan: Any) -> Mapping[str, Any]:
    """The plan as the agent's listener encodes it; the jar is added to those that the session can load."""
    jvm = spark._jvm
    loader = spark._jsparkSession.sharedState().jarClassLoader()
    loader.addURL(jvm.java.io.File(str(jar_path())).toURI().toURL())
    arguments = spark.sparkContext._gateway.new_array(jvm.java.lang.Object, 2)
    arguments[0], arguments[1] = plan, _MOST_BYTES
    methods = loader.loadClass(_ENCODER).getMethods()
    encode = next(each for each in methods if each.getName() == "encode" and each.getParameterCount() == 2)
    document: Mapping[str, Any] = json.loads(encode.invoke(None, arguments))
    if document.get("error"):
        raise ValueError("the plan of the frame could not be encoded")
    return document


def _application(spark: Any) -> Application:
    """The application as its agent knows it."""
    context = spark.sparkContext
    started = context.startTime
    conf = dict(context.getConf().getAll())
    return Application.from_document(
        {
            "kind": "application",
            "time": started,
            "conf": {"spark.sql.warehouse.dir": spark.conf.get("spark.sql.warehouse.dir"), **conf},
            "application": {
                "id": context.applicationId,
                "name": context.appName,
                "user": context.sparkUser(),
                "startTime": started,
            },
            "versions": {"spark": spark.version},
        }
    )


def _has_agent(spark: Any) -> bool:
    """Whether an agent listens to the application."""
    bus = spark.sparkContext._jsc.sc().listenerBus()
    return any(each.getClass().getName() == LISTENER for each in bus.listeners())


def _has_collected(spark: Any) -> bool:
    """Whether an earlier action gave the program values, which its constants may have."""
    executions = spark._jsparkSession.sharedState().statusStore().executionsList()
    return any(
        _gives_values(str(executions.apply(number).description())) for number in range(executions.size())
    )


def _gives_values(description: str) -> bool:
    return action_of(description, "") not in _GIVES_NOTHING
