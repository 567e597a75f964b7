"""What differs between sessions is left out of a captured plan, and nothing else is."""

from __future__ import annotations

from typing import Any

from golden.normalised import normalised
from kit.plans import files, read_plan

_CLASSES = [
    {"name": "NamedLambdaVariable", "fields": ["name", "exprId"]},
    {"name": "CTERelationRef", "fields": ["cteId", "child"]},
    {"name": "Literal", "fields": ["value"]},
    {"name": "Rand", "fields": ["child"]},
    {"name": "Sum", "fields": ["child", "seeded"]},
]


def plan(*nodes: dict[str, Any]) -> dict[str, Any]:
    return {
        "classes": _CLASSES,
        "types": [],
        "nodes": list(nodes),
        "root": len(nodes) - 1,
        "truncated": False,
    }


def session(first: int, name: str) -> dict[str, Any]:
    """One program's plan in a session that had counted to ``first``."""
    return plan(
        {
            "c": 0,
            "a": [f"x_{first}", {"x": first}],
            "id": first,
            "n": f"x_{first}",
            "q": [f"_pyspark_{name * 32}"],
        },
        {"c": 1, "a": [first, {"r": 0}], "id": first + 1, "n": f"max(day#{first})", "q": []},
        {"c": 2, "a": [first * 1_000]},
        {"c": 3, "a": [{"r": 2}], "src": {"kind": "rdd", "id": first}},
        {
            "c": 4,
            "a": [
                {"o": f"F$$Lambda${first}/0x{first:016x}"},
                {"p": "CommonExpressionId", "a": {"id": first}},
            ],
        },
        {"c": 2, "a": [{"r": 0}], "src": {"roots": [f"file:/tmp/headwater-plans-{name}/ab/people"]}},
    )


def test_two_sessions_give_the_same_plan() -> None:
    assert normalised(session(1, "a")) == normalised(session(41, "b"))


def test_a_normalised_plan_stays_as_it_is() -> None:
    once = normalised(session(7, "a"))
    assert normalised(once) == once


def test_attributes_that_differ_stay_different() -> None:
    assert normalised(_two(5, 5)) != normalised(_two(5, 6)) == normalised(_two(6, 5))


def test_values_of_the_program_are_kept() -> None:
    seven, eight = (plan({"c": 2, "a": [value]}) for value in (7, 8))
    assert normalised(seven) == seven != normalised(eight)
    other = read_plan(files("/data/other"))
    assert normalised(other) != normalised(read_plan(files("/data/people")))


def _two(one: int, other: int) -> dict[str, Any]:
    return plan(*({"c": 2, "a": [1], "id": each, "n": "a", "q": []} for each in (one, other)))


def test_the_working_directory_is_left_out() -> None:
    first, second = ({**session(1, "a"), "working": f"file:/home/{name}"} for name in ("a", "b"))
    assert normalised(first) == normalised(second)
