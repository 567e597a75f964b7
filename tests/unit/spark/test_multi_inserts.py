"""Executions that write several datasets are a run for each of them."""

from __future__ import annotations

from typing import Any

from headwater_spark.decode import several_writes
from headwater_spark.runs.multi_inserts import MultiInserts

LOGICAL = "org.apache.spark.sql.catalyst.plans.logical."
INSERT = "org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand"
CLASSES = [
    {"name": "LocalRelation", "class": LOGICAL + "LocalRelation", "fields": [], "sort": "plan"},
    {"name": "InsertIntoHadoopFsRelationCommand", "class": INSERT, "fields": ["query"], "sort": "command"},
    {"name": "Union", "class": LOGICAL + "Union", "fields": ["children"], "sort": "plan"},
    {"name": "WithCTE", "class": LOGICAL + "WithCTE", "fields": ["plan", "cteDefs"], "sort": "plan"},
]


def plan(*nodes: tuple[int, list[Any]]) -> dict[str, Any]:
    """A plan of nodes (class, values), the last of which is the root."""
    rows = [{"c": number, "a": values} for number, values in nodes]
    return {"types": [], "classes": CLASSES, "nodes": rows, "root": len(rows) - 1}


def node(number: int) -> dict[str, int]:
    return {"r": number}


ROWS: tuple[int, list[Any]] = (0, [])
TWO = plan(ROWS, (1, [node(0)]), (1, [node(0)]), (2, [[node(1), node(2)]]))


def start(**more: Any) -> dict[str, Any]:
    return {"kind": "execution-start", "execution": 7, "root": 7, **more}


def end(**more: Any) -> dict[str, Any]:
    return {"kind": "execution-end", "execution": 7, "root": 7, "metrics": {"output": {"rows": 9}}, **more}


def test_a_union_of_commands_has_several_writes() -> None:
    assert several_writes(TWO) == (1, 2)
    below = plan(ROWS, (1, [node(0)]), (1, [node(0)]), (2, [[node(1), node(2)]]), (3, [node(3), []]))
    assert several_writes(below) == (1, 2)


def test_any_other_plan_has_not() -> None:
    assert several_writes(plan(ROWS, (1, [node(0)]))) == ()
    assert several_writes(plan(ROWS, ROWS, (2, [[node(0), node(1)]]))) == ()
    assert several_writes(plan(ROWS, (1, [node(0)]), (2, [[node(0), node(1)]]))) == ()
    assert several_writes({"rdd": {}, "nodes": []}) == ()


def test_each_write_has_documents_of_its_own() -> None:
    documents = MultiInserts()
    one, other = documents.started(start(plan=TWO))
    assert (one["execution"], one["root"], one["plan"]["root"]) == (7, 7, 1)
    assert (other["root"], other["plan"]["root"]) == (other["execution"], 2)
    assert other["execution"] != 7
    ended = list(documents.ended(end()))
    assert [each["execution"] for each in ended] == [7, other["execution"]]
    assert [each["metrics"] for each in ended] == [{}, {}]
    assert list(documents.ended(end())) == [end()]


def test_the_plan_may_come_with_the_end() -> None:
    documents = MultiInserts()
    assert list(documents.started(start())) == [start()]
    one, other = documents.ended(end(plan=TWO))
    assert (one["execution"], one["plan"]["root"], other["plan"]["root"]) == (7, 1, 2)


def test_what_runs_for_one_of_them_counts_for_none() -> None:
    documents = MultiInserts()
    list(documents.started(start(plan=TWO)))
    (inner,) = documents.ended(end(execution=8))
    assert inner["metrics"] == {}


def test_all_other_documents_pass_as_they_are() -> None:
    documents = MultiInserts()
    single = start(plan=plan(ROWS, (1, [node(0)])))
    assert list(documents.started(single)) == [single]
    broken = start(plan={"nodes": [{"c": 9}], "classes": [], "root": 0})
    assert list(documents.started(broken)) == [broken]
    assert list(documents.ended(end())) == [end()]
