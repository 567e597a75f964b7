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
from headwater_records_spark.captured.ids import passes_all, passes_once

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


@pytest.mark.parametrize("step", ALL, ids=lambda step: type(step).__name__)
def test_what_passes_all_records_on_needs_no_other_run(step: Operator) -> None:
    assert passes_all(step)


@pytest.mark.parametrize("step", SOME, ids=lambda step: type(step).__name__)
def test_what_may_drop_a_record_does(step: Operator) -> None:
    assert not passes_all(step)


@pytest.mark.parametrize("step", [*ALL, *SOME], ids=lambda step: type(step).__name__)
def test_a_record_of_what_makes_several_of_one_is_not_counted_twice(step: Operator) -> None:
    assert passes_once(step) is not isinstance(step, SEVERAL_TIMES)
