"""Commands without a query that move data, or names: what they read and write."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_facets.kinds import IncompleteReason
from headwater_spark.tracing import PlanLineage, analyse
from kit.plans import files

COMMANDS = "org.apache.spark.sql.execution.command"
LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"
ICEBERG = "org.apache.iceberg.spark.procedures"
CONNECTOR = "shop.connector.commands"


def columns(*names: str) -> dict[str, Any]:
    fields = [{"name": name, "type": "string", "nullable": True, "metadata": {}} for name in names]
    return {"type": "struct", "fields": fields}


def table(name: str, **more: Any) -> dict[str, Any]:
    return {"kind": "table", "identifier": {"table": name, "database": "d", "catalog": None}, **more}


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
    return analyse({"types": ["string"], "classes": classes, "nodes": nodes, "root": len(nodes) - 1})


def edges(lineage: PlanLineage) -> set[tuple[str, str, str]]:
    return {
        (".".join(field.path), str(name_of(lineage.reads[each.read].source)), ".".join(each.path))
        for field in lineage.fields
        for each in field.inputs
    }


def name_of(source: Any) -> str:
    return str(source["roots"][0] if source["kind"] == "files" else source["identifier"]["table"])


def test_what_is_loaded_is_read_under_the_tables_names() -> None:
    source = table("t", columns=columns("a", "day"), partitionColumns=["day"], **{"from": [files("/p")]})
    lineage = command("LoadDataCommand", COMMANDS, {"path": "/p"}, src=source)

    assert edges(lineage) == {("a", "file:/p", "a")}
    assert [each.path for each in lineage.generated] == [("day",)]
    assert lineage.complete
    assert lineage.target is not None
    assert name_of(lineage.target.source) == "t"


def test_partitions_of_several_places_are_all_read() -> None:
    source = table("t", columns=columns("a"), **{"from": [files("/p"), files("/q")]})
    lineage = command("AlterTableAddPartitionCommand", COMMANDS, {}, src=source)

    assert edges(lineage) == {("a", "file:/p", "a"), ("a", "file:/q", "a")}


def test_a_partition_at_the_tables_own_place_moves_nothing() -> None:
    assert command("AlterTableAddPartitionCommand", COMMANDS, {}).target is None


def test_a_renamed_table_has_no_inputs_and_a_former_name() -> None:
    source = table("u", type="MANAGED", defaultLocation="/w/u", previous=table("t", location="/w/t"))
    lineage = command("AlterTableRenameCommand", COMMANDS, {}, src=source)

    assert lineage.reads == ()
    assert lineage.complete
    assert lineage.target is not None
    assert lineage.target.source == source


@pytest.mark.parametrize("kind", [{"type": "EXTERNAL"}, {"type": "MANAGED", "provider": "iceberg"}])
def test_a_table_that_does_not_lie_by_its_name_stays_where_it_is(kind: dict[str, str]) -> None:
    before = table("t", location="/x", defaultLocation="/w/t")
    source = table("u", **kind, defaultLocation="/w/u", previous=before)
    target = command("AlterTableRenameCommand", COMMANDS, {}, src=source).target

    assert target is not None
    assert {target.source["location"], target.source["previous"]["location"]} == {"/x"}


def call(procedure: str, *arguments: str) -> PlanLineage:
    source = {
        "kind": "procedure",
        "class": procedure,
        "catalog": "lake",
        "parameters": ["table", "source_table"],
    }
    given = {"procedure": None, "args": [{"r": i} for i in range(len(arguments))]}
    return command("Call", LOGICAL, given, *arguments, src=source)


@pytest.mark.parametrize(
    ("named", "source"), [("`parquet`.`/a/b.c`", "/a/b.c"), ("d.s", "s"), ("spark_catalog.d.`s`", "s")]
)
def test_files_that_are_added_to_a_table_are_all_its_rows(named: str, source: str) -> None:
    lineage = call(f"{ICEBERG}.AddFilesProcedure", "d.t", named)

    assert edges(lineage) == {("", source, "")}
    assert lineage.target is not None
    assert lineage.target.source["identifier"] == {"table": "t", "database": "d", "catalog": "lake"}


def test_a_procedure_that_works_within_a_table_writes_nothing_new() -> None:
    lineage = call(f"{ICEBERG}.RewriteDataFilesProcedure", "d.t")
    assert lineage.target is None
    assert lineage.complete


def test_a_procedure_that_is_not_known_is_incomplete() -> None:
    lineage = call("shop.Copies", "d.t", "d.s")
    assert [gap.reason for gap in lineage.incomplete] == [IncompleteReason.UNKNOWN_RELATION]
    assert lineage.target is not None


def test_a_connectors_command_without_a_query_is_incomplete_and_has_the_tables_that_it_names() -> None:
    named = [{"p": "TableIdentifier", "a": table(name)["identifier"]} for name in ("t", "s")]
    lineage = command("CopyIntoCommand", CONNECTOR, {"target": named[0], "source": named[1]})

    assert edges(lineage) == {("", "s", "")}
    assert lineage.target is not None
    assert name_of(lineage.target.source) == "t"
    assert [gap.reason for gap in lineage.incomplete] == [IncompleteReason.UNKNOWN_RELATION]


@pytest.mark.parametrize(("name", "package"), [("DropTableCommand", COMMANDS), ("VacuumCommand", CONNECTOR)])
def test_a_command_that_moves_no_data_to_another_table_writes_nothing(name: str, package: str) -> None:
    lineage = command(name, package, {})
    assert lineage.target is None
    assert lineage.complete
