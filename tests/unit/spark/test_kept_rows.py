"""Which query's rows are in an RDD that Spark keeps."""

from __future__ import annotations

from headwater_spark.decode import KeptRows, PlanExecution
from headwater_spark.ir import Attribute, DecodedPlan, Read
from headwater_spark.types import AtomicType

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
