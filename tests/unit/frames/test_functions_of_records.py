"""Functions of the program that get records are read: what is in their values, and what decides, and no more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headwater_pandas as hp
from kit.frames import misses, run, strict

Function = Callable[[Any], Any]
LIMIT = 6
OTHER = pd.DataFrame({"z": [1, 2, 3]})


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with strict():
        yield


PEOPLE = pd.DataFrame(
    {
        "k": ["b", "a", "b", "c", "a"],
        "x": [3.0, 1.0, np.nan, 2.0, 1.0],
        "y": [5, 6, 7, 5, 6],
        "size": [1, 2, 3, 4, 5],
    }
)


def branch(record: Any) -> Any:
    if record["x"] > 1:
        return record["y"]
    return 0


def loop(record: Any) -> Any:
    total = 0
    for name in ["x", "y"]:
        total += record[name]
    return total


def tried(record: Any) -> Any:
    try:
        return 1 / (record["y"] - 5)
    except ZeroDivisionError:
        return record["x"]


def helper(value: Any) -> Any:
    return value * 3 + LIMIT


def with_helper(record: Any) -> Any:
    return helper(record["y"])


def over(name: str) -> Function:
    return lambda record: record[name]


def copied(record: Any) -> Any:
    record = record.copy()
    record["x"] = record["y"]
    return record["x"]


READ: dict[str, tuple[Function, set[str], set[str]]] = {
    "one": (lambda r: r["y"] * 2, {"y"}, set()),
    "by attribute": (lambda r: f"{r.k}-{r.y}", {"k", "y"}, set()),
    "branch": (branch, {"y"}, {"x"}),
    "tried": (tried, {"x", "y"}, set()),
    "helper": (with_helper, {"y"}, set()),
    "closure": (over("y"), {"y"}, set()),
    "numpy": (lambda r: np.sqrt(r["y"]), {"y"}, set()),
    "column of a name that records have": (lambda r: r["size"], {"size"}, set()),
}
WIDE: dict[str, Function] = {
    "loop": loop,
    "all": lambda r: r["x"] if "x" in r else r.sum(),
    "attribute of the record": lambda r: r.size,
    "label": lambda r: r.name,
    "values": lambda r: r.values[2],
    "dictionary": lambda r: r.to_dict()["y"],
    "unpacked": lambda r: [*r][2],
    "changed": copied,
    "by position": lambda r: r.iloc[2],
    "another frame": lambda r: OTHER["z"].sum() + r["y"],
    "several": lambda r: pd.Series({"a": r["x"], "b": r["y"]}),
    "text": lambda r: r["k"].upper() + str(len(r.k)),
    "chosen": lambda r: r[max(["x", "y"])],
}


@pytest.mark.parametrize("name", READ)
def test_what_a_function_takes_of_a_record_is_read(name: str) -> None:
    function, values, decide = READ[name]
    result = run(lambda f: f.apply(function, axis=1), PEOPLE)
    assert hp.transformations(result)["exact"].all()
    assert set(hp.why(result, 3, [None])["column"]) == values
    assert decide <= set(hp.influence(result, 3, [None])["column"]) <= decide | values
    assert misses(lambda f: f.apply(function, axis=1), PEOPLE) == []


@pytest.mark.parametrize("name", WIDE)
def test_no_function_misses_a_cell_that_changes_its_result(name: str) -> None:
    assert misses(lambda f: f.apply(WIDE[name], axis=1), PEOPLE) == []


def test_a_tracked_frame_that_a_function_finds_around_it_is_listed() -> None:
    def program(frame: Any, other: Any) -> Any:
        return frame.apply(lambda record: record["y"] + other["z"].sum(), axis=1)

    assert misses(program, PEOPLE, OTHER) == []
    result = run(program, PEOPLE, OTHER)
    assert set(hp.why(result, 0, [None])["dataset"]) == {"frame 0", "frame 1"}
