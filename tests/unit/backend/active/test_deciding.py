"""Whether conditions can hold together: by intervals, by z3, and checked apart."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.active.checking import Checked, check
from headwater_backend.active.deciding import Verdict, decide, minimal, solve
from headwater_backend.active.reading import read_populations
from headwater_backend.active.regions import single
from headwater_backend.active.terms import Term
from kit.conditions import column, op, text, whole

REGION, NUM, CODE = column("region"), column("num"), column("code")


def terms(*trees: Any) -> list[Term]:
    document = {
        "rows": [],
        "values": [],
        "conditions": [{"operator": 0, "sql": "", "expression": tree} for tree in trees],
    }
    found = read_populations([document], "test")
    assert found is not None
    return [each.term for each in found[0].passed]


EXCLUDED = {
    "two values": (op("=", REGION, text("EU")), op("=", REGION, text("US"))),
    "a value and its absence": (op("isnull", REGION), op("=", REGION, text("US"))),
    "not one of NULL": (op("not", op("in", REGION, text("EU"), text(None))),),
    "a cast of NULL": (op("=", NUM, op("cast", {"type": "void"}, type="integer")),),
    "ranges": (op(">", NUM, whole(1)), op("<", NUM, whole(2))),
    "a prefix": (op("like", REGION, text("EU%")), op("=", REGION, text("US"))),
    "columns": (op("=", REGION, CODE), op("=", REGION, text("EU")), op("=", CODE, text("US"))),
    "a circle": (op("<", REGION, CODE), op("<", CODE, REGION)),
    "a function": (op("=", op("upper", REGION), text("US")), op("=", REGION, text("eu"))),
    "a cast": (op("=", op("cast", CODE, type="integer"), whole(2)), op("=", CODE, text("1"))),
    "a number as text": (op("=", op("cast", NUM, type="string"), text("02")),),
    "a case": (
        op("=", op("case", op("=", REGION, text("EU")), text("a"), text("b")), text("a")),
        op("=", REGION, text("US")),
    ),
    "a sum": (op("=", op("+", NUM, whole(1), type="integer"), whole(3)), op("=", NUM, whole(7))),
}
POSSIBLE = {
    "the same": (op("=", REGION, text("EU")), op("in", REGION, text("EU"), text("US"))),
    "an overflow": (
        op("<", op("+", NUM, whole(1), type="integer"), whole(0)),
        op(">", NUM, whole(0)),
    ),
    "another function": (op("=", op("upper", REGION), text("EU")), op("=", REGION, text("eu"))),
    "leading zeros": (op("=", op("cast", CODE, type="integer"), whole(2)), op("=", CODE, text("02"))),
    "null is null": (op("<=>", REGION, text(None)), op("isnull", REGION)),
    "what is not known": (op("rlike", REGION, text("EU")), op("=", REGION, text("US"))),
    "tokens of two applications": (
        op("=", REGION, {"token": "token:aa:11", "type": "string"}),
        op("=", REGION, {"token": "token:bb:22", "type": "string"}),
    ),
    "a token and what is shown": (
        op("=", REGION, {"token": "token:aa:11", "type": "string"}),
        op("=", REGION, text("EU")),
    ),
}


@pytest.mark.parametrize("name", EXCLUDED)
def test_conditions_that_exclude_each_other_are_found_and_the_proof_can_be_checked(name: str) -> None:
    stated = terms(*EXCLUDED[name])
    assert decide(frozenset(stated)) is Verdict.EXCLUDED
    assert solve(frozenset(stated)) is Verdict.EXCLUDED
    assert check(stated) in (Checked.TRIED, Checked.SOLVED)


@pytest.mark.parametrize("name", POSSIBLE)
def test_conditions_that_may_hold_together_are_possible(name: str) -> None:
    stated = terms(*POSSIBLE[name])
    assert decide(frozenset(stated)) is Verdict.POSSIBLE
    assert check(stated) in (Checked.WRONG, Checked.OPEN)


def test_tokens_of_one_application_differ_if_their_constants_do() -> None:
    one, other = ({"token": f"token:aa:{n}", "type": "string"} for n in (1, 2))
    assert decide(frozenset(terms(op("=", REGION, one), op("=", REGION, other)))) is Verdict.EXCLUDED


def test_what_excludes_each_other_is_minimal() -> None:
    stated = terms(op("=", NUM, whole(1)), op("=", REGION, text("EU")), op("=", REGION, text("US")))
    assert set(minimal(stated)) == set(stated[1:])


@pytest.mark.parametrize(
    ("tree", "verdict"),
    [
        (op("=", text("EU"), text("EU")), Verdict.POSSIBLE),
        (op("=", text("EU"), text("US")), Verdict.EXCLUDED),
        (op("not", op("=", text("EU"), text("US"))), Verdict.POSSIBLE),
        (op("=", text("EU"), text(None)), Verdict.EXCLUDED),
        (op("not", op("=", text("EU"), text(None))), Verdict.EXCLUDED),
        (op("=", text(None), text("EU")), Verdict.EXCLUDED),
        (op("<=>", text(None), text(None)), Verdict.POSSIBLE),
        (op("<=>", text(None), text("EU")), Verdict.EXCLUDED),
        (op("in", text("EU"), text("US"), text("EU")), Verdict.POSSIBLE),
        (op("in", text("EU"), text("US"), text(None)), Verdict.EXCLUDED),
        (op("not", op("in", text("EU"), text("US"), text(None))), Verdict.EXCLUDED),
        (op("<", whole(1), whole(2)), Verdict.POSSIBLE),
        (op(">=", whole(1), whole(2)), Verdict.EXCLUDED),
        (op("between", whole(2), whole(1), whole(3)), Verdict.POSSIBLE),
        (op("like", text("EU"), text("E%")), Verdict.POSSIBLE),
        (op("startswith", text("EU"), text("U")), Verdict.EXCLUDED),
        (op("or", op("=", text("EU"), text("US")), op("=", REGION, text("EU"))), Verdict.POSSIBLE),
    ],
)
def test_constants_are_compared_without_a_solver_and_as_by_one(tree: Any, verdict: Verdict) -> None:
    (term,) = terms(tree)
    assert single(term) is not None
    assert decide(frozenset([term])) is verdict
    assert solve(frozenset([term])) is verdict
