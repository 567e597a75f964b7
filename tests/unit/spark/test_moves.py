"""Commands without a query that move data, or names: what they read and write."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_facets.kinds import IncompleteReason
from headwater_spark.tracing import PlanLineage, analyse

COMMANDS = "org.apache.spark.sql.execution.command"
ANALYSIS = "org.apache.spark.sql.catalyst.analysis"
LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"
ICEBERG = "org.apache.iceberg.spark.procedures"
CONNECTOR = "shop.connector.commands"


def columns(*names: str) -> dict[str, Any]:
    fields = [{"name": name, "type": "string", "nullable": True, "metadata": {}} for name in names]
    return {"type": "struct", "fields": fields}


def named(name: str, **entry: Any) -> dict[str, Any]:
    """A name with the catalog's entry of it, if it has one."""
    known = {"table": name, "database": "d", **entry}
    return {
        "k": "name",
        "table": name,
        "database": "d",
        "catalog": None,
        **({"entry": known} if entry else {}),
    }


def command(name: str, package: str, fields: dict[str, Any], *arguments: str, **extras: Any) -> PlanLineage:
    """The lineage of a command; arguments are nodes before it."""
    classes = [
        {"name": name, "class": f"{package}.{name}", "fields": list(fields)},
        {
            "name": "Literal",
            "class": "org.apache.spark.sql.catalyst.expressions.Literal",
            "expression": True,
            "fields": ["value", "dataType"],
        },
    ]
    literals = [{"c": 1, "a": [each, {"T": 0}]} for each in arguments]
    nodes = [*literals, {"c": 0, "a": list(fields.values()), **extras}]
    rest = {"root": len(nodes) - 1, "working": "hdfs://nn/user/ann", "local": "file:/home/ann"}
    return analyse({"types": ["string"], "classes": classes, "nodes": nodes, **rest})


def edges(lineage: PlanLineage) -> set[tuple[str, str, str]]:
    return {
        (".".join(field.path), str(name_of(lineage.reads[each.read].source)), ".".join(each.path))
        for field in lineage.fields
        for each in field.inputs
    }


def name_of(source: Any) -> str:
    return str(source["roots"][0] if source["kind"] == "files" else source["identifier"]["table"])


LOADED = named("t", columns=columns("a", "day"), partitionColumns=["day"], provider="hive")


def test_what_is_loaded_is_read_under_the_tables_names() -> None:
    lineage = command(
        "LoadDataCommand", COMMANDS, {"table": LOADED, "path": "hdfs://nn/p", "isOverwrite": True}
    )

    assert edges(lineage) == {("a", "hdfs://nn/p", "a")}
    assert [each.path for each in lineage.generated] == [("day",)]
    assert lineage.complete
    assert lineage.target is not None
    assert (name_of(lineage.target.source), lineage.target.source["mode"]) == ("t", "overwrite")


@pytest.mark.parametrize(
    ("path", "local", "place"),
    [
        ("p", False, "hdfs://nn/user/ann/p"),
        ("/p", False, "hdfs://nn/p"),
        ("hdfs:/p", False, "hdfs://nn/p"),
        ("s3a://b/p", False, "s3a://b/p"),
        ("p", True, "file:/home/ann/p"),
        ("/p/../q", True, "file:/q"),
        ("file:/p", True, "file:/p"),
    ],
)
def test_a_path_begins_where_spark_looks_for_it(path: str, local: bool, place: str) -> None:
    lineage = command("LoadDataCommand", COMMANDS, {"table": LOADED, "path": path, "isLocal": local})

    assert edges(lineage) == {("a", place, "a")}


def test_partitions_of_several_places_are_all_read() -> None:
    places = [[{"m": [["day", "1"]]}, "file:/p"], [{"m": [["day", "2"]]}, "file:/q"], [{"m": []}, None]]
    fields = {"tableName": named("t", columns=columns("a")), "partitionSpecsAndLocs": places}
    lineage = command("AlterTableAddPartitionCommand", COMMANDS, fields)

    assert edges(lineage) == {("a", "file:/p", "a"), ("a", "file:/q", "a")}


