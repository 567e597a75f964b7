"""Folders of a partitioned dataset that are read alone, and the names of files."""

from __future__ import annotations

from typing import Any

from headwater_facets.kinds import Retains, Subtype
from headwater_plan.nodes import Attribute, Call, DecodedPlan, Definition, Project, Relation, Write
from headwater_plan.types import AtomicType, StructField, StructType
from headwater_spark.constants import Constants, Setting
from headwater_spark.decode import decode
from headwater_spark.naming.datasets import folder_values
from headwater_spark.tracing import PlanLineage, trace
from kit.plan_documents import plan

STRING = AtomicType("string")


def read(*roots: str, constants: Constants | None = None, **more: Any) -> Relation:
    """What is read of these places."""
    files = {
        "o": "org.apache.spark.sql.execution.datasources.HadoopFsRelation",
        "roots": list(roots),
        "format": "parquet",
        **more,
    }
    document = plan(("LogicalRelation", {"relation": files, "catalogTable": None}))
    found = decode(document, constants=constants or Constants()).relation
    assert found is not None
    return found


def lineage(child: Relation) -> PlanLineage:
    """The lineage of the names of the files that are read, as they are written."""
    name = Definition(Attribute(99, "f", STRING), Call("input_file_name", (), STRING, "input_file_name"))
    relation = Project((name.attribute,), child, (name,))
    return trace(DecodedPlan(relation, Write(relation, {}, "", StructType((StructField("f", STRING),)))))


def conditions(found: PlanLineage) -> list[str]:
    return [each.sql for each in found.conditions]


def test_a_folder_is_a_condition_on_its_column() -> None:
    found = lineage(read("file:/in/t/city=Bern/year=2026"))
    assert conditions(found) == ["((city = 'Bern') AND (year = '2026'))"]
    assert [(each.path, each.transformations[0].subtype) for each in found.dataset] == [
        (("city",), Subtype.FILTER),
        (("year",), Subtype.FILTER),
    ]


def test_the_value_of_a_folder_is_hidden_like_other_constants() -> None:
    assert conditions(lineage(read("file:/in/t/city=Bern", constants=Constants(Setting.HIDE)))) == [
        "(city = <string>)"
    ]


def test_of_several_folders_no_value_leaves() -> None:
    found = lineage(read("file:/in/t/mail=a@b.ch", "file:/in/t/mail=c@d.ch"))
    assert conditions(found) == ["mail IN (<string>)"]
    assert "@" not in repr((found.conditions, found.operators, found.fields, found.dataset))


def test_the_folder_of_null_is_a_test_for_null() -> None:
    assert conditions(lineage(read("file:/in/t/city=__HIVE_DEFAULT_PARTITION__"))) == ["city IS NULL"]


def test_names_of_files_hold_the_folders_values() -> None:
    (field,) = lineage(read("file:/in/t/city=Bern")).fields
    found = {each.path: [how.retains for how in each.transformations] for each in field.inputs}
    assert found == {("_metadata", "file_path"): [None], ("city",): [Retains.CONTAINS]}


def test_names_of_files_are_incomplete_where_the_folders_columns_are_not_known() -> None:
    table = {"o": "org.apache.iceberg.spark.source.SparkTable", "location": "/lake/t", "provider": "iceberg"}
    named = {"k": "identifier", "namespace": ["a"], "name": "t"}
    document = plan(("DataSourceV2Relation", {"table": table, "identifier": named, "output": []}))
    relation = decode(document).relation
    assert relation is not None
    (gap,) = lineage(relation).incomplete
    assert gap.paths == (("f",),)


def test_values_in_names_of_folders_are_unescaped() -> None:
    assert folder_values("file:/in/t/a%3Db=x%2Fy/part-00000.parquet") == {"a=b": "x/y"}
    assert folder_values("file:/in/t") == {}
