"""Conditions on the rows of a source, as Spark's SQL: what cannot be written exactly is left out."""

from __future__ import annotations

from fractions import Fraction

import pytest

from headwater_backend.active.carrying import Fact, Here
from headwater_backend.active.fetching import condition, sql
from headwater_backend.active.terms import Applied, Constant, Term, Token, Variable


def column(name: str, type_: str | None) -> Variable:
    return Variable(Here((name,)), type_)


def compared(op: str, type_: str, value: str | int | Fraction) -> Term:
    return Applied(op, (column("c", type_), Constant(value, type_)))


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (compared("=", "string", "it's \\ "), r"(`c` = 'it\'s \\ ')"),
        (compared("<", "date", 31), "(`c` < DATE'1970-02-01')"),
        (compared(">=", "timestamp", 1), "(`c` >= timestamp_micros(1))"),
        (compared("=", "byte", -128), "(`c` = CAST(-128 AS byte))"),
        (compared(">=", "decimal(10,2)", Fraction(1555, 1000)), "(`c` >= CAST('1.555' AS decimal(38,3)))"),
        (compared("<", "float", Fraction(0.1)), "(`c` < CAST('0.1' AS double))"),
        (Applied("not", (column("c", "boolean"),)), "(NOT `c`)"),
        (Applied("=", (Variable(Here(("who", "a`b")), "string"), Constant(None, "string"))),
         "(`who`.`a``b` = CAST(NULL AS string))"),
    ],
)  # fmt: skip
def test_a_condition_is_written_with_its_values_as_they_are(term: Term, text: str) -> None:
    assert sql(term) == text


@pytest.mark.parametrize(
    "term",
    [
        compared("<", "integer", 3_000_000_000),
        compared("=", "byte", 128),
        compared("=", "decimal(38,0)", Fraction(10**38)),
        compared("=", "decimal(10,2)", Fraction(1, 3)),
        compared("<", "date", 10**9),
        Applied("=", (column("c", None), Constant("x", "string"))),
        Applied("=", (column("c", "string"), Token("key", "t"))),
        Applied("=", (Applied("+", (column("c", "long"), Constant(1, "long")), "long"), Constant(1, "long"))),
        Applied("rlike", (column("c", "string"), Constant("x", "string"))),
    ],
)
def test_what_would_mean_something_else_is_not_written(term: Term) -> None:
    assert sql(term) is None
    assert condition([[Fact(term, ())]]) is None


def test_one_known_part_is_kept_and_one_way_of_which_nothing_is_known_takes_all_rows() -> None:
    known = Fact(compared("=", "string", "x"), ())
    unknown = Fact(Applied("=", (column("c", "string"), Token("key", "t"))), ())
    assert condition([[known, unknown]]) == "(`c` = 'x')"
    assert condition([[known], [unknown]]) is None
