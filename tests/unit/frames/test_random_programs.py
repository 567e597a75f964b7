"""Random programs over frames of all kinds list exactly what a naive interpreter, which annotates each value, finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import headwater_pandas as hp
from kit import annotated
from kit.annotated import Operation, Rows, missing
from kit.frames import cells, records, same, strict

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
    for each in program:
        _, by_pandas, naive = annotated.joined(other, others) if isinstance(each, str) else each
        frame, rows = by_pandas(frame), naive(rows)
    return frame, rows


@settings(max_examples=60, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(numbers, st.sampled_from(INDEXES), st.lists(operations, min_size=1, max_size=5))
def test_a_random_program_lists_what_the_annotations_say(
    given_rows: list[tuple[int, float]], index: str, program: list[Operation | str]
) -> None:
    with strict():
        plain, _ = run(program, frame_of(given_rows, index), other_frame())
        result, rows = run(
            program, hp.track(frame_of(given_rows, index), "frame"), hp.track(other_frame(), "other")
        )
        same(plain, result)
        assert len(rows) == len(result)
        for place, row in enumerate(rows):
            judge(result, place, row)


def judge(result: Any, place: int, row: annotated.Row) -> None:
    """The naive interpreter has the same values, and a record and its values list what it found."""
    for column, value in row.values.items():
        there = result.iloc[place][column]
        assert there == value or (missing(there) and missing(value))
    assert records(hp.why(result, place)) == row.records
    for column, made in row.cells.items():
        assert cells(hp.why(result, place, [column])) == made
