"""Which query's rows are in an RDD that Spark keeps."""

from __future__ import annotations

from typing import Any

from headwater_plan.nodes import Attribute, DecodedPlan, Read
from headwater_plan.types import AtomicType
from headwater_spark.decode import KeptRows, PlanExecution
from headwater_spark.tracing import Analyst, PlanLineage
from kit.plans import copy_plan, files, read_plan

IDS = (1, 2)


def plan(path: str, ids: tuple[int, ...] = IDS) -> DecodedPlan:
    outputs = tuple(Attribute(each, f"c{each}", AtomicType("string")) for each in ids)
    return DecodedPlan(Read(outputs, {"kind": "files", "roots": [path]}), None, ())


def checkpoint(number: int) -> PlanExecution:
    return PlanExecution(number, keeps_rows=True)


def batch(number: int, query: str) -> PlanExecution:
    return PlanExecution(number, keeps_rows=True, query=query, is_batch=True)


def test_an_rdd_has_the_rows_of_the_checkpoint_with_its_ids_and_under_other_ids_too() -> None:
    kept, of = KeptRows(), plan("a")
    kept.add(checkpoint(0), plan("other", (3,)), 1)
    kept.add(checkpoint(1), of, 1)

    assert kept.find(7, IDS, None) == (of,)
    assert kept.find(7, (8, 9), None) == (of,)
    assert kept.find(10, (8, 9), None) == ()


def test_a_checkpoint_that_has_its_rdd_is_no_candidate_for_another() -> None:
    kept, first, second = KeptRows(), plan("a"), plan("b")
    kept.add(checkpoint(0), first, 1)
    assert kept.find(7, IDS, None) == (first,)
    kept.add(checkpoint(1), second, 1)

    assert kept.find(8, IDS, None) == (second,)
    assert kept.find(7, IDS, None) == (first,)


def test_where_two_checkpoints_have_no_rdd_yet_it_may_be_either() -> None:
    kept, both = KeptRows(), (plan("a"), plan("b"))
    for number, each in enumerate(both):
        kept.add(checkpoint(number), each, 1)

    assert kept.find(7, IDS, None) == kept.find(8, IDS, None) == both


def test_an_execution_that_keeps_nothing_counts_only_where_no_checkpoint_is_known() -> None:
    kept, older, newer, checkpointed = KeptRows(), plan("a"), plan("b"), plan("c")
    kept.add(PlanExecution(0), older, 1)
    kept.add(PlanExecution(1), newer, 1)
    assert kept.find(7, IDS, None) == (newer,)
    kept.add(checkpoint(2), checkpointed, 1)

    assert kept.find(8, IDS, None) == (checkpointed,)


def test_a_batch_is_of_its_query_and_ends_when_the_next_begins() -> None:
    kept, first, second, other = KeptRows(), plan("a"), plan("b"), plan("c")
    kept.add(batch(0, "q"), first, 1)
    kept.add(batch(1, "r"), other, 1)
    assert kept.find(7, IDS, "q") == (first,)
    kept.add(batch(2, "q"), second, 1)

    assert kept.find(8, IDS, "q") == (second,)
    assert kept.find(9, IDS, "r") == (other,)
    assert kept.find(10, IDS, None) == ()


def test_the_oldest_plans_are_forgotten_with_their_rdds() -> None:
    kept, first, second = KeptRows(most_nodes=5), plan("a"), plan("b")
    kept.add(checkpoint(0), first, 3)
    assert kept.find(7, IDS, None) == (first,)
    kept.add(checkpoint(1), second, 3)

    assert kept.find(7, IDS, None) == kept.find(7, (8, 9), None) == ()
    assert kept.find(8, IDS, None) == (second,)


def test_where_a_plan_is_forgotten_before_its_rows_are_used_no_other_is_taken_for_it() -> None:
    kept = KeptRows(most_nodes=5)
    kept.add(checkpoint(0), plan("a"), 3)
    kept.add(checkpoint(1), plan("b"), 3)

    assert kept.find(7, IDS, None) == ()


def test_an_execution_whose_plan_is_read_again_is_one_candidate() -> None:
    kept, at_end = KeptRows(most_nodes=5), plan("b")
    kept.add(checkpoint(0), plan("other", (3,)), 3)
    kept.add(checkpoint(0), plan("a"), 3)
    kept.add(checkpoint(0), at_end, 3)

    assert kept.find(7, IDS, None) == (at_end,)
    assert kept.find(8, (3,), None) == ()


SUNK = {"kind": "memory", "instance": 5}


def batch_into_memory(analyst: Analyst, path: str, started: int, sink: dict[str, Any] = SUNK) -> None:
    plan = copy_plan(files(path), sink, "WriteToMicroBatchDataSource")
    analyst.analyse(plan, by=PlanExecution(started, query="q", is_batch=True, started=started))


def looked_at(analyst: Analyst, sink: dict[str, Any] = SUNK) -> PlanLineage:
    return analyst.analyse(read_plan(sink))


def test_rows_in_a_memory_sink_are_of_any_batch_and_were_read_by_the_first_over_its_sources() -> None:
    analyst = Analyst()
    for started, path in enumerate(("/a", "/b", "/a"), start=1):
        batch_into_memory(analyst, path, started)
    found = looked_at(analyst)

    assert [(read.source["roots"], read.at) for read in found.reads] == [(["file:/a"], 1), (["file:/b"], 2)]
    assert len(found.returned) == 2
    assert found.complete


def test_the_rows_of_a_memory_sink_that_was_not_seen_are_not_known() -> None:
    analyst = Analyst()
    batch_into_memory(analyst, "/a", 1, {"kind": "memory", "instance": 4})

    assert [gap.reason for gap in looked_at(analyst).incomplete] == ["UNKNOWN_SOURCE"]


def test_the_rows_of_a_memory_sink_are_not_known_where_a_batch_was_forgotten() -> None:
    analyst = Analyst(most_nodes=4)
    batch_into_memory(analyst, "/a", 1)
    assert looked_at(analyst).complete
    batch_into_memory(analyst, "/b", 2)

    assert [gap.reason for gap in looked_at(analyst).incomplete] == ["UNKNOWN_SOURCE"]
