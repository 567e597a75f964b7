"""Commands that rename a column, or give a table back what it held: the table is made of itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from headwater_facets.kinds import Subtype
from headwater_spark.decode import PlanExecution
from headwater_spark.tracing import Analyst, PlanLineage

LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"
CATALYST = "org.apache.spark.sql.catalyst"
TABLE = {"o": "org.apache.iceberg.spark.source.SparkTable", "name": "lake.db.t", "location": "/lake/db/t"}
CLASSES = [
    {
        "name": "AttributeReference",
        "class": f"{CATALYST}.expressions.AttributeReference",
        "sort": "expression",
        "fields": ["name", "dataType", "nullable", "metadata"],
    },
    {
        "name": "ResolvedTable",
        "class": f"{CATALYST}.analysis.ResolvedTable",
        "sort": "plan",
        "fields": ["catalog", "identifier", "table", "outputAttributes"],
    },
    {
        "name": "ResolvedFieldName",
        "class": f"{CATALYST}.analysis.ResolvedFieldName",
        "sort": "expression",
        "fields": ["path", "field"],
    },
    {
        "name": "RenameColumn",
        "class": f"{LOGICAL}.RenameColumn",
        "sort": "command",
        "fields": ["table", "column", "newName"],
    },
]


def struct(**fields: Any) -> dict[str, Any]:
    members = [{"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in fields.items()]
    return {"type": "struct", "fields": members}


def array(element: Any) -> dict[str, Any]:
    return {"type": "array", "elementType": element, "containsNull": True}


def keyed(value: Any) -> dict[str, Any]:
    return {"type": "map", "keyType": "string", "valueType": value, "valueContainsNull": True}


def analysed(plan: Mapping[str, Any]) -> PlanLineage:
    return Analyst().analyse(plan, by=PlanExecution(1, started=5_000))


def renamed(above: list[str], old: str, new: str, **columns: Any) -> PlanLineage:
    """The lineage of a command over a table with such columns."""
    types = list(columns.values())
    nodes: list[dict[str, Any]] = [
        {"c": 0, "a": [name, {"T": at}, True, None], "id": at, "n": name, "q": [], "t": at}
        for at, name in enumerate(columns)
    ]
    own = [{"r": at} for at in range(len(nodes))]
    catalog, name = {"k": "catalog", "name": "lake"}, {"k": "identifier", "namespace": ["db"], "name": "t"}
    field = {"p": "StructField", "a": {"name": old, "dataType": None, "nullable": True, "metadata": None}}
    nodes += [
        {"c": 1, "a": [catalog, name, TABLE, own]},
        {"c": 2, "a": [above, field]},
        {"c": 3, "a": [{"r": len(own)}, {"r": len(own) + 1}, new], "out": []},
    ]
    plan = {"types": types, "classes": CLASSES, "nodes": nodes, "root": len(nodes) - 1}
    return analysed({**plan, "working": "file:/work"})


def ways(lineage: PlanLineage) -> set[str]:
    assert lineage.target is not None
    assert lineage.target.source["identifier"] == lineage.reads[0].source["identifier"]
    return {
        f"{'.'.join(field.path)} <- {'.'.join(each.path)}"
        for field in lineage.fields
        for each in field.inputs
    }


def test_a_renamed_column_is_made_of_the_one_with_its_former_name() -> None:
    found = renamed([], "email", "contact", id="integer", email="string")

    assert ways(found) == {"id <- id", "contact <- email"}
    assert not found.incomplete
    assert {how.subtype for f in found.fields for i in f.inputs for how in i.transformations} == {
        Subtype.IDENTITY
    }


@pytest.mark.parametrize(
    ("above", "kind", "place"),
    [
        (["who"], struct(email="string", ssn="string"), "who"),
        (["who", "in"], struct(**{"in": struct(email="string", ssn="string")}), "who.in"),
        (["who", "element"], array(struct(email="string", ssn="string")), "who._element"),
        (["who", "value"], keyed(struct(email="string", ssn="string")), "who.value"),
    ],
)
def test_a_renamed_member_is_made_of_the_one_with_its_former_name(
    above: list[str], kind: dict[str, Any], place: str
) -> None:
    found = ways(renamed(above, "email", "contact", who=kind))

    assert {f"{place}.contact <- {place}.email", f"{place}.ssn <- {place}.ssn"} <= found
    assert not any(line.startswith(f"{place}.email") for line in found)


def test_a_column_that_is_not_known_is_a_gap() -> None:
    assert renamed([], "", "contact", email="string").incomplete


def test_a_restored_table_is_made_of_what_it_held_at_some_time() -> None:
    name = "RestoreTableCommand"
    fields = {"sourceTable": {**TABLE, "provider": "delta"}}
    classes = [{"name": name, "class": f"x.{name}", "sort": "command", "fields": list(fields)}]
    plan = {"types": [], "classes": classes, "nodes": [{"c": 0, "a": list(fields.values())}], "root": 0}
    found = analysed({**plan, "working": "file:/work"})

    assert [(read.at, read.source["roots"]) for read in found.reads] == [(0, ["file:/lake/db/t"])]
    assert found.target is not None
    assert found.target.source["roots"] == ["file:/lake/db/t"]
