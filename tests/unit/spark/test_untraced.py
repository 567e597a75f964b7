"""What the analysis does not know is incomplete, path by path; only what is known to read nothing is generated."""

from __future__ import annotations

from typing import Any

from headwater_facets.kinds import IncompleteReason
from headwater_spark.tracing import Analyst, PlanLineage, analyse
from kit.plans import copy_plan, files

EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"
LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"
ID = 1
"""The expression id of the one column that is read."""


class Plan:
    """A write of a projection over one column ``id`` that is read, node by node."""

    def __init__(self) -> None:
        self.document = copy_plan(files("/in"), files("/out"))
        self.document["nodes"].pop()
        self.read = 1

    def node(self, name: str, values: dict[str, Any], package: str = EXPRESSIONS, **extras: Any) -> int:
        """A further node; gives its index."""
        classes = self.document["classes"]
        classes.append({"name": name, "class": f"{package}.{name}", "fields": list(values)})
        self.document["nodes"].append({"c": len(classes) - 1, "a": list(values.values()), **extras})
        return len(self.document["nodes"]) - 1

    def column(self, name: str, child: int, number: int) -> int:
        return self.node("Alias", {"child": {"r": child}, "name": name}, id=number, n=name, q=[], t=0)

    def projected(self, *columns: int, of: int | None = None) -> int:
        child = {"r": self.read if of is None else of}
        return self.node("Project", {"projectList": [{"r": c} for c in columns], "child": child}, LOGICAL)

    def written(self, query: int, *names: str) -> dict[str, Any]:
        package = "org.apache.spark.sql.execution.datasources"
        fields = {"query": {"r": query}, "outputColumnNames": list(names)}
        source = {**files("/out"), "mode": "overwrite"}
        self.document["root"] = self.node("InsertIntoHadoopFsRelationCommand", fields, package, src=source)
        return self.document


def lineage_of(plan: Plan, child: int) -> PlanLineage:
    """The lineage of two columns: ``a`` of the given expression, ``b`` of the column that is read."""
    query = plan.projected(plan.column("a", child, 11), plan.column("b", 0, 12))
    return analyse(plan.written(query, "a", "b"))


def _is_incomplete_at_a(lineage: PlanLineage) -> bool:
    (gap,) = lineage.incomplete
    assert lineage.generated == ()
    assert [field.path for field in lineage.fields if field.path == ("b",)]
    return gap.reason is IncompleteReason.UNKNOWN_EXPRESSION and gap.paths == (("a",),)


def test_an_unresolved_column_is_incomplete_at_its_path() -> None:
    plan = Plan()
    lineage = lineage_of(plan, plan.node("UnresolvedAttribute", {"nameParts": ["mail"]}))
    assert _is_incomplete_at_a(lineage)


def test_a_leaf_of_an_unknown_class_is_incomplete_at_its_path() -> None:
    plan = Plan()
    assert _is_incomplete_at_a(lineage_of(plan, plan.node("FutureSource", {"seed": 1})))


def test_an_unresolved_function_is_incomplete_and_keeps_its_arguments() -> None:
    plan = Plan()
    lineage = lineage_of(plan, plan.node("UnresolvedFunction", {"arguments": [{"r": 0}]}))
    assert _is_incomplete_at_a(lineage)
    assert {field.path for field in lineage.fields} == {("a",), ("b",)}


def test_a_column_that_no_operator_gives_is_incomplete_at_its_path() -> None:
    plan = Plan()
    fields = {"name": "lost", "dataType": {"T": 0}, "nullable": True, "metadata": None}
    lost = plan.node("AttributeReference", fields, id=99, n="lost", q=[], t=0)
    assert _is_incomplete_at_a(lineage_of(plan, lost))


def test_an_unresolved_column_in_a_condition_is_incomplete_for_the_whole_output() -> None:
    plan = Plan()
    condition = plan.node("UnresolvedAttribute", {"nameParts": ["mail"]})
    filtered = plan.node("Filter", {"condition": {"r": condition}, "child": {"r": plan.read}}, LOGICAL)
    query = plan.projected(plan.column("b", 0, 12), of=filtered)
    (gap,) = analyse(plan.written(query, "b")).incomplete
    assert (gap.reason, gap.paths) == (IncompleteReason.UNKNOWN_EXPRESSION, ())


