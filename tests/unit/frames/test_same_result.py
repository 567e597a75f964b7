"""A program has the same result, and calls its functions and draws as often, whether it is observed or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headwater_pandas as hp
from kit.frames import strict

PEOPLE = pd.DataFrame({"k": list("abcabc"), "n": [3.0, 1, 2, 5, 4, 6]}, index=[1, 1, 2, 3, 4, 4])

Counted = Callable[[Any], Any]


def of_local_name(frame: Any, _: Counted) -> Any:
    limit = 2  # noqa: F841 - the text names it
    return frame.query("n > @limit").eval("n + @limit")


PROGRAMS: dict[str, Callable[[Any, Counted], Any]] = {
    "sample": lambda frame, _: frame.sample(3),
    "sample of a series": lambda frame, _: frame["n"].sample(3),
    "sample by a generator": lambda frame, _: frame.sample(9, None, True, None, np.random.mtrand._rand),
    "sample without labels": lambda frame, _: frame.sample(3, ignore_index=True),
    "sort by a function": lambda frame, key: frame.sort_values("n", key=key),
    "sort a series by a function": lambda frame, key: frame["n"].sort_values(key=key),
    "sort labels by a function": lambda frame, key: frame.sort_index(key=key, ignore_index=True),
    "names of the program": of_local_name,
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
