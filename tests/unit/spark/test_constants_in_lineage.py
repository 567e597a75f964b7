"""Where a constant stands in a plan decides what of it is in the plan's lineage."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from headwater_plan.nodes import (
    Attribute,
    Call,
    Case,
    Column,
    Construct,
    DecodedPlan,
    Definition,
    Element,
    Expression,
    Filter,
    Literal,
    Project,
    Read,
    Write,
)
from headwater_plan.types import AtomicType, MapType, StructField, StructType
from headwater_spark.constants import BY_DEFAULT, Constants, Setting, Tokens
from headwater_spark.decode.context import constant
from headwater_spark.tracing import PlanLineage, trace

SECRET = "hunter2"
STRING = AtomicType("string")
NAME = Column(1, "name", STRING)
PROPS = Column(2, "props", MapType(STRING, STRING))
PEOPLE = Read(
    (Attribute(1, "name", STRING), Attribute(2, "props", MapType(STRING, STRING))),
    {"kind": "files", "roots": ["file:/in/people"], "format": "json"},
)
AFTER = Constants(tokens=Tokens())


def secret(constants: Constants = BY_DEFAULT) -> Literal:
    return constant(SECRET, STRING, f"'{SECRET}'", constants)


def equal(a: Expression, b: Expression) -> Call:
    return Call("=", (a, b), AtomicType("boolean"))


def concat(*parts: Expression) -> Call:
    return Call("concat", parts, STRING, "concat")


def a_map(key: Expression, value: Expression) -> Construct:
    return Construct((("key", key), ("value", value)), MapType(STRING, STRING))


def select(e: Expression) -> PlanLineage:
    made = Definition(Attribute(9, "x", STRING), e)
    relation = Project((made.attribute,), PEOPLE, (made,))
    return trace(DecodedPlan(relation, Write(relation, {}, "", StructType((StructField("x", STRING),)))))


def where(condition: Expression) -> PlanLineage:
    relation = Filter(PEOPLE.outputs, PEOPLE, condition)
    columns = StructType(tuple(StructField(a.name, a.type) for a in PEOPLE.outputs))
    return trace(DecodedPlan(relation, Write(relation, {}, "", columns)))


Traced = Callable[[Expression], PlanLineage]
VALUES: dict[str, Traced] = {
    "a column": select,
    "an argument": lambda s: select(concat(NAME, s)),
    "a default": lambda s: select(Case((NAME,), (NAME, s), STRING)),
    "a default that is asked first": lambda s: select(Case((s, NAME), (s, NAME), STRING)),
    "the greatest of values": lambda s: select(Case((c := concat(NAME, s), NAME), (c, NAME), STRING)),
    "a branch": lambda s: select(Case((equal(NAME, NAME),), (s, NAME), STRING)),
    "a map's key": lambda s: select(a_map(s, NAME)),
    "a map's value": lambda s: select(a_map(NAME, s)),
    "a default in a filter": lambda s: where(equal(Case((NAME,), (NAME, s), STRING), NAME)),
    "a map in a filter": lambda s: where(equal(Element(a_map(s, s), NAME, STRING), NAME)),
}
COMPARED: dict[str, Traced] = {
    "a filter": lambda s: where(equal(NAME, s)),
    "a filter by an argument": lambda s: where(Call("startswith", (NAME, s), AtomicType("boolean"))),
    "a filter by something computed": lambda s: where(equal(concat(NAME, s), NAME)),
    "a condition of a CASE": lambda s: select(Case((equal(NAME, s),), (NAME,), STRING)),
    "a comparison that is a column": lambda s: select(equal(NAME, s)),
    "a key": lambda s: select(Element(PROPS, s, STRING)),
}


@pytest.mark.parametrize("position", VALUES)
def test_a_constant_of_a_value_is_a_placeholder(position: str) -> None:
    for constants in (Constants(), AFTER, Constants(Setting.HIDE)):
        found = str(VALUES[position](secret(constants)))
        assert SECRET not in found
        assert "token:" not in found
        assert "<string>" in found
    assert SECRET in str(VALUES[position](secret(Constants(Setting.SHOW))))


@pytest.mark.parametrize("position", COMPARED)
def test_a_constant_of_a_predicate_is_emitted_and_a_token_after_a_collect(position: str) -> None:
    assert SECRET in str(COMPARED[position](secret()))
    after = str(COMPARED[position](secret(AFTER)))
    assert SECRET not in after
    assert AFTER.in_predicate(SECRET, "", "") in after
    hidden = str(COMPARED[position](secret(Constants(Setting.HIDE))))
    assert SECRET not in hidden
    assert "token:" not in hidden


def test_a_token_is_no_constant_of_the_columns_type() -> None:
    (condition,) = where(equal(NAME, secret(AFTER))).conditions
    _, compared = condition.predicate["args"]
    assert compared == {"literal": AFTER.in_predicate(SECRET, "", ""), "type": "token"}
