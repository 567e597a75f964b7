"""Between operators, a column that Spark named after its expression has no constants in its name."""

from __future__ import annotations

from headwater_plan.nodes import (
    Attribute,
    Call,
    Column,
    DecodedPlan,
    Definition,
    Expression,
    Literal,
    Project,
    Read,
    Relation,
    Rename,
    Union,
    Write,
)
from headwater_plan.types import AtomicType, StructField, StructType
from headwater_spark.constants import Constants, Setting
from headwater_spark.decode.context import constant
from headwater_spark.tracing import PlanLineage, trace

SECRET = "hunter2"
STRING = AtomicType("string")
PEOPLE = Read(
    (Attribute(1, "name", STRING),), {"kind": "files", "roots": ["file:/in/people"], "format": "json"}
)
NAME = Column(1, "name", STRING)


def secret(setting: Setting = Setting.PREDICATES) -> Literal:
    return constant(SECRET, STRING, f"'{SECRET}'", Constants(setting))


def select(child: Relation, *definitions: tuple[int, str, Expression]) -> Project:
    made = tuple(Definition(Attribute(i, name, STRING), e) for i, name, e in definitions)
    return Project(tuple(each.attribute for each in made), child, made)


def joined(literal: Literal, argument: Expression = NAME) -> Call:
    return Call("concat", (argument, literal), STRING, "concat")


def lineage(relation: Relation, *columns: str) -> PlanLineage:
    """Of a write of the relation under these names."""
    schema = StructType(tuple(StructField(name, STRING) for name in columns))
    return trace(DecodedPlan(relation, Write(relation, {}, "", schema)))


def test_a_constant_in_the_name_of_a_column_between_operators_is_replaced() -> None:
    inner = select(PEOPLE, (2, f"concat(name, {SECRET})", joined(secret())))
    outer = select(inner, (3, "x", Call("upper", (Column(2, f"concat(name, {SECRET})", STRING),), STRING)))
    found = lineage(outer, "x")

    assert SECRET not in str(found.operators)
    assert [each.text for each in found.operators[1:3]] == [
        "concat(name, <string>) AS concat(name, <string>)",
        "upper(concat(name, <string>)) AS x",
    ]
    assert found.operators[2].accessed[0].path == ("concat(name, <string>)",)
    assert found.operators[1].manipulated is not None
    assert found.operators[1].manipulated[0].target == ("concat(name, <string>)",)
    assert found.fields[0].inputs[0].path == ("name",), "the lineage is as it was"


def test_so_it_is_under_other_ids_and_in_names_made_of_such_names() -> None:
    inner = select(PEOPLE, (2, SECRET, secret()), (4, f"max(concat(name, {SECRET}))", joined(secret())))
    renamed = Rename(
        (Attribute(5, SECRET, STRING), Attribute(6, f"max(concat(name, {SECRET}))", STRING)), inner
    )
    same = Union(
        (Attribute(7, SECRET, STRING), Attribute(8, f"max(concat(name, {SECRET}))", STRING)), (renamed,)
    )
    column = Column(8, f"max(concat(name, {SECRET}))", STRING)
    outer = select(
        same,
        (9, "x", Column(7, SECRET, STRING)),
        (10, f"toprettystring({column.name})", Call("to_pretty_string", (column,), STRING)),
    )
    assert SECRET not in str(lineage(outer, "x", "y").operators)


def test_an_alias_stays_and_so_does_every_name_where_constants_are_shown() -> None:
    for name, literal in (("x1", secret()), (SECRET, secret(Setting.SHOW))):
        inner = select(PEOPLE, (2, name, joined(literal)))
        found = lineage(select(inner, (3, "y", Column(2, name, STRING))), "y")
        assert found.operators[1].text.endswith(f" AS {name}")


def test_a_dataset_keeps_the_name_that_its_column_really_has() -> None:
    name = f"concat(name, {SECRET})"
    found = lineage(select(PEOPLE, (2, name, joined(secret()))), name)
    assert found.fields[0].path == (name,)
    assert SECRET not in str(found.operators)
