"""Random programs over frames of all kinds list exactly what a naive interpreter, which annotates each value, finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import headwater_pandas as hp
from kit import annotated, annotated_ends, annotated_steps
from kit.annotated import Operation, Rows, missing
from kit.frames import cells, records, same, strict


def name_of(each: Operation | str) -> str:
    return each if isinstance(each, str) else each[0]


INDEXES = ["numbers", "duplicated", "two levels", "time zone"]
operations = st.one_of(
    st.builds(annotated.above, st.sampled_from(["a", "b"]), st.integers(0, 3)),
    st.builds(annotated.complete),
    st.builds(annotated.first, st.integers(0, 6)),
    st.builds(annotated.picked, st.lists(st.integers(0, 20), min_size=1, max_size=6)),
    st.builds(annotated.ordered, st.sampled_from(["a", "b"]), ascending=st.booleans()),
    st.builds(annotated.computed, st.just("s"), st.just("a"), st.just("b")),
    st.builds(annotated.filled, st.just("b")),
    st.builds(annotated.twice),
    st.just("join"),
    st.builds(annotated.totals),
    st.builds(annotated.unique),
    st.builds(annotated.group_total),
    st.builds(annotated.running),
    st.builds(annotated.before),
    st.builds(annotated.flagged),
    st.builds(annotated.narrowed),
    st.builds(annotated.lengthened),
    st.sampled_from(annotated_steps.ROWS),
    st.sampled_from(annotated_steps.CELLS),
    st.sampled_from(annotated_steps.NEIGHBOURS),
)
EVERY = [
    *annotated_steps.ROWS, *annotated_steps.CELLS, *annotated_steps.OF_TYPES, *annotated_steps.NEIGHBOURS,
    *annotated_ends.ENDS, annotated_ends.OF_DAYS,
]  # fmt: skip
BEFORE = [*annotated_steps.OF_TYPES, *annotated_steps.NEIGHBOURS]
programs = st.one_of(
    st.lists(operations, min_size=1, max_size=5),
    st.builds(
        lambda first, steps, end: [*first, *steps, end],
        st.lists(st.sampled_from(annotated_steps.OF_TYPES), max_size=2, unique_by=name_of),
        st.lists(operations, max_size=3),
        st.one_of(st.sampled_from(annotated_ends.ENDS), st.sampled_from(["merge inner", "merge right"])),
    ),
    st.builds(
        lambda first, end: [*first, end],
        st.lists(
            st.sampled_from([*annotated_steps.OF_TYPES, *annotated_steps.NEIGHBOURS]),
            max_size=2,
            unique_by=name_of,
        ),
        st.just(annotated_ends.OF_DAYS),
    ),
)
numbers = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.0, 1.0, 2.5, 4.0, np.nan])), max_size=8)


def frame_of(given_rows: list[tuple[int, float]], index: str) -> Any:
    count = len(given_rows)
    frame = pd.DataFrame(
        {
            "a": np.array([a for a, _ in given_rows], np.int64),
            "b": np.array([b for _, b in given_rows], np.float64),
            "c": pd.Categorical(["xyz"[a % 3] for a, _ in given_rows], categories=list("xyz")),
            "t": pd.to_datetime([f"2026-01-0{a + 1}" for a, _ in given_rows]).tz_localize("Europe/Zurich"),
        }
    )
    if index == "duplicated":
        frame.index = pd.Index([number % 3 for number in range(count)])
    elif index == "two levels":
        pairs = [(number % 2, number % 3) for number in range(count)]
        frame.index = pd.MultiIndex.from_tuples(pairs, names=["one", "two"]) if pairs else frame.index
    elif index == "time zone":
        frame.index = pd.date_range("2026-03-28", periods=count, freq="h", tz="Europe/Zurich")
    return frame


def other_frame() -> Any:
    return pd.DataFrame({"a": [1, 0, 1, 3, 3], "w": [10, 20, 30, 40, 50]})


def run(program: list[Any], frame: Any, other: Any) -> tuple[Any, Rows]:
    """The result of pandas, and what the naive interpreter makes of it."""
    rows, others = annotated.annotated("frame", frame), annotated.annotated("other", other)
    joins = {"join": annotated.joined(other, others)}
    joins |= {each[0]: each for each in annotated_ends.joins(other, others)}
    for each in program:
        _, by_pandas, naive = joins[each] if isinstance(each, str) else each
        frame, rows = by_pandas(frame), naive(rows)
    return frame, rows


@pytest.mark.parametrize("each", [*EVERY, "join", "merge inner", "merge right"], ids=name_of)
@pytest.mark.parametrize("index", INDEXES)
def test_each_operation_lists_what_the_annotations_say(each: Operation | str, index: str) -> None:
    for given_rows in ([(1, np.nan), (0, 1.0), (1, 0.0), (3, 2.5), (1, 4.0), (0, 2.5)], [(2, 1.0)], []):
        check(given_rows, index, [each])


@settings(max_examples=60, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(numbers, st.sampled_from(INDEXES), programs)
def test_a_random_program_lists_what_the_annotations_say(
    given_rows: list[tuple[int, float]], index: str, program: list[Operation | str]
) -> None:
    check(given_rows, index, program)


@pytest.mark.slow
@settings(max_examples=3000, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(numbers, st.sampled_from(INDEXES), programs)
def test_many_random_programs_list_what_the_annotations_say(
    given_rows: list[tuple[int, float]], index: str, program: list[Operation | str]
) -> None:
    check(given_rows, index, program)


def check(given_rows: list[tuple[int, float]], index: str, program: list[Operation | str]) -> None:
    """The result of pandas is that of the naive interpreter, and lists what that found."""
    exact = not {name_of(each) for each in program} & annotated_steps.COARSE
    with strict():
        plain, _ = run(program, frame_of(given_rows, index), other_frame())
        result, rows = run(
            program, hp.track(frame_of(given_rows, index), "frame"), hp.track(other_frame(), "other")
        )
        same(plain, result)
        assert len(rows) == len(result)
        for place, row in enumerate(rows):
            judge(result, place, row, exact=exact)


def judge(result: Any, place: int, row: annotated.Row, *, exact: bool = True) -> None:
    """The naive interpreter has the same values, and a record and its values list what it found."""
    for column, value in row.values.items():
        there = result.iloc[place][column]
        assert there == value or (missing(there) and missing(value)), (column, there, value)
    listed = records(hp.why(result, place))
    assert listed == row.records if exact else listed >= row.records
    for column, made in row.cells.items():
        found = cells(hp.why(result, place, [column]))
        assert found == made if exact else found >= made, (column, found, made)
