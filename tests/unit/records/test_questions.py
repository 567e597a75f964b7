"""The eleven questions, on graphs that are small enough to be answered by hand."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from headwater_records import questions
from headwater_records.associations import Appended, Association, Every, Grouped, Same, kept, taken
from headwater_records.cells import Cells, checked
from headwater_records.columns import (
    WHOLE,
    Counted,
    MadeColumns,
    MovedColumns,
    NoColumns,
    SameColumns,
    bits,
    moved,
)
from headwater_records.graph import Dataset, Input, ancestors
from headwater_records.lists import Numbers
from headwater_records.trace import CONTRIBUTES, DOUBTFUL, INFLUENCES, Trace


def rows(*positions: int) -> Numbers:
    return np.array(positions, np.int64)


def source(name: str, count: int, columns: str = "ab") -> Dataset:
    return Dataset(name, count, tuple(columns))


def step(name: str, count: int, *inputs: Input, columns: str = "ab", alternatives: bool = False) -> Dataset:
    return Dataset(name, count, tuple(columns), inputs, alternatives=alternatives)


def records(dataset: Dataset, asked: Dataset, *positions: int) -> list[int]:
    """The records of a dataset that these of another one were made of."""
    trace = questions.contributing(asked, {WHOLE: rows(*positions)})
    return [int(row) for row in questions.records_at(dataset, trace)]


def found(dataset: Dataset, trace: Trace) -> set[tuple[int, int, int]]:
    """Role, column and record of all that was found at a dataset."""
    return {
        (role, column, int(row))
        for role, column, there in questions.found_at(dataset, trace)
        for row in there
    }


def whole(*positions: int) -> Cells:
    return {WHOLE: rows(*positions)}


def join(left: Dataset, right: Dataset, lefts: Numbers, rights: Numbers) -> Dataset:
    """Columns a and b of the left side, c and d of the right one; joined by the first of each."""
    one, two = moved((0, 1, -1, -1)), MovedColumns((-1, -1, 0, 1))
    return step(
        "join",
        len(lefts),
        Input(left, taken(lefts, left.rows), one, accessed=1),
        Input(right, taken(rights, right.rows), two, accessed=1),
        columns="abcd",
    )


def test_records_are_followed_back_through_a_filter_and_a_join() -> None:
    people, visits = source("people", 4), source("visits", 3)
    some = step("filter", 2, Input(people, kept(np.array([False, True, False, True])), SameColumns(), 1))
    both = join(some, visits, rows(0, 1, 1), rows(2, 0, 1))
    assert records(people, both, 0) == [1]
    assert records(people, both, 1, 2) == [3]
    assert records(visits, both, 1, 2) == [0, 1]


def test_records_are_followed_to_what_was_made_of_them() -> None:
    people, visits = source("people", 4), source("visits", 3)
    both = join(people, visits, rows(0, 1, 1), rows(2, 0, 1))
    trace = questions.derived(people, whole(1), [both])
    assert questions.records_at(both, trace).tolist() == [1, 2]
    assert questions.records_at(both, questions.derived(people, whole(3), [both])).tolist() == []


def test_a_value_is_made_of_values_and_what_decided_is_kept_apart() -> None:
    people, visits = source("people", 4), source("visits", 3)
    both = join(people, visits, rows(0, 1, 1), rows(2, 0, 1))
    trace = questions.contributing(both, {0b1000: rows(1)}, influences=True)
    assert found(visits, trace) == {(CONTRIBUTES, 1, 0), (INFLUENCES, 0, 0)}
    assert found(people, trace) == {(INFLUENCES, 0, 1)}


def test_values_are_followed_forward_to_copies_and_to_what_is_made_of_them() -> None:
    one = source("one", 2)
    made = step("assign", 2, Input(one, Same(), MadeColumns(((2, 0b01),), SameColumns())), columns="abc")
    trace = questions.derived(one, {0b01: rows(1)}, [made])
    assert found(made, trace) == {(CONTRIBUTES, 0, 1), (CONTRIBUTES, 2, 1)}


def test_the_own_record_is_why_and_the_records_of_a_fit_influence() -> None:
    one = source("one", 3)
    filled = step("fill", 3, Input(one, Same(), SameColumns(), fits=((0b01, 0b01),)))
    trace = questions.contributing(filled, {0b01: rows(1)}, influences=True)
    assert found(one, trace) == {(CONTRIBUTES, 0, 1), (INFLUENCES, 0, 0), (INFLUENCES, 0, 2)}
    assert found(one, questions.contributing(filled, {0b10: rows(1)}, influences=True)) == {
        (CONTRIBUTES, 1, 1)
    }
    ahead = questions.derived(one, {0b01: rows(1)}, [filled], influences=True)
    assert (INFLUENCES, 0, 2) in found(filled, ahead)


def test_what_decides_about_some_columns_does_not_decide_about_others() -> None:
    one, mask = source("one", 2), source("mask", 2, "m")
    masked = step(
        "set", 2, Input(one, Same(), SameColumns()), Input(mask, Same(), NoColumns(), 1, decides=0b10)
    )
    assert found(mask, questions.contributing(masked, {0b10: rows(1)}, influences=True)) == {
        (INFLUENCES, 0, 1)
    }
    assert found(mask, questions.contributing(masked, {0b01: rows(1)}, influences=True)) == set()
    assert found(masked, questions.derived(mask, {1: rows(0)}, [masked], influences=True)) == {
        (INFLUENCES, 1, 0)
    }


def test_a_step_that_was_not_understood_makes_everything_behind_it_doubtful() -> None:
    one = source("one", 2)
    unknown = step("unknown", 1, Input(one, Every(2, 1), SameColumns(), exact=False))
    behind = step("filter", 1, Input(unknown, Same(), SameColumns()))
    assert found(one, questions.contributing(behind, whole(0))) == {
        (DOUBTFUL, WHOLE, 0),
        (DOUBTFUL, WHOLE, 1),
    }
    assert [each.exact for each in questions.transformations(behind)] == [True, False, True]


def test_a_diamond_unites_all_ways() -> None:
    one = source("one", 4)
    even = step("even", 2, Input(one, kept(np.array([True, False, True, False])), SameColumns()))
    odd = step("odd", 2, Input(one, kept(np.array([False, True, False, True])), SameColumns()))
    behind = step(
        "concat", 4, Input(even, Appended(0, 2), SameColumns()), Input(odd, Appended(2, 2), SameColumns())
    )
    grouped = step("group", 2, Input(behind, Grouped.by(rows(0, 1, 0, 1), 2), SameColumns()))
    assert records(one, grouped, 0) == [0, 1]
    assert records(one, grouped, 0, 1) == [0, 1, 2, 3]
    assert questions.records_at(grouped, questions.derived(one, whole(3), [grouped])).tolist() == [1]


def test_the_steps_on_the_way_are_those_that_the_value_went_through() -> None:
    people, visits = source("people", 4), source("visits", 3)
    some = step("filter", 2, Input(people, kept(np.array([False, True, False, True])), SameColumns(), 1))
    both = join(some, visits, rows(0, 1, 1), rows(2, 0, 1))
    trace = questions.contributing(both, {0b0010: rows(0)})
    assert [each.step for each in questions.steps_of(trace)] == ["people", "filter", "join"]


def test_the_transformations_of_a_column_are_those_that_it_needs() -> None:
    one = source("one", 2)
    series = step("upper", 2, Input(one, Same(), moved((1,))), columns="x")
    stays, goes = Input(one, Same(), MovedColumns((0, -1))), Input(series, Same(), MovedColumns((-1, 0)))
    put = step("set", 2, stays, goes)
    assert [each.step for each in questions.transformations(put, 0b10)] == ["one", "upper", "set"]
    assert [each.step for each in questions.transformations(put, 0b01)] == ["one", "set"]
    assert len(questions.transformations(put)) == 3


def test_records_that_were_joined_are_co_contributory() -> None:
    people, visits = source("people", 4), source("visits", 3)
    both = join(people, visits, rows(0, 1, 1), rows(2, 0, 1))
    assert questions.co_contributory(people, rows(1), visits, [both]).tolist() == [0, 1]
    assert questions.co_contributory(visits, rows(2), people, [both]).tolist() == [0]
    assert questions.co_contributory(people, rows(3), visits, [both]).tolist() == []


def test_two_projections_of_one_output_are_no_common_derivation() -> None:
    people, visits = source("people", 2), source("visits", 2)
    both = join(people, visits, rows(0, 1), rows(0, 1))
    groups = Grouped.by(rows(0, 0), 1)
    distinct = step("distinct", 1, Input(both, groups, SameColumns()), columns="abcd", alternatives=True)
    total = step("sum", 1, Input(both, groups, SameColumns()), columns="abcd")
    assert questions.co_contributory(people, rows(0), visits, [distinct]).tolist() == [0]
    assert questions.co_contributory(people, rows(0), visits, [total]).tolist() == [0, 1]


def test_members_of_a_group_are_used_together_but_not_a_record_with_itself() -> None:
    one = source("one", 4)
    total = step("sum", 2, Input(one, Grouped.by(rows(0, 0, 1, -1), 2), SameColumns()))
    assert questions.co_contributory(one, rows(0), one, [total]).tolist() == [1]
    assert questions.co_contributory(one, rows(2), one, [total]).tolist() == []


def test_a_partner_that_reaches_no_output_is_not_co_contributory() -> None:
    people, visits = source("people", 2), source("visits", 2)
    both = join(people, visits, rows(0, 0), rows(0, 1))
    some = step("filter", 1, Input(both, kept(np.array([False, True])), SameColumns()), columns="abcd")
    assert questions.co_contributory(people, rows(0), visits, [some]).tolist() == [1]


def test_records_of_the_same_sources_are_co_dependent() -> None:
    one = source("one", 4)
    left = step("left", 2, Input(one, kept(np.array([True, True, False, False])), SameColumns()))
    right = step("right", 2, Input(one, taken(rows(3, 1), 4), SameColumns()))
    assert questions.co_dependent(left, rows(1), right).tolist() == [1]
    assert questions.co_dependent(left, rows(0), right).tolist() == []


def kept_of(name: str) -> int:
    """How many datasets of that step are in memory."""
    return sum(isinstance(each, Dataset) and each.step == name for each in gc.get_objects())


def test_what_nobody_holds_is_freed() -> None:
    one = source("one", 2)
    first: Dataset | None = step("freed", 2, Input(one, Same(), SameColumns()))
    second: Dataset | None = step("second", 2, Input(first or one, Same(), SameColumns()))
    del first
    assert kept_of("freed") == 1
    assert [each.step for each in ancestors([second or one])] == ["one", "freed", "second"]
    second = None
    gc.collect()
    assert kept_of("freed") == 0


def test_a_record_that_is_not_there_is_named() -> None:
    assert checked([3, 1, 1], 4).tolist() == [1, 3]
    with pytest.raises(IndexError, match="no record 4: there are 4"):
        checked([1, 4], 4)
    with pytest.raises(IndexError, match="no record -1"):
        checked([-1], 4)


def test_a_column_of_a_set_is_found_in_every_block_that_has_it() -> None:
    association: Association = Grouped.by(rows(0, 0, 1), 2)
    one = source("one", 3, "abc")
    put = step(
        "two ways",
        2,
        Input(one, association, moved((0, 1))),
        Input(one, taken(rows(2, 0), 3), MovedColumns((-1, 2))),
    )
    trace = questions.contributing(put, {bits([0, 1]): rows(0)})
    assert found(one, trace) == {(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 2, 2)}


def test_how_many_records_there_are_depends_on_what_decided_that_and_on_no_value() -> None:
    people = source("people", 4)
    mask = np.array([True, False, True, True])
    some = step("filter", 3, Input(people, kept(mask), SameColumns(), accessed=0b10))
    other = source("other", 2)
    count = Dataset("len", 1, ("count",), (Input(some, Every(3, 1), Counted()),))
    figure = Input(count, Every(1, 2), NoColumns(), fits=((0b1, 0b1),))
    made = step("assign", 2, Input(other, Same(), SameColumns()), figure)
    trace = questions.contributing(made, {0b1: rows(0)}, influences=True)
    by_value = {each for each in found(people, trace) if each[1] != WHOLE}
    assert by_value == {(INFLUENCES, 1, 0), (INFLUENCES, 1, 2), (INFLUENCES, 1, 3)}
    assert found(people, questions.contributing(made, {0b10: rows(0)}, influences=True)) == set()
    assert found(people, questions.contributing(made, {0b1: rows(0)})) == set()
    reached = questions.derived(people, {0b10: rows(2)}, [made], influences=True)
    assert found(made, reached) == {(INFLUENCES, 0, 0), (INFLUENCES, 0, 1)}
    assert found(made, questions.derived(people, {0b01: rows(2)}, [made], influences=True)) == set()
    assert people in questions.transformations(made)
