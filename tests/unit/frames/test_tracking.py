"""Tracking begins and ends where a program says so, changes nothing, keeps no value, and says what it does not know."""

from __future__ import annotations

import gc
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headwater_pandas as hp
from headwater_pandas import held, observe
from kit.frames import cells, records, strict

ANSWER = ["dataset", "row", "certain"]


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with strict():
        yield


def people() -> Any:
    return pd.DataFrame({"k": ["b", "a", "b"], "x": [1.0, 2.0, np.nan], "y": [4, 5, 6]})


def test_what_pandas_reads_inside_is_tracked_and_stays_so(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    people().to_csv(file, index=False)
    with hp.tracking():
        frame = pd.read_csv(file)
        some = frame[frame["y"] > 4]
    behind = some.reset_index(drop=True)
    assert records(hp.why(behind, 1)) == {("people.csv", 2)}
    with pytest.raises(hp.NotTrackedError, match=r"headwater_pandas\.track"):
        hp.why(pd.read_csv(file))


def test_a_tracked_frame_is_the_frame_that_it_was() -> None:
    frame = people()
    assert hp.track(frame) is frame
    assert type(frame) is pd.DataFrame
    assert inspect.signature(frame.merge) == inspect.signature(people().merge)
    with pytest.raises(TypeError, match=r"not builtins\.dict: convert it first"):
        hp.track({})


def test_pandas_is_as_it_was_when_tracking_stops() -> None:
    before = {owner: dict(vars(owner)) for owner in (pd.DataFrame, pd.Series, pd, np)}
    frame = hp.track(people())
    assert vars(pd.DataFrame)["merge"] is not before[pd.DataFrame]["merge"]
    hp.stop()
    assert {owner: dict(vars(owner)) for owner in (pd.DataFrame, pd.Series, pd, np)} == before
    with pytest.raises(hp.NotTrackedError):
        hp.why(frame)


def test_an_error_of_pandas_reaches_the_program_and_changes_nothing() -> None:
    frame = hp.track(people(), "people")
    with pytest.raises(KeyError):
        frame.drop(columns=["nowhere"])
    with pytest.raises(ValueError, match="Length"):
        frame["z"] = [1, 2]
    assert records(hp.why(frame.head(1))) == {("people", 0)}


def test_frames_that_nobody_holds_are_freed_and_what_they_led_to_still_answers() -> None:
    frame = hp.track(people(), "people")
    result = frame.dropna().sort_values("y", ascending=False).head(1)
    del frame
    gc.collect()
    assert [thing is result for thing, _ in held.things()] == [True]
    assert records(hp.why(result)) == {("people", 1)}
    del result
    gc.collect()
    assert held.things() == []


def test_no_value_is_kept() -> None:
    frame = hp.track(pd.DataFrame({"k": ["secret-in-a-cell"] * 40, "y": range(40)}), "people")
    other = hp.track(pd.DataFrame({"k": ["secret-in-a-cell"], "z": ["another-secret"]}), "other")
    found = frame[frame["k"] == "secret-in-a-cell"].merge(other, on="k").drop_duplicates("z")
    found["w"] = found["z"].str.replace("another-secret", "third-secret")
    known = held.held(found)
    assert known is not None
    assert "secret" not in " ".join(texts(known.dataset))


def texts(thing: Any) -> list[str]:
    """All texts that can be reached of an object, but for modules, classes and functions."""
    seen: set[int] = set()
    waiting, found = [thing], []
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, type) or inspect.ismodule(each) or inspect.isroutine(each):
            continue
        seen.add(id(each))
        found += [each] if isinstance(each, str) else []
        waiting += each.tolist() if isinstance(each, np.ndarray) else gc.get_referents(each)
    return found


def test_values_that_the_program_made_itself_are_a_source_that_nobody_knows() -> None:
    frame = hp.track(people(), "people")
    frame["z"] = frame["y"].values * 2
    answer = hp.why(frame, 1, ["z"])
    assert answer["dataset"].tolist() == ["values of the program"]
    steps = hp.transformations(frame)
    assert steps[~steps["exact"]]["step"].tolist() == ["values of the program"]


def test_a_step_whose_rule_fails_is_one_that_was_not_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observe, "STRICT", False)
    frame = hp.track(people(), "people").set_index("k")
    result = frame.sort_values("k")
    assert result["y"].tolist() == [5, 4, 6]
    assert not hp.transformations(result)["exact"].all()
    assert records(hp.why(result, 0)) == {("people", 0), ("people", 1), ("people", 2)}
    assert not hp.why(result, 0)["certain"].any()


def test_a_column_that_is_changed_by_itself_changes_its_frame() -> None:
    frame, other = hp.track(people(), "people"), hp.track(people(), "other")
    column = frame["y"]
    with pd.option_context("mode.chained_assignment", None):
        column[column > 4] = other["y"]
    assert frame["y"].tolist() == [4, 5, 6]
    assert ("other", 1, "y") in cells(hp.why(frame, 1, ["y"]))
    assert cells(hp.why(frame, 1, ["x"])) == {("people", 1, "x")}


