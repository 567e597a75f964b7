"""Which rows an output is made of, and what these have passed, from decoded plans."""

from __future__ import annotations

from itertools import count
from typing import Any

from headwater_plan.nodes import (
    Attribute,
    Call,
    Cast,
    Column,
    Construct,
    DecodedPlan,
    Definition,
    Expression,
    Filter,
    Join,
    Literal,
    Member,
    Project,
    Read,
    Relation,
    Rename,
    Union,
    Windowed,
    Write,
)
from headwater_plan.types import AtomicType, StructField, StructType
from headwater_spark.tracing import trace
from headwater_spark.tracing.result import Population

_IDS = count(1)
STRING = AtomicType("string")


def read(format_: str = "parquet", kind: AtomicType = STRING) -> Read:
    columns = tuple(Attribute(next(_IDS), name, kind) for name in ("id", "region"))
    return Read(columns, {"kind": "files", "roots": ["file:/in"], "format": format_, "partitionColumns": []})


def column(relation: Relation, name: str) -> Column:
    (found,) = (a for a in relation.outputs if a.name == name)
    return Column(found.id, found.name, found.type)


def text(value: str, *, shown: bool = False) -> Literal:
    return Literal(value, STRING, f"'{value}'", f"'{value}'" if shown else "<string>")


def equal(one: Expression, other: Expression) -> Call:
    return Call("=", (one, other))


def kept(relation: Relation, value: str) -> Filter:
    return Filter(relation.outputs, relation, equal(column(relation, "region"), text(value)))


def written(
    relation: Relation, command: str = "InsertIntoHadoopFsRelationCommand", **target: Any
) -> tuple[Population, ...]:
    columns = StructType(tuple(StructField(a.name, a.type) for a in relation.outputs))
    to = {"kind": "files", "mode": "overwrite", **target}
    plan = DecodedPlan(relation, Write(relation, to, command, columns))
    return trace(plan).populations


def stated(population: Population) -> list[str]:
    return [each.sql for each in population.passed]


def value(population: Population, name: str) -> dict[str, Any]:
    return dict(next(tree for path, _, tree in population.values if path == (name,)))


def test_the_rows_of_each_branch_of_a_union_have_passed_its_own_filter_only() -> None:
    one, other = kept(read(), "EU"), kept(read(), "US")
    outputs = tuple(Attribute(next(_IDS), a.name, a.type) for a in one.outputs)
    first, second = written(Union(outputs, (one, other)))
    assert (stated(first), stated(second)) == (["(region = 'EU')"], ["(region = 'US')"])
    assert [first.rows, second.rows] != [first.rows, first.rows]


def test_what_is_joined_with_itself_is_two_rows() -> None:
    one = read()
    other = Rename(tuple(Attribute(next(_IDS), a.name, a.type) for a in one.outputs), one)
    join = Join(
        (*one.outputs, *other.outputs),
        one,
        other,
        "Inner",
        equal(column(one, "region"), text("EU")),
    )
    (population,) = written(kept(Project(other.outputs, join, tuple(_own(other))), "US"))
    rows = [each.tree["args"][0]["row"] for each in population.passed]
    assert len(set(rows)) == 2 and len(population.rows) == 2


def _own(relation: Relation) -> list[Definition]:
    return [Definition(a, Column(a.id, a.name, a.type)) for a in relation.outputs]


def test_a_row_without_a_partner_has_null_and_has_not_passed_the_condition() -> None:
    one, other = read(), read()
    names = Rename(tuple(Attribute(next(_IDS), f"r_{a.name}", a.type) for a in other.outputs), other)
    condition = equal(column(one, "id"), column(names, "r_id"))
    both, alone = written(Join((*one.outputs, *names.outputs), one, names, "LeftOuter", condition))
    assert (stated(both), stated(alone)) == (["(id = r_id)"], [])
    assert value(alone, "r_region") == {"literal": None, "type": "string"}


def test_what_a_row_must_not_find_is_no_condition_of_it() -> None:
    one, other = read(), kept(read(), "EU")
    condition = equal(column(one, "id"), column(other, "id"))
    (population,) = written(Join(one.outputs, one, other, "LeftAnti", condition))
    assert stated(population) == []


def test_a_constant_in_a_column_is_known_only_where_it_may_leave() -> None:
    source = read()
    for shown in (False, True):
        outputs = (Attribute(next(_IDS), "region", STRING),)
        made = Project(outputs, source, (Definition(outputs[0], text("EU", shown=shown)),))
        (population,) = written(made)
        known = {"literal": "EU", "type": "string"}
        assert value(population, "region") == (known if shown else {"opaque": True, "of": ()})


