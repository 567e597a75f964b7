"""A program has the same result, and calls its functions and draws as often, whether it is observed or not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import headwater_pandas as hp
from headwater_pandas import observe
from kit.frames import strict

PEOPLE = pd.DataFrame({"k": list("abcabc"), "n": [3.0, 1, 2, 5, 4, 6]}, index=[1, 1, 2, 3, 4, 4])

Counted = Callable[[Any], Any]


def of_local_name(frame: Any, _: Counted) -> Any:
    limit = 2  # noqa: F841 - the text names it
    return frame.query("n > @limit").eval("n + @limit")


def of_untracked_frame(frame: Any, _: Counted) -> Any:
    limit = 2  # noqa: F841 - the text names it
    return pd.DataFrame({"n": [1, 3]}).query("n > @limit").eval("n + @limit")


def of_popped_column(frame: Any, _: Counted) -> Any:
    taken = frame.pop("n")
    taken += 1
    return taken


class Place(NamedTuple):
    """A label of two parts."""

    k: str
    n: int


def of_named_tuple(frame: Any, _: Counted) -> Any:
    places = [Place("a", 1), Place("b", 2)]
    labels = pd.Index(places, tupleize_cols=False)
    return pd.DataFrame(frame.iloc[:2].to_numpy(), columns=["k", "n"], index=labels).loc[places[1]]


def of_tuple_from_a_function(frame: Any, _: Counted) -> Any:
    with pytest.warns(FutureWarning, match="callable with iloc"):
        return frame.iloc[lambda each: (len(each) - 1,)]


PROGRAMS: dict[str, Callable[[Any, Counted], Any]] = {
    "sample": lambda frame, _: frame.sample(3),
    "sample of a series": lambda frame, _: frame["n"].sample(3),
    "sample by a generator": lambda frame, _: frame.sample(9, None, True, None, np.random.mtrand._rand),
    "sample without labels": lambda frame, _: frame.sample(3, ignore_index=True),
    "sort by a function": lambda frame, key: frame.sort_values("n", key=key),
    "sort a series by a function": lambda frame, key: frame["n"].sort_values(key=key),
    "sort labels by a function": lambda frame, key: frame.sort_index(key=key, ignore_index=True),
    "names of the program": of_local_name,
    "names of the program in a frame that is not tracked": of_untracked_frame,
    "an aggregate by its name over records": lambda frame, _: frame[["n", "n"]].apply("sum", axis=1),
    "a column that is called obj": lambda frame, _: frame.rename(columns={"n": "obj"})["obj"] * 2,
    "a column that was taken out": of_popped_column,
    "a named tuple as a label": of_named_tuple,
    "a tuple from a function": of_tuple_from_a_function,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_has_the_same_result_and_does_nothing_twice(name: str) -> None:
    plain, tracked = (ran(PROGRAMS[name], track=each) for each in (False, True))
    assert plain == tracked


def ran(program: Callable[[Any, Counted], Any], *, track: bool) -> tuple[str, int, float]:
    """The result, how often the function was called, and the number that is drawn next."""
    np.random.seed(1)
    calls = []

    def key(values: Any) -> Any:
        calls.append(values)
        return -values

    with strict():
        frame = hp.track(PEOPLE.copy(), "people") if track else PEOPLE.copy()
        result = program(frame, key)
        hp.stop()
    return str(result), len(calls), float(np.random.random())


def test_a_warning_of_pandas_names_the_line_of_the_program() -> None:
    with warnings.catch_warnings(record=True) as given, strict():
        warnings.simplefilter("always")
        halves = hp.track(pd.DataFrame({"n": [1.5]}), "halves")
        halves.merge(pd.DataFrame({"n": [1]}), on="n")  # of other numbers than whole ones with these
    assert {each.filename for each in given} == {__file__}


def test_a_step_of_the_observation_that_fails_is_nothing_to_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def failing(*_: Any) -> None:
        raise ValueError("no")

    frame = hp.track(PEOPLE.copy(), "people")
    for name in ("_track", "_begun", "functions_of", "_kept"):
        with monkeypatch.context() as patched:
            patched.setattr(observe, name, failing)
            assert frame.sort_values("n")["n"].apply(lambda n: n + 1).sum() == 27
    monkeypatch.setattr(observe, "_track", failing)
    result = frame.sort_values("n")
    assert set(hp.why(result, 0)["dataset"]) == {"people"}, (
        "nobody knows more than that it is of what was given"
    )
    hp.stop()