def test_a_figure_that_was_taken_out_is_recognised_where_it_comes_back() -> None:
    frame = hp.track(people(), "people")
    mean = frame["x"].mean()
    frame["x"] = frame["x"].fillna(mean)
    assert cells(hp.why(frame, 2, ["x"])) == {("people", 2, "x")}
    assert cells(hp.influence(frame, 2, ["x"])) == {("people", 0, "x"), ("people", 1, "x")}
    assert hp.influence(frame, 2, ["y"]).empty


def test_a_test_record_whose_value_reached_the_training_is_found() -> None:
    frame = hp.track(people(), "people")
    train, test = frame.iloc[:2], frame.iloc[2:]
    scaled = train[["y"]] - frame[["y"]].mean()
    leaked = cells(hp.influence(scaled, None, ["y"], of=test))
    assert leaked == set()
    assert ("people", 2, "y") in cells(hp.influence(scaled, None, ["y"]))
    assert hp.forward(frame, 2, ["y"], to=scaled).empty
    assert len(hp.forward(frame, 2, ["y"], to=scaled, influences=True)) == 2


def test_the_questions_answer_for_intermediate_frames_too() -> None:
    frame, other = hp.track(people(), "people"), hp.track(people(), "other")
    some = frame[frame["y"] > 4]
    both = some.merge(other, on="k")
    assert hp.why(both, 0, of=some)["row"].tolist() == [0]
    assert hp.forward(frame, [0, 1], to=both)["row"].tolist() == [0]
    assert hp.co_contributory(frame, 2, other, to=both)["row"].tolist() == [0, 2]
    assert hp.co_dependent(some, 0, both)["row"].tolist() == [0]
    assert hp.how(both, 0, ["x_y"])["step"].tolist() == ["other", "merge"]
    assert hp.how(frame, 0, to=both)["step"].tolist() == []
    assert hp.how(frame, 1, to=both)["step"].tolist() == ["people", "getitem", "merge"]
    assert hp.forward(frame, 1)["dataset"].tolist() == ["getitem", "merge"]


def test_a_sentence_explains_a_value() -> None:
    frame = hp.track(people(), "people")
    frame["s"] = frame["x"] + frame["y"]
    assert hp.explain(frame, 1, "s") == (
        "s of record 1 was made of x, y of record 1 in people. Steps: people, getitem, getitem, add, setitem."
    )
    assert "not certain" not in hp.explain(frame, 1, "s")
    assert "was not understood" in hp.explain(frame["s"].interpolate(), 1, "s")


def test_a_value_that_was_taken_out_is_explained_without_its_place() -> None:
    frame = hp.track(people(), "people")
    frame["s"] = frame["x"] + frame["y"]
    assert hp.explain(frame.loc[1, "s"]) == (
        "It was made of x, y of record 1 in people. Steps: people, getitem, getitem, add, setitem, loc."
    )
    with pytest.raises(hp.NotTrackedError, match="name its row"):
        hp.explain(77.5)


def test_answers_are_frames_and_name_what_is_not_there() -> None:
    frame = hp.track(people(), "people")
    assert hp.why(frame, 1).columns.tolist() == ANSWER
    assert hp.why(frame, np.int64(1)).equals(hp.why(frame, 1))
    assert hp.why(frame, 1, ["x"]).columns.tolist() == ["dataset", "row", "column", "certain"]
    with pytest.raises(IndexError, match="no record 7: there are 3"):
        hp.why(frame, 7)
    with pytest.raises(KeyError, match="nowhere"):
        hp.why(frame, 1, ["nowhere"])


def test_a_tracked_argument_that_a_rule_has_no_use_for_is_what_decides() -> None:
    frame, other = hp.track(people(), "people"), hp.track(people(), "other")
    renamed = frame[["x"]].rename(index=other["y"])
    assert renamed.index.tolist() == [4, 5, 6]
    assert cells(hp.why(renamed, 1, ["x"])) == {("people", 1, "x")}
    assert {(name, column) for name, _, column in cells(hp.influence(renamed, 1, ["x"]))} >= {("other", "y")}


def test_who_sends_no_events_does_not_wait_for_openlineage_to_load() -> None:
    loaded = (
        "import headwater_pandas, sys; print(sorted(each for each in sys.modules if 'openlineage' in each))"
    )
    found = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_a_function_that_a_version_of_pandas_does_not_have_is_not_observed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(pd, "value_counts", raising=False)
    frame = hp.track(people())
    assert records(hp.why(frame[frame["y"] > 4], 0)) == {("frame", 1)}
    hp.stop()
    assert not hasattr(pd, "value_counts")
