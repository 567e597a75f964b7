"""Frames of other libraries are refused with the reason, and what comes back from them is nobody's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

import headwater_pandas as hp


@pytest.fixture(autouse=True)
def _stopped() -> Iterator[None]:
    yield
    hp.stop()


def frame_of_polars(kind: str) -> Any:
    """An object of a class that is called like one of polars: the refusal needs no more."""
    return type(kind, (), {"__module__": "polars.dataframe.frame"})()


@pytest.mark.parametrize("kind", ["DataFrame", "LazyFrame", "Series"])
def test_polars_is_refused_with_the_reason_and_the_way_on(kind: str) -> None:
    with pytest.raises(TypeError) as error:
        hp.track(frame_of_polars(kind))
    assert f"not polars.{kind}: polars runs its plans by itself" in str(error.value)
    assert "what to_pandas gives can be tracked" in str(error.value)


def test_what_comes_back_from_polars_is_not_tracked_and_a_gap_where_it_is_used() -> None:
    polars = pytest.importorskip("polars")
    frame = hp.track(pd.DataFrame({"a": [1, 2, 3], "b": [3.0, 4.0, 5.0]}), "frame")
    back = polars.from_pandas(frame).filter(polars.col("a") > 1).to_pandas()
    with pytest.raises(hp.NotTrackedError):
        hp.why(back)
    merged = frame.merge(back, on="a")
    assert set(hp.why(merged, 0, ["b_y"])["dataset"]) == {"values of the program"}
