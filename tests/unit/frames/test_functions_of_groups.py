"""What functions read of the groups and windows that they are handed is recorded, and they notice nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headwater_pandas as hp
from kit.frames import misses, run, strict

Function = Callable[[Any], Any]


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with strict():
        yield


PEOPLE = pd.DataFrame(
    {
        "k": ["b", "a", "b", "c", "a"],
        "x": [3.0, 1.0, 4.0, 2.0, 1.0],
        "y": [5, 6, 7, 5, 6],
        "z": [1, 2, 3, 4, 5],
    }
)
READ: dict[str, tuple[Function, set[str]]] = {
    "nothing": (lambda _: 1, set()),
    "how many": (len, set()),
    "one": (lambda part: part["x"].sum(), {"x"}),
    "by attribute": (lambda part: part.y.max() * 2, {"y"}),
    "two": (lambda part: part["x"].mean() + part["y"].min(), {"x", "y"}),
    "conditional": (lambda part: part["y"].max() if (part["x"] > 2).any() else 0, {"x", "y"}),
    "at a place": (lambda part: part["z"].iloc[0], {"z"}),
    "list": (lambda part: sum(part["z"]), {"z"}),
    "array": (lambda part: np.asarray(part["z"])[-1], {"z"}),
    "several": (lambda part: part[["x", "z"]]["x"].sum(), {"x", "z"}),
    "series": (lambda part: pd.Series({"s": part["x"].sum(), "t": part["y"].sum()}), {"x", "y"}),
}
WIDE: dict[str, Function] = {
    "whole": lambda part: part,
    "first": lambda part: part.head(1),
    "filtered": lambda part: part[part["x"] > 1],
    "changed": lambda part: part.assign(x=part["x"] - part["x"].mean()),
    "sorted": lambda part: part.sort_values("x")["y"].iloc[0],
    "position": lambda part: part.iloc[0, 1],
    "label": lambda part: part.loc[part["x"].fillna(0).idxmax(), "y"],
    "text": lambda part: f"{part}",
    "records": lambda part: next(part.itertuples()).y,
    "new": lambda part: pd.DataFrame({"n": [part["x"].sum()]}),
}


def groups(function: Function, **more: Any) -> Function:
    return lambda frame: frame.groupby("k", **more)[["x", "y", "z"]].apply(function)


@pytest.mark.parametrize("name", [each for each in READ if each != "how many"])
def test_a_result_of_a_group_lists_the_columns_that_were_read(name: str) -> None:
    function, read = READ[name]
    result = run(groups(function), PEOPLE)
    columns = list(result.columns) if isinstance(result, pd.DataFrame) else [result.name]
    for column in columns:
        made = hp.why(result, 0, [column])
        assert set(made["column"]) - {"index"} == read
        assert made["certain"].all()
        assert set(made["row"]) == ({1, 4} if read else set())
        assert set(hp.influence(result, 0, [column])["column"]) == {"k"}
    assert misses(groups(function), PEOPLE) == []


@pytest.mark.parametrize("name", [*READ, *WIDE])
@pytest.mark.parametrize("more", [{}, {"group_keys": False}, {"sort": False}], ids=str)
def test_no_function_of_groups_misses_a_cell_that_changes_its_result(
    name: str, more: dict[str, bool]
) -> None:
    function = WIDE.get(name) or READ[name][0]
    assert misses(groups(function, **more), PEOPLE) == []


@pytest.mark.parametrize("name", ["whole", "first", "filtered", "changed", "new"])
def test_no_function_misses_a_cell_where_keys_are_columns(name: str) -> None:
    assert misses(groups(WIDE[name], as_index=False), PEOPLE) == []


SERIES: dict[str, Function] = {
    "difference": lambda part: part - part.mean(),
    "last": lambda part: part.iloc[-1],
    "labels": lambda part: part.index[0],
    "own": lambda part: part.fillna(0),
    "shifted": lambda part: part.shift().fillna(0),
    "sorted": lambda part: part.sort_values().to_numpy()[0],
}


@pytest.mark.parametrize("name", SERIES)
@pytest.mark.parametrize("step", ["transform", "agg", "apply"])
def test_no_function_of_grouped_series_misses_a_cell(name: str, step: str) -> None:
    if step == "agg" and name in {"difference", "own", "shifted"}:
        return

    def program(frame: Any) -> Any:
        return getattr(frame.groupby("k")["x"], step)(SERIES[name])

    assert misses(program, PEOPLE) == []
    assert hp.transformations(run(program, PEOPLE))["exact"].all()


def test_a_difference_to_the_mean_of_a_group_is_of_the_column_alone() -> None:
    result = run(lambda frame: frame.groupby("k")["x"].transform(lambda part: part - part.mean()), PEOPLE)
    assert set(hp.why(result, 0, ["x"])["column"]) == {"x"}


def test_labels_that_a_window_is_asked_for_are_listed() -> None:
    labelled = PEOPLE.set_index("z")
    result = run(lambda frame: frame["x"].rolling(2).apply(lambda part: part.index[0]), labelled)
    assert "z" in set(hp.why(result, 1, ["x"])["column"])
    result = run(lambda frame: frame["x"].rolling(2).apply(lambda part: part.sum()), labelled)
    assert set(hp.why(result, 1, ["x"])["column"]) == {"x"}


def test_what_a_function_keeps_may_be_in_all_that_comes_later() -> None:
    def program(frame: Any) -> Any:
        kept: list[Any] = []

        def first_of_all(part: Any) -> Any:
            kept.append(part["x"].max())
            return kept[0]

        return frame.groupby("k")[["x"]].apply(first_of_all)

    result = run(program, PEOPLE)
    made = hp.why(result, 2, [None])
    assert set(made["row"]) == set(range(5))
    assert not made["certain"].any()


def test_a_function_of_a_class_or_one_that_asks_for_the_class_is_not_recorded_and_says_so() -> None:
    class Largest:
        def __call__(self, part: Any) -> Any:
            return part["x"].max()

    for function in (Largest(), lambda part: type(part)(part)["x"].max()):
        result = run(groups(function), PEOPLE)
        assert not hp.why(result, 0, [None])["certain"].all()
        assert misses(groups(function), PEOPLE) == []


def test_a_pipe_of_groups_is_steps_of_its_own() -> None:
    def program(frame: Any) -> Any:
        return frame.groupby("k").pipe(lambda found: found["x"].max() - found["x"].min())

    result = run(program, PEOPLE)
    assert set(hp.why(result, 0, ["x"])["column"]) == {"x"}
    assert set(hp.why(result, 0, ["x"])["row"]) == {1, 4}


@pytest.mark.parametrize(
    "program",
    [
        lambda frame, function: frame.groupby("k")[["x", "y"]].apply(function),
        lambda frame, function: frame.groupby("k")["x"].transform(function),
        lambda frame, function: frame.groupby("k").agg(function),
        lambda frame, function: frame["x"].rolling(2).apply(function),
        lambda frame, function: frame[["x", "y"]].apply(function, axis=1),
    ],
)
def test_functions_are_called_as_often_as_by_pandas_alone_with_what_is_of_pandas_class(program: Any) -> None:
    def calls(frame: Any) -> list[Any]:
        handed: list[Any] = []

        def function(part: Any) -> Any:
            handed.append(part)
            return part.iloc[0].sum()

        program(frame, function)
        return [type(each) for each in handed]

    assert calls(hp.track(PEOPLE.copy())) == calls(PEOPLE.copy())


def test_an_error_of_a_function_leaves_its_frame_as_it_was() -> None:
    handed: list[Any] = []

    def function(part: Any) -> Any:
        handed.append(part)
        raise RuntimeError("of the program")

    with pytest.raises(RuntimeError, match="of the program"):
        hp.track(PEOPLE.copy()).groupby("k")[["x"]].apply(function)
    assert {type(each) for each in handed} == {pd.DataFrame}
