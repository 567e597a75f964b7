"""Sets of records that libraries of the same aim state in their tests, rebuilt as facts over values of our own.

A join lists the record of each side; what goes record by record (selection, projection, replacement, imputation,
scaling, encoding, several of these side by side, predictions) lists the own record alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import headwater_pandas as hp
from kit.frames import records, strict

LEFT = pd.DataFrame({"key": [1, 2, 4, 5, 7], "a": [10, 12, 14, 18, 15]})
RIGHT = pd.DataFrame({"key": [1, 2, 3, 4, 5], "b": [1.0, 5.0, 4.0, 11.0, np.nan]})
MIXED = pd.DataFrame({"n": [1.0, 2.0, np.nan, 5.0], "kind": ["x", "y", "x", "z"], "y": [0, 1, 1, 0]})


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with strict():
        yield


@pytest.mark.parametrize(
    ("how", "sets"),
    [
        ("inner", [{("left", 0), ("right", 0)}, {("left", 1), ("right", 1)}, {("left", 2), ("right", 3)}]),
        ("left", [{("left", 0), ("right", 0)}, {("left", 1), ("right", 1)}, {("left", 2), ("right", 3)}]),
        ("right", [{("left", 0), ("right", 0)}, {("left", 1), ("right", 1)}, {("right", 2)}]),
    ],
)
def test_a_join_lists_both_sides(how: str, sets: list[set[tuple[str, int]]]) -> None:
    joined = hp.track(LEFT, "left").merge(hp.track(RIGHT, "right"), on="key", how=how)
    for row, made in enumerate(sets):
        assert records(hp.why(joined, row)) == made


ROW_BY_ROW: dict[str, Callable[[Any], Any]] = {
    "projection": lambda f: f[["n", "kind"]],
    "column": lambda f: f["kind"],
    "assignment": lambda f: f.assign(m=f["n"] + 1),
    "replacement": lambda f: f.replace("x", "w"),
    "imputation": lambda f: SimpleImputer().fit_transform(f[["n"]]),
    "scaling": lambda f: StandardScaler().fit_transform(f[["y"]]),
    "encoding": lambda f: OneHotEncoder(sparse_output=False).fit_transform(f[["kind"]]),
    "side by side": lambda f: ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["n"]),
            ("kinds", OneHotEncoder(sparse_output=False), ["kind"]),
        ]
    ).fit_transform(f),
    "prediction": lambda f: DecisionTreeClassifier().fit(f[["y"]], f["y"]).predict(f[["y"]]),
}


@pytest.mark.parametrize("name", ROW_BY_ROW)
def test_what_goes_record_by_record_lists_the_own_record(name: str) -> None:
    result = ROW_BY_ROW[name](hp.track(MIXED.copy(), "mixed"))
    for row in range(len(MIXED)):
        assert records(hp.why(result, row)) == {("mixed", row)}


def test_records_keep_theirs_through_selections_and_splits() -> None:
    frame = hp.track(MIXED.copy(), "mixed")
    assert [records(hp.why(frame[frame["y"] > 0], row)) for row in (0, 1)] == [{("mixed", 1)}, {("mixed", 2)}]
    assert [records(hp.why(frame.dropna(), row)) for row in (1, 2)] == [{("mixed", 1)}, {("mixed", 3)}]
    for part in train_test_split(frame, random_state=0):
        found = [records(hp.why(part, row)) for row in range(len(part))]
        assert found == [{("mixed", label)} for label in part.index]
