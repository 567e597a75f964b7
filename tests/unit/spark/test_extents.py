"""How much of its target a write replaces: what plans say, and what is reported in each mode of the session."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from headwater_facets.locations import DatasetId
from headwater_facets.schemas import EXTENT
from headwater_spark.capture.execution import Outcome
from headwater_spark.decode import target_of
from headwater_spark.decode.commands.extents import BY_MODE, PART, UNLESS_DYNAMIC, WHOLE
from headwater_spark.emit.events import ended
from headwater_spark.tracing.result import PlanLineage, Target
from kit.events import validate_event
from kit.executions import COMMAND, execution, struct, wire
from kit.plan_documents import plan

UNKNOWN: dict[str, Any] = {}
OVERWRITE, IGNORE, APPEND = {"e": "Overwrite"}, {"e": "Ignore"}, {"e": "Append"}
TABLE = {"k": "table", "table": "t", "database": "d", "type": "MANAGED"}
DAYS = {**TABLE, "type": "EXTERNAL", "partitionColumns": ["day"]}
DELTA = {"o": "org.apache.spark.sql.delta.catalog.DeltaTableV2", "location": "/lake/t"}
ICEBERG = {"o": "org.apache.iceberg.spark.source.SparkTable", "location": "/lake/t"}
DAY = ("AttributeReference", {"name": "day"})


def given(**options: str) -> dict[str, Any]:
    return {"m": [[key.replace("_", "-"), value] for key, value in options.items()]}


def files(**more: Any) -> tuple[str, dict[str, Any]]:
    fields = {"outputPath": "/out", "mode": OVERWRITE, "staticPartitions": given(), "partitionColumns": []}
    return "InsertIntoHadoopFsRelationCommand", {**fields, "options": given(), **more}


def overwritten(table: dict[str, Any], value: Any, **options: str) -> list[tuple[str, dict[str, Any]]]:
    relation = ("DataSourceV2Relation", {"table": table})
    command = ("OverwriteByExpression", {"table": 1, "deleteExpr": 0, "writeOptions": given(**options)})
    return [("Literal", {"value": value}), relation, command]


def saved(kind: str, mode: Any = OVERWRITE, **options: str) -> tuple[str, dict[str, Any]]:
    provider = {"o": "x.Provider", "format": kind}
    return "SaveIntoDataSourceCommand", {"dataSource": provider, "options": given(**options), "mode": mode}


@pytest.mark.parametrize(
    ("nodes", "extent"),
    [
        ([files()], WHOLE),
        ([files(mode=IGNORE)], UNKNOWN),
        ([DAY, files(partitionColumns=[{"r": 0}])], BY_MODE),
        ([DAY, files(partitionColumns=[{"r": 0}], options=given(partitionOverwriteMode="dynamic"))], PART),
        ([DAY, files(partitionColumns=[{"r": 0}], options=given(PARTITIONOVERWRITEMODE="Static"))], WHOLE),
        ([DAY, files(partitionColumns=[{"r": 0}], staticPartitions=given(day="x"))], PART),
        ([("CreateDataSourceTableAsSelectCommand", {"table": TABLE, "mode": OVERWRITE})], WHOLE),
        ([("CreateDataSourceTableAsSelectCommand", {"table": TABLE, "mode": APPEND})], UNKNOWN),
        ([("CreateDataSourceTableAsSelectCommand", {"table": TABLE, "mode": IGNORE})], UNKNOWN),
        ([("CreateDataSourceTableAsSelectCommand", {"table": DAYS, "mode": OVERWRITE})], UNKNOWN),
        ([("InsertIntoHiveTable", {"table": TABLE, "partition": given(), "overwrite": True})], WHOLE),
        ([("InsertIntoHiveTable", {"table": TABLE, "partition": given(day="x"), "overwrite": True})], PART),
        ([("InsertIntoHiveTable", {"table": DAYS, "partition": given(), "overwrite": True})], PART),
        ([("InsertIntoHiveTable", {"table": TABLE, "partition": given(), "overwrite": False})], UNKNOWN),
        ([("InsertIntoHiveDirCommand", {"storage": {"location": "/out"}, "overwrite": True})], WHOLE),
        ([saved("jdbc")], WHOLE),
        ([saved("jdbc", APPEND)], UNKNOWN),
        ([saved("kafka", {"e": "ErrorIfExists"})], UNKNOWN),
        ([saved("delta")], UNLESS_DYNAMIC),
        ([saved("delta", partitionOverwriteMode="static")], WHOLE),
        ([saved("delta", partitionOverwriteMode="dynamic")], UNKNOWN),
        ([saved("delta", replaceWhere="")], PART),
        ([saved("hudi")], UNKNOWN),
        (overwritten(ICEBERG, True), WHOLE),
        (overwritten(ICEBERG, True, overwrite_mode="dynamic"), PART),
        (overwritten(DELTA, True), UNLESS_DYNAMIC),
        (overwritten(DELTA, False), PART),
        ([DAY, *overwritten(ICEBERG, True)[1:]], PART),
        (overwritten({"o": "x.Table"}, True), UNKNOWN),
        ([("CreateViewCommand", {"name": TABLE, "replace": True, "allowExisting": False})], WHOLE),
        ([("CreateViewCommand", {"name": TABLE, "replace": False, "allowExisting": True})], UNKNOWN),
    ],
)
def test_a_plan_says_how_much_it_replaces(nodes: list[tuple[str, dict[str, Any]]], extent: Any) -> None:
    found = target_of(plan(*nodes))

    assert found is not None
    assert found[1].get("extent", {}) == extent


def reported(extent: Any, session: str | None, root: str = "file:/out", mode: str = "overwrite") -> Any:
    source = {"kind": "files", "roots": [root], "mode": mode, "extent": extent}
    lineage = PlanLineage(target=Target(1, source, COMMAND, struct(id="int")))
    run = replace(execution(lineage), overwrite_mode=session)
    event = wire(ended(run, Outcome(1_767_225_605_000)))
    validate_event(event)
    return event["outputs"][0]["facets"].get(EXTENT, {}).get("replaced")


@pytest.mark.parametrize(
    ("extent", "static", "dynamic", "not_known"),
    [
        (WHOLE, "WHOLE", "WHOLE", "WHOLE"),
        (PART, "PART", "PART", "PART"),
        (BY_MODE, "WHOLE", "PART", None),
        (UNLESS_DYNAMIC, "WHOLE", None, None),
        ({}, None, None, None),
    ],
)
def test_the_sessions_mode_decides(extent: Any, static: Any, dynamic: Any, not_known: Any) -> None:
    found = [reported(extent, mode) for mode in ("STATIC", "DYNAMIC", None)]

    assert found == [static, dynamic, not_known]


def test_the_whole_of_a_partition_is_a_part_of_its_dataset() -> None:
    assert reported(WHOLE, "STATIC", "file:/out/day=1") == "PART"
    assert reported(WHOLE, "STATIC", "file:/out/day=1/") == "PART"


def test_nothing_is_stated_of_what_replaces_nothing_and_of_a_part_of_a_model() -> None:
    assert reported(WHOLE, "STATIC", mode="append") is None
    target = Target(
        1,
        {"kind": "files", "roots": ["file:/m/data"], "extent": WHOLE, "mode": "overwrite"},
        COMMAND,
        struct(id="int"),
    )
    run = replace(execution(PlanLineage(target=target)), models=(DatasetId("file", "/m"),))
    assert EXTENT not in wire(ended(run, Outcome(1)))["outputs"][0]["facets"]


@pytest.mark.parametrize("end", [{"foundFiles": True}, {"foundFiles": False}, {}])
@pytest.mark.parametrize("command", [COMMAND, "CreateDataSourceTableAsSelectCommand"])
def test_an_append_says_if_files_were_left(command: str, end: dict[str, Any]) -> None:
    source = {"kind": "files", "roots": ["file:/out"], "extent": UNKNOWN, "mode": "append"}
    run = execution(PlanLineage(target=Target(1, source, command, struct(id="int")))).with_end(end)
    (output,) = wire(ended(run, Outcome(1)))["outputs"]
    extent = output["facets"].get(EXTENT, {})
    assert (extent.get("replaced"), extent.get("found")) == (
        ("NONE", True) if end.get("foundFiles") else (None, None)
    )


FOUND = {"base": {"version": "6"}, "state": {"version": "7"}}


@pytest.mark.parametrize(
    ("mode", "content", "stated"),
    [
        ("append", FOUND, FOUND),
        ("append", {"base": {"files": 0, "size": 0}}, {"base": {"files": 0, "size": 0}}),
        ("append", {}, {}),
        ("append", None, {}),
        ("overwrite", FOUND, {"replaced": "WHOLE", "state": FOUND["state"]}),
    ],
)
def test_a_write_says_what_it_found_and_what_it_left(mode: str, content: Any, stated: Any) -> None:
    source = {
        "kind": "files",
        "roots": ["file:/out"],
        "extent": WHOLE if mode == "overwrite" else {},
        "mode": mode,
    }
    run = execution(PlanLineage(target=Target(1, source, COMMAND, struct(id="int"))))
    event = wire(ended(run, Outcome.of({"content": content}, 1, 0)))
    validate_event(event)
    extent = event["outputs"][0]["facets"].get(EXTENT, {})
    assert {name: value for name, value in extent.items() if not name.startswith("_")} == stated


@pytest.mark.parametrize(("mode", "stated"), [("append", ("NONE", True)), ("overwrite", ("WHOLE", None))])
def test_rows_may_be_in_a_table_of_a_database_before_an_append(mode: str, stated: Any) -> None:
    source = {"kind": "jdbc", "url": "jdbc:postgresql://h/d", "dbtable": "s.t", "mode": mode}
    extent = WHOLE if mode == "overwrite" else {}
    target = Target(1, {**source, "extent": extent}, "SaveIntoDataSourceCommand", struct(id="int"))
    event = wire(ended(execution(PlanLineage(target=target)), Outcome(1)))
    found = event["outputs"][0]["facets"].get(EXTENT, {})
    assert (found.get("replaced"), found.get("found")) == stated


def test_the_mode_is_that_of_the_end_document_in_capitals() -> None:
    assert execution().with_end({"overwriteMode": "dynamic"}).overwrite_mode == "DYNAMIC"
    assert execution().with_end({}).overwrite_mode is None
