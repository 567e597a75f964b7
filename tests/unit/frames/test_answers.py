"""What a pipeline loses of each group, and how its steps are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

import headwater_pandas as hp
from kit.frames import strict


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with strict():
        yield


def people() -> Any:
    frame = pd.DataFrame({"race": ["a", "a", "b", "b", None], "x": [1.0, None, 2.0, 3.0, None]})
    return hp.track(frame, "people")


def test_what_each_step_drops_of_each_group_is_counted() -> None:
    frame = people()
    result = frame.dropna(subset=["x"]).query("x < 3").groupby("race").mean()
    found = hp.lost(result, of=frame, by="race")
    assert found["step"].tolist() == ["people", "dropna", "query", "mean"]
    assert found["a"].tolist() == [2, 1, 1, 1]
    assert found["b"].tolist() == [2, 2, 1, 1]
    assert found.iloc[:, 3].tolist() == [1, 0, 0, 0]


def test_a_mask_is_no_step_that_loses_records() -> None:
    frame = people()
    assert hp.lost(frame[frame["x"] > 1], of=frame, by="race")["step"].tolist() == ["people", "getitem"]


def test_without_a_frame_all_that_the_program_has_is_looked_at() -> None:
    frame = people()
    known = frame.dropna(subset=["x"])
    high, low = known.query("x > 1"), known.query("x < 2")
    found = hp.lost(by="race")
    assert found["step"].tolist() == ["people", "dropna", "query", "query"]
    assert found["a"].tolist() == [2, 1, 0, 1]
    assert found["b"].tolist() == [2, 2, 2, 0]
    assert hp.lost(low, by="race")["a"].tolist() == [2, 1, 1]
    assert len(high) + len(low) == 3


def test_where_several_sources_have_the_column_one_has_to_be_named() -> None:
    first, second = people(), people()
    both = pd.concat([first, second])
    with pytest.raises(ValueError, match=r"2 sources have a column 'race' \(people, people\): name one"):
        hp.lost(both, by="race")
    assert hp.lost(both, of=second, by="race")["a"].tolist() == [2, 2]
    with pytest.raises(hp.NotTrackedError, match="no source has a column 'sex'"):
        hp.lost(both, by="sex")
    del first, second
    with pytest.raises(hp.NotTrackedError, match="the program no longer has the frame"):
        hp.lost(both, by="race")


def test_steps_are_drawn_with_what_was_only_looked_at_and_what_was_not_understood() -> None:
    frame = people()
    text = str(hp.graph(frame[frame["x"] > 1].describe()))
    assert text.splitlines()[0] == "flowchart LR"
    assert '[("people<br/>5 × 3")]' in text
    assert '{{"describe<br/>' in text
    assert "-.->" in text
    assert hp.graph(frame)._repr_markdown_().startswith("```mermaid")


def test_names_cannot_break_the_drawing() -> None:
    assert '"a b' in str(hp.graph(hp.track(pd.DataFrame({"x": [1]}), 'a" b')))
