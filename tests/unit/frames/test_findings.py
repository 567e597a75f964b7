"""A leak from test into training, what has something of a person, and what two runs did differently."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import StandardScaler

import headwater_pandas as hp
from kit.frames import strict


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with strict():
        yield


def people() -> Any:
    frame = pd.DataFrame({"age": [20.0, 30, 40, 50, 60, 70], "city": list("ababab"), "y": [1, 2, 3, 4, 5, 6]})
    return hp.track(frame, "people")


def test_a_fit_before_the_split_is_a_leak_and_one_behind_it_is_none() -> None:
    frame = people()
    scaled = frame.assign(age=(frame["age"] - frame["age"].mean()) / frame["age"].std())
    found = hp.leaks(scaled.iloc[:4], scaled.iloc[4:], of=frame)
    assert len(found) > 0
    assert set(found["records"]) == {2}
    train, test = frame.iloc[:4], frame.iloc[4:]
    mean = train["age"].mean()
    assert hp.leaks(
        train.assign(age=train["age"] - mean), test.assign(age=test["age"] - mean), of=frame
    ).empty


def test_a_scaler_that_saw_the_test_is_a_leak_into_the_model() -> None:
    frame = people()
    early = StandardScaler().fit_transform(frame[["age"]])
    leaky = LinearRegression().fit(early[:4], frame["y"].iloc[:4])
    train, test = frame.iloc[:4], frame.iloc[4:]
    clean = LinearRegression().fit(StandardScaler().fit_transform(train[["age"]]), train["y"])
    assert hp.leaks(clean, test, of=frame).empty
    assert hp.why(leaky)["dataset"].unique().tolist() != []


def test_erasure_names_the_frames_and_the_models_of_a_person() -> None:
    frame = people()
    train, test = frame.iloc[:4], frame.iloc[4:]
    model = LinearRegression().fit(train[["age"]], train["y"])
    guessed = test.assign(guess=model.predict(test[["age"]]))
    found = hp.erasure(frame, 1)
    lines = {(each.object, each.step): (each.records, each.holds) for each in found.itertuples()}
    assert lines["DataFrame", "iloc"] == (1, True)
    assert lines["LinearRegression", "LinearRegression.fit"] == (1, True)
    of_guesses = found[found["step"] == "setitem"]
    assert of_guesses["holds"].tolist() == [False]
    assert len(guessed) == 2
    assert (hp.erasure(frame, 5)["object"] != "LinearRegression").all()


def test_two_runs_differ_in_a_step_in_records_and_in_columns() -> None:
    def pipeline(frame: Any, limit: int, *, more: bool) -> Any:
        kept = frame[frame["age"] > limit]
        kept = kept.drop_duplicates("city") if more else kept
        return kept.rename(columns={"y": "label"} if more else {})

    before, after = pipeline(people(), 30, more=False), pipeline(people(), 20, more=True)
    found = hp.diff(before, after)
    changes = {each.step: each.change for each in found.itertuples()}
    assert changes["people"] == ""
    assert changes["drop_duplicates"] == "added"
    assert changes["rename"] == "changed"
    renamed = found[found["step"] == "rename"].iloc[0]
    assert (renamed["columns_gone"], renamed["columns_new"]) == ("y", "label")
    assert hp.diff(before, pipeline(people(), 30, more=False))["change"].eq("").all()