def test_strings_of_another_collation_and_rows_of_a_database_are_not_compared() -> None:
    (collated,) = written(kept(read(kind=AtomicType("string", "UTF8_LCASE")), "EU"))
    assert stated(collated) == []
    (of_database,) = written(kept(read("jdbc"), "EU"))
    assert of_database.passed[0].tree["args"][0]["opaque"] is True


def test_a_comparison_of_two_types_says_nothing() -> None:
    source = read(kind=AtomicType("integer"))
    (population,) = written(kept(source, "01"))
    assert stated(population) == []
    as_text = Cast(column(source, "region"), STRING, STRING)
    (cast,) = written(Filter(source.outputs, source, equal(as_text, text("01"))))
    assert cast.passed[0].tree["args"][0]["op"] == "cast"


def test_what_a_window_takes_may_be_of_any_row() -> None:
    source = read()
    output = Attribute(next(_IDS), "before", STRING)
    function = Windowed(Call("lag", (column(source, "region"),)), (), ())
    (population,) = written(
        Project((*source.outputs, output), source, (*_own(source), Definition(output, function)))
    )
    assert value(population, "before")["others"] is True


def test_a_command_that_changes_rows_in_place_has_no_populations() -> None:
    assert written(kept(read(), "EU"), "UpdateTable") == ()


def test_what_is_added_to_a_table_is_stored_by_types_that_the_plan_does_not_say() -> None:
    def types(command: str, mode: str, **target: bool) -> set[str | None]:
        (population,) = written(kept(read(), "EU"), command, mode=mode, **target)
        assert stated(population) == ["(region = 'EU')"]
        return {kind for _, kind, _ in population.values}

    for command in ("SaveAsV1TableCommand", "CreateDataSourceTableAsSelectCommand"):
        assert (types(command, "append"), types(command, "overwrite")) == ({None}, {"string"})
        assert types(command, "append", isNew=True) == {"string"}
    assert types("InsertIntoHadoopFsRelationCommand", "append") == {"string"}


def structured(relation: Relation, *names: str) -> Project:
    """The relation with its columns in a structure, under other names."""
    parts = tuple((name, column(relation, a.name)) for name, a in zip(names, relation.outputs, strict=True))
    fields = StructType(tuple(StructField(name, STRING) for name in names))
    made = Attribute(next(_IDS), "s", fields)
    return Project((made,), relation, (Definition(made, Construct(parts, fields)),))


def member_kept(relation: Relation, name: str, value: str) -> Filter:
    s = column(relation, "s")
    return Filter(relation.outputs, relation, equal(Member(s, name, type=STRING), text(value)))


def test_a_member_of_a_structure_that_the_query_makes_is_what_it_was_made_of() -> None:
    (population,) = written(member_kept(structured(kept(read(), "EU"), "i", "r"), "r", "US"))
    assert stated(population) == ["(region = 'EU')", "(s.r = 'US')"]
    first, second = (each.tree["args"][0] for each in population.passed)
    assert first == second and first["path"] == ["region"]
    whole = value(population, "s")
    assert whole["opaque"] and sorted(each["path"][0] for each in whole["of"]) == ["id", "region"]


def test_members_that_are_called_otherwise_after_a_union_are_not_mistaken_for_each_other() -> None:
    one, other = structured(read(), "a", "b"), structured(read(), "b", "a")
    outputs = tuple(Attribute(next(_IDS), a.name, a.type) for a in one.outputs)
    first, second = written(member_kept(Union(outputs, (one, other)), "a", "US"))
    assert [each.tree["args"][0].get("path") for each in first.passed] == [["id"]]
    assert [each.tree["args"][0].get("opaque") for each in second.passed] == [True]


def test_members_of_one_name_are_not_distinguished() -> None:
    (population,) = written(member_kept(structured(read(), "a", "a"), "a", "US"))
    assert [each.tree["args"][0].get("opaque") for each in population.passed] == [True]


def test_a_structure_on_the_empty_side_of_a_join_has_no_members() -> None:
    left, right = read(), structured(kept(read(), "EU"), "i", "r")
    joined = Join((*left.outputs, *right.outputs), left, right, "LeftOuter", None)
    both, alone = written(member_kept(joined, "r", "US"))
    assert [len(each.passed) for each in (both, alone)] == [2, 1]
    assert "path" not in alone.passed[0].tree["args"][0]