def test_a_partition_at_the_tables_own_place_moves_nothing() -> None:
    fields = {"tableName": LOADED, "partitionSpecsAndLocs": [[{"m": [["day", "1"]]}, None]]}

    assert command("AlterTableAddPartitionCommand", COMMANDS, fields).target is None


def test_only_a_partition_that_is_placed_elsewhere_is_read_there() -> None:
    fields = {"tableName": LOADED, "partitionSpec": {"m": [["day", "1"]]}, "location": "file:/p"}

    assert edges(command("AlterTableSetLocationCommand", COMMANDS, fields)) == {("a", "file:/p", "a")}
    whole = {**fields, "partitionSpec": None}
    assert command("AlterTableSetLocationCommand", COMMANDS, whole).target is None


def test_what_is_loaded_into_a_table_that_is_gone_was_in_its_usual_place() -> None:
    gone = {**named("t"), "defaultLocation": "file:/w/t"}
    lineage = command("LoadDataCommand", COMMANDS, {"table": gone, "path": "file:/p", "isOverwrite": True})

    assert edges(lineage) == {("", "file:/p", "")}
    assert [gap.reason for gap in lineage.incomplete] == [IncompleteReason.UNKNOWN_SOURCE]
    assert lineage.target is not None
    found = lineage.target.source
    assert (name_of(found), found["location"], found["mode"]) == ("t", "file:/w/t", "overwrite")


def rename(before: dict[str, Any], after: dict[str, Any]) -> PlanLineage:
    placed = {"defaultLocation": f"/w/{before['table']}"}, {"defaultLocation": f"/w/{after['table']}"}
    fields = {"oldName": {**before, **placed[0]}, "newName": {**after, **placed[1]}}
    return command("AlterTableRenameCommand", COMMANDS, fields)


@pytest.mark.parametrize("done", [False, True])
def test_a_renamed_table_has_no_inputs_and_a_former_name(done: bool) -> None:
    known = {"type": "MANAGED", "location": "/w/u" if done else "/w/t"}
    lineage = rename(named("t", **({} if done else known)), named("u", **(known if done else {})))

    assert lineage.reads == ()
    assert lineage.complete
    assert lineage.target is not None
    found = lineage.target.source
    assert (name_of(found), name_of(found["previous"]), found["mode"]) == ("u", "t", "rename")
    assert (found["defaultLocation"], found["previous"]["defaultLocation"]) == ("/w/u", "/w/t")
    assert (found["location"], found["previous"]["location"]) == (("/w/u", None) if done else (None, "/w/t"))


@pytest.mark.parametrize("kind", [{"type": "EXTERNAL"}, {"type": "MANAGED", "provider": "iceberg"}])
def test_a_table_that_does_not_lie_by_its_name_stays_where_it_is(kind: dict[str, str]) -> None:
    target = rename(named("t", location="/x", **kind), named("u")).target

    assert target is not None
    assert {target.source["location"], target.source["previous"]["location"]} == {"/x"}


def test_a_renamed_temporary_view_is_no_event() -> None:
    view = {**named("v", type="VIEW"), "database": None}

    assert rename(view, {**named("w"), "database": None}).target is None


def test_a_table_that_is_gone_before_the_catalog_is_asked_may_have_been_elsewhere() -> None:
    lineage = rename(named("t"), named("u"))

    assert [gap.reason for gap in lineage.incomplete] == [IncompleteReason.UNKNOWN_SOURCE]
    assert lineage.target is not None
    found = lineage.target.source
    assert (name_of(found), name_of(found["previous"]), found["mode"]) == ("u", "t", "rename")
    assert (found["defaultLocation"], found["previous"]["defaultLocation"]) == ("/w/u", "/w/t")