def test_a_known_generator_is_generated() -> None:
    plan = Plan()
    lineage = lineage_of(plan, plan.node("CurrentDate", {"timeZoneId": "UTC"}))
    assert lineage.incomplete == ()
    assert [entry.path for entry in lineage.generated] == [("a",)]


def test_parameters_beside_a_replacement_are_not_looked_at() -> None:
    plan = Plan()
    stale = plan.node("UnresolvedAttribute", {"nameParts": ["id"]})
    coalesce = plan.node("Coalesce", {"children": [{"r": 0}, {"r": 0}]})
    lineage = lineage_of(plan, plan.node("Nvl", {"left": {"r": stale}, "replacement": {"r": coalesce}}))
    assert lineage.incomplete == () and lineage.generated == ()
    assert {field.path for field in lineage.fields} == {("a",), ("b",)}


def rows_of(command: str) -> PlanLineage:
    plan = Plan()
    fields = {"name": "n", "dataType": {"T": 0}, "nullable": True, "metadata": None}
    shown = plan.node("AttributeReference", fields, id=50, n="n", q=[], t=0)
    run = plan.node(command, {}, "org.apache.spark.sql.execution.command")
    result = {"output": [{"r": shown}], "commandLogicalPlan": {"r": run}}
    rows = plan.node("CommandResult", result, LOGICAL, out=[shown], src={"kind": "memory"})
    return analyse(plan.written(rows, "n"))


def test_rows_that_describe_the_catalog_are_generated() -> None:
    lineage = rows_of("ShowTablesCommand")
    assert lineage.complete and [entry.path for entry in lineage.generated] == [("n",)]


def test_rows_of_any_other_command_may_be_anything() -> None:
    for command in ("ShowPartitionsCommand", "FutureCommand"):
        lineage = rows_of(command)
        assert not lineage.complete and lineage.generated == ()


def _set_variable() -> dict[str, Any]:
    plan = Plan()
    variable = plan.node("VariableReference", {"originalNameParts": ["session", "Highest"]})
    fields = {"targetVariables": [{"r": variable}], "sourceQuery": {"r": plan.read}}
    plan.document["root"] = plan.node("SetVariable", fields, LOGICAL, out=[])
    return plan.document


def _use_of_variable() -> dict[str, Any]:
    plan = Plan()
    variable = plan.node("VariableReference", {"originalNameParts": ["highest"]})
    return plan.written(plan.projected(plan.column("a", variable, 11)), "a")


def test_a_variable_that_a_query_set_comes_from_what_the_query_read() -> None:
    analyst = Analyst()
    analyst.analyse(_set_variable())
    (field,) = analyst.analyse(_use_of_variable()).fields
    assert field.path == ("a",)
    assert [entry.path for entry in field.inputs] == [("id",)]


def test_a_variable_that_no_query_set_is_a_constant() -> None:
    lineage = Analyst().analyse(_use_of_variable())
    assert lineage.fields == () and [entry.path for entry in lineage.generated] == [("a",)]


def test_a_table_that_is_created_without_a_query_is_not_read() -> None:
    plan = Plan()
    catalog = {"k": "catalog", "name": "lake"}
    identifier = {"k": "identifier", "namespace": ["db"], "name": "t"}
    fields = {"catalog": catalog, "identifier": identifier, "output": [{"r": 0}]}
    name = plan.node(
        "ResolvedIdentifier", fields, "org.apache.spark.sql.catalyst.analysis", sort="plan", out=[0]
    )
    plan.document["root"] = plan.node("CreateTable", {"name": {"r": name}, "columns": []}, LOGICAL, out=[])
    lineage = analyse(plan.document)
    assert (lineage.reads, lineage.returned, lineage.target) == ((), (), None)
