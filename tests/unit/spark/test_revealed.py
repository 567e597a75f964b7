"""What the rows that a condition leaves reveal of its operands."""

from __future__ import annotations

import pytest

from headwater_facets.kinds import LineageType, Retains, Subtype
from headwater_plan.nodes import Call, Case, Column, Expression, Literal, Subquery, UnknownRelation
from headwater_plan.types import AtomicType
from headwater_spark.tracing.values.revealed import revealed, revealed_of_groups
from headwater_spark.tracing.values.value import Edge, How, Origin

TEXT = AtomicType("string")
A, B = Column(1, "a", TEXT), Column(2, "b", TEXT)
FLU, COLD = Literal("flu", TEXT, "'flu'", "'flu'"), Literal("cold", TEXT, "'cold'", "'cold'")
NULL = Literal(None, TEXT, "NULL", "NULL")


def call(function: str, *args: Expression) -> Call:
    return Call(function, args)


EXISTS = Subquery("EXISTS", UnknownRelation((), (), "Any"))
TELLS = {
    "equal": (call("=", A, FLU), {"a": Retains.VALUE}),
    "equal, the other way round": (call("=", FLU, A), {"a": Retains.VALUE}),
    "equal to null": (call("<=>", A, NULL), {"a": None}),
    "one of one": (call("in", A, FLU), {"a": Retains.VALUE}),
    "one of two": (call("in", A, FLU, COLD), {"a": Retains.PART}),
    "one or the other": (
        call("or", call("=", A, FLU), call("=", A, COLD)),
        {"a": Retains.PART},
    ),
    "one column or another": (
        call("or", call("=", A, FLU), call("=", B, COLD)),
        {"a": Retains.FACT, "b": Retains.FACT},
    ),
    "alike": (call("startswith", A, FLU), {"a": Retains.PART}),
    "greater": (call(">", A, FLU), {"a": Retains.FACT}),
    "unequal": (call("not", call("=", A, FLU)), {"a": Retains.FACT}),
    "null": (call("isnotnull", A), {"a": None}),
    "not null": (call("not", call("isnull", A)), {"a": None}),
    "a truth value": (A, {"a": Retains.VALUE}),
    "the opposite of one": (call("not", A), {"a": Retains.VALUE}),
    "two columns": (call("=", A, B), {"a": Retains.FACT, "b": Retains.FACT}),
    "all together": (
        call("and", call("=", A, FLU), call("isnotnull", B)),
        {"a": Retains.VALUE, "b": None},
    ),
    "nothing": (FLU, {}),
}


@pytest.mark.parametrize(("condition", "expected"), TELLS.values(), ids=TELLS.keys())
def test_the_rows_tell(condition: Expression, expected: dict[str, Retains | None]) -> None:
    found = {e.name: reveals for e, reveals in revealed(condition) if isinstance(e, Column)}
    assert found == expected


def test_a_subquery_tells_what_its_own_rows_do() -> None:
    assert revealed(EXISTS) == ((EXISTS, Retains.VALUE),)
    assert revealed(call("not", EXISTS)) == ((EXISTS, Retains.FACT),)


def test_a_branch_tells_a_fact_unless_it_is_compared() -> None:
    branch = Case((A,), (FLU, COLD), TEXT)
    assert revealed(branch) == ((branch, Retains.FACT),)
    assert revealed(call("=", branch, FLU)) == ((branch, Retains.VALUE),)


def test_groups_tell_by_what_a_join_found_their_keys() -> None:
    """``visits JOIN codes ON reason = key JOIN wards ON ward = name``, in groups by ``code``."""
    reason, key = joined(1, "reason", operator=3), joined(2, "key", operator=3)
    ward, name = joined(1, "ward", operator=4), joined(5, "name", operator=4)
    shown = frozenset({(Origin(2, 7, "code"), ())})
    found = {e.origin.name: e.how.reveals for e in revealed_of_groups((reason, key, ward, name), shown)}
    statistic = dict.fromkeys(("key", "ward", "name"), Retains.STATISTIC)
    assert found == {"reason": Retains.VALUE, **statistic}


def test_groups_tell_by_what_a_chain_of_joins_found_their_keys() -> None:
    """``visits JOIN codes ON reason = key JOIN areas ON code = area JOIN wards ON ward = name``, by ``head``."""
    reason, key = joined(1, "reason", operator=3), joined(2, "key", operator=3)
    code, area = joined(2, "code", operator=5), joined(4, "area", operator=5)
    ward, name = joined(1, "ward", operator=7), joined(6, "name", operator=7)
    shown = frozenset({(Origin(4, 7, "head"), ())})
    edges = revealed_of_groups((reason, key, code, area, ward, name), shown)
    kept = [e.origin.name for e in edges if e.how.reveals is Retains.VALUE]
    assert kept == ["reason", "code", "area"]


def joined(read: int, name: str, operator: int) -> Edge:
    how = How(LineageType.INDIRECT, Subtype.JOIN, reveals=Retains.VALUE, operators=1 << operator)
    return Edge(Origin(read, read, name), (), how)