@pytest.mark.parametrize(("place", "follows"), [("file:/w/t", True), ("file:/x", False)])
def test_a_renamed_table_that_was_loaded_need_not_be_in_the_catalog(place: str, follows: bool) -> None:
    table = {
        "catalog": {"k": "catalog", "name": "spark_catalog"},
        "identifier": {"k": "identifier", "namespace": ["d"], "name": "t"},
        "table": {"o": "shop.DeltaTableV2", "location": place, "provider": "delta"},
    }
    classes = [
        {"name": "ResolvedTable", "class": f"{ANALYSIS}.ResolvedTable", "fields": list(table)},
        {"name": "RenameTable", "class": f"{LOGICAL}.RenameTable", "fields": ["child", "newName", "isView"]},
    ]
    loaded = {"c": 0, "a": list(table.values()), "defaultLocation": "file:/w/t"}
    nodes = [loaded, {"c": 1, "a": [{"r": 0}, ["d", "u"], False]}]
    lineage = analyse({"types": [], "classes": classes, "nodes": nodes, "root": 1})

    assert lineage.complete
    assert lineage.target is not None
    found = lineage.target.source
    assert (name_of(found), name_of(found["previous"]), found["mode"]) == ("u", "t", "rename")
    assert (found["defaultLocation"], found["location"]) == (
        ("file:/w/u", None) if follows else (None, place)
    )


def call(procedure: str, *arguments: str) -> PlanLineage:
    described = {"o": procedure, "catalog": "lake", "parameters": ["table", "source_table"]}
    given = {"procedure": described, "args": [{"r": i} for i in range(len(arguments))]}
    return command("Call", LOGICAL, given, *arguments)


@pytest.mark.parametrize(
    ("named", "source"), [("`parquet`.`/a/b.c`", "/a/b.c"), ("d.s", "s"), ("spark_catalog.d.`s`", "s")]
)
def test_files_that_are_added_to_a_table_are_all_its_rows(named: str, source: str) -> None:
    lineage = call(f"{ICEBERG}.AddFilesProcedure", "d.t", named)

    assert edges(lineage) == {("", source, "")}
    assert lineage.target is not None
    assert lineage.target.source["identifier"] == {"table": "t", "database": "d", "catalog": "lake"}


@pytest.mark.parametrize("name", ["RollbackToSnapshot", "SetCurrentSnapshot", "FastForwardBranch"])
def test_a_table_that_a_procedure_rolls_back_is_made_of_what_it_held(name: str) -> None:
    lineage = call(f"{ICEBERG}.{name}Procedure", "d.t", "7")

    assert edges(lineage) == {("", "t", "")}
    assert lineage.target is not None
    assert (name_of(lineage.target.source), lineage.target.source["mode"]) == ("t", "append")
    assert [read.at for read in lineage.reads] == [0]


@pytest.mark.parametrize(("branch", "replaced"), [("main", True), ("main", False), ("audit", True)])
def test_only_the_main_branch_is_what_a_table_holds(branch: str, replaced: bool) -> None:
    fields = {"table": ["lake", "d", "t"], "branch": branch, "replace": replaced}
    lineage = command("CreateOrReplaceBranch", LOGICAL, fields)

    assert (lineage.target is not None) == (branch == "main" and replaced)
    assert edges(lineage) <= {("", "t", "")}


def test_a_procedure_that_works_within_a_table_writes_nothing_new() -> None:
    lineage = call(f"{ICEBERG}.RewriteDataFilesProcedure", "d.t")
    assert lineage.target is None
    assert lineage.complete


def test_a_procedure_that_is_not_known_is_incomplete() -> None:
    lineage = call("shop.Copies", "d.t", "d.s")
    assert [gap.reason for gap in lineage.incomplete] == [IncompleteReason.UNKNOWN_RELATION]
    assert lineage.target is not None


def test_a_connectors_command_without_a_query_is_incomplete_and_has_the_tables_that_it_names() -> None:
    lineage = command("CopyIntoCommand", CONNECTOR, {"target": named("t"), "source": named("s")})

    assert edges(lineage) == {("", "s", "")}
    assert lineage.target is not None
    assert name_of(lineage.target.source) == "t"
    assert [gap.reason for gap in lineage.incomplete] == [IncompleteReason.UNKNOWN_RELATION]


@pytest.mark.parametrize(("name", "package"), [("DropTableCommand", COMMANDS), ("VacuumCommand", CONNECTOR)])
def test_a_command_that_moves_no_data_to_another_table_writes_nothing(name: str, package: str) -> None:
    lineage = command(name, package, {})
    assert lineage.target is None
    assert lineage.complete
