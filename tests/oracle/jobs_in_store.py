"""Jobs of random programs, whose events a store has: what is found forward at the end of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from golden.cases import lineage_of_plan
from headwater_backend.domain.errors import UnknownPath
from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.closure import LineageGraph, forward
from headwater_backend.questions.traversal import ALL_TYPES
from headwater_plan.types import StructType
from headwater_spark.capture.execution import Outcome
from headwater_spark.emit import events
from headwater_spark.tracing.result import PathSteps, PlanLineage, Target
from kit.executions import COMMAND, execution, wire
from kit.spark_lines import Planner

END: Final = "/oracle/end"
Job = tuple[str, str, str]
"""A program, the address of what it writes, and the format."""


def stored(
    store: LineageStore, planner: Planner, jobs: Iterable[Job], tables: dict[str, str]
) -> tuple[StructType, dict[str, DatasetKey]]:
    """The end's columns, and the datasets of the tables that are read, when the jobs' events are stored."""
    starts: dict[str, DatasetKey] = {}
    sent = []
    columns = StructType(())
    for program, target, form in jobs:
        found, columns = lineage_of_plan(*planner.plan(tables, python=program))
        event = wire(
            events.ended(execution(_written(found, columns, target, form)), Outcome(1_767_225_602_000))
        )
        sent.append(event)
        for each in event["inputs"]:
            starts.setdefault(each["name"].rpartition("/")[2], DatasetKey(each["namespace"], each["name"]))
    outcomes = ingest(store, sent)
    assert all(outcome.stored for outcome in outcomes), outcomes
    return columns, starts


def _written(lineage: PlanLineage, columns: StructType, target: str, form: str) -> PlanLineage:
    """The lineage as that of a write to files."""
    source: dict[str, Any] = {"kind": "files", "roots": [target], "format": form, "mode": "overwrite"}
    changed: dict[str, Any] = {name: getattr(lineage, name) for name in lineage.__dataclass_fields__}
    return PlanLineage(**{**changed, "target": Target(len(lineage.operators), source, COMMAND, columns)})


def graph_from(store: LineageStore, dataset: DatasetKey, source: PathSteps) -> LineageGraph | None:
    """All that is reached from a path; None for one that no event names, which nobody read."""
    try:
        return forward(store, NodeKey(dataset, source), ALL_TYPES)
    except UnknownPath:
        return None


def ends(graph: LineageGraph | None) -> set[PathSteps]:
    """The paths of the end that are reached."""
    return {n.key.path for n in graph.nodes if n.key.dataset.name == END} if graph else set()


def covers(reached: set[PathSteps], target: PathSteps) -> bool:
    """Whether the target, or what holds it or is in it, is reached."""
    return any(target[: len(path)] == path or path[: len(target)] == target for path in reached)
