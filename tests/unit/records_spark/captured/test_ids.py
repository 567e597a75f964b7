"""Which operators pass on all records of their inputs, so that their tables need no other run of the plan."""

from __future__ import annotations

import pytest

from headwater_records.nested.expressions import Computed
from headwater_records.nested.steps import (
    Flatten,
    Group,
    Join,
    Matched,
    Operator,
    Read,
    Same,
    Select,
    Union,
    Variants,
    Window,
)
from headwater_records_spark.captured.ids import is_plain, passes_all, passes_once, tables_kept

READ = Read(1, "t", ())
ALL = [
    Same(2, "sort", READ),
    Select(2, READ, ()),
    Union(2, (READ, READ), ()),
    Group(2, READ, (), (), ()),
    Window(2, READ, (), ()),
    Variants(2, READ, ()),
]
SOME = [
    *(Same(2, kind, READ) for kind in ("filter", "limit", "offset", "sample")),
    Flatten(2, READ, Computed(()), ()),
    Join(2, "inner", READ, READ, (), ()),
    Join(2, "left outer", READ, READ, (), ()),
    Matched(2, "semi", READ, READ, (), ()),
]
SEVERAL_TIMES = (Flatten, Join, Matched, Variants, Window)


OTHER = Read(9, "u", ())


@pytest.mark.parametrize(
    ("step", "kept"),
    [
        pytest.param(Same(2, "filter", READ), set(), id="all that passed a filter is in the output"),
        pytest.param(Same(3, "filter", Same(2, "filter", READ)), {2}, id="some of another filter's is not"),
        pytest.param(
            Union(4, (Join(2, "inner", READ, OTHER, (), ()), Flatten(3, READ, Computed(()), ())), ()), set(),
            id="a union has all of its inputs",
        ),
        pytest.param(
            Same(3, "sort", Select(8, Join(2, "inner", READ, OTHER, (), ()), ())), set(), id="so has a sort"
        ),
        pytest.param(
            Flatten(3, Join(2, "inner", READ, OTHER, (), ()), Computed(()), ()), {2}, id="a list may be empty"
        ),
        pytest.param(Group(3, Same(2, "filter", READ), (), (), ()), {3}, id="members tell of a filter"),
        pytest.param(Same(4, "filter", Window(3, Same(2, "filter", READ), (), ())), {2, 3}, id="or do not"),
        pytest.param(Matched(3, "semi", Same(2, "filter", READ), OTHER, (), ()), {2, 3}, id="a semi join"),
    ],
)  # fmt: skip
def test_a_table_is_kept_of_members_and_of_records_that_are_not_in_the_output(
    step: Operator, kept: set[int]
) -> None:
    assert tables_kept(step) == kept


@pytest.mark.parametrize("step", [*ALL, *SOME], ids=lambda step: type(step).__name__)
def test_an_id_is_the_derivation_where_nothing_has_members(step: Operator) -> None:
    above = Same(3, "filter", step)
    assert is_plain(step) is is_plain(above) is not isinstance(step, Group | Window | Matched)


@pytest.mark.parametrize("step", ALL, ids=lambda step: type(step).__name__)
def test_what_passes_all_records_on_needs_no_other_run(step: Operator) -> None:
    assert passes_all(step)


@pytest.mark.parametrize("step", SOME, ids=lambda step: type(step).__name__)
def test_what_may_drop_a_record_does(step: Operator) -> None:
    assert not passes_all(step)


@pytest.mark.parametrize("step", [*ALL, *SOME], ids=lambda step: type(step).__name__)
def test_a_record_of_what_makes_several_of_one_is_not_counted_twice(step: Operator) -> None:
    assert passes_once(step) is not isinstance(step, SEVERAL_TIMES)
