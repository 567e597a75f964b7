"""What is queried in a SQL script decides about what the script executes afterwards."""

from __future__ import annotations

from headwater_facets.kinds import Subtype
from headwater_plan.nodes import (
    Attribute,
    Column,
    DecodedPlan,
    Definition,
    Local,
    Problem,
    Project,
    Read,
    Write,
)
from headwater_plan.types import AtomicType, StructField, StructType
from headwater_spark.decode import PlanExecution
from headwater_spark.tracing import trace
from headwater_spark.tracing.scripts import MOST_CONDITIONS, Scripts

SCRIPT = "BEGIN IF (SELECT b FROM t) THEN INSERT INTO o SELECT 1; END IF; END"
PART = PlanExecution(1, script=SCRIPT, is_sql=True, asks=True)
OUTSIDE = PlanExecution(2, is_sql=True)
BOOLEAN = AtomicType("boolean")


def read(name: str, id_: int) -> Read:
    return Read((Attribute(id_, "b", BOOLEAN),), {"kind": "files", "roots": [f"file:/{name}"]})


def insert() -> DecodedPlan:
    rows = read("rows", 1)
    write = Write(
        rows, {"kind": "files", "roots": ["file:/o"]}, "Insert", StructType((StructField("b", BOOLEAN),))
    )
    return DecodedPlan(rows, write)


def asked(scripts: Scripts, name: str, id_: int = 7, by: PlanExecution = PART) -> None:
    plan = DecodedPlan(read(name, id_))
    scripts.add(by, plan, trace(plan))


def deciding(plan: DecodedPlan) -> list[str]:
    lineage = trace(plan)
    filters = [i for i in lineage.dataset if any(t.subtype is Subtype.FILTER for t in i.transformations)]
    return [lineage.reads[i.read].source["roots"][0] for i in filters]


def test_a_condition_decides_about_what_is_executed_after_it_in_its_script() -> None:
    scripts = Scripts()
    assert deciding(scripts.decided(PART, insert())) == []

    asked(scripts, "c")

    assert deciding(scripts.decided(PART, insert())) == ["file:/c"]
    assert deciding(scripts.decided(OUTSIDE, insert())) == []


def test_a_command_without_rows_decides_about_nothing() -> None:
    scripts = Scripts()
    command = DecodedPlan(Local((), "CreateTable"), None, (Problem("UNKNOWN_RELATION", "CreateTable"),))
    scripts.add(PART, command, trace(command))

    write = insert()
    assert scripts.decided(PART, write) is write


def test_a_variable_that_is_set_depends_on_the_conditions_before() -> None:
    scripts = Scripts()
    asked(scripts, "c")
    rows = read("rows", 1)
    a = rows.outputs[0]
    named = Project((a,), rows, (Definition(a, Column(a.id, a.name, a.type)),))

    decided = scripts.decided(PART, DecodedPlan(named, assigned=("v",)))

    assert decided.assigned == ("v",)
    assert deciding(decided) == ["file:/c"]


def test_the_condition_of_a_loop_is_one_however_often_it_is_executed() -> None:
    scripts = Scripts()
    for round_ in range(MOST_CONDITIONS + 5):
        asked(scripts, "c", 100 + round_)

    decided = scripts.decided(PART, insert())

    assert deciding(decided) == ["file:/c"]
    assert decided.problems == ()


def test_more_conditions_than_are_kept_are_a_gap() -> None:
    scripts = Scripts()
    for number in range(MOST_CONDITIONS + 1):
        asked(scripts, f"c{number}", 100 + number)

    assert [problem.reason for problem in scripts.decided(PART, insert()).problems] == ["TRUNCATED"]


def test_a_query_without_a_text_belongs_to_the_script_that_goes_on() -> None:
    scripts = Scripts()
    asked(scripts, "case", by=PlanExecution(1, is_sql=True, asks=True))

    assert deciding(scripts.decided(PART, insert())) == ["file:/case"]
    assert deciding(scripts.decided(OUTSIDE, insert())) == []


def test_a_text_that_is_executed_belongs_to_the_script_until_something_else_is() -> None:
    scripts = Scripts()
    part = PlanExecution(1, script=SCRIPT + " EXECUTE  IMMEDIATE", is_sql=True, asks=True)
    asked(scripts, "c", by=part)

    assert deciding(scripts.decided(OUTSIDE, insert())) == ["file:/c"]
    scripts.decided(PlanExecution(3), insert())
    assert deciding(scripts.decided(OUTSIDE, insert())) == []
