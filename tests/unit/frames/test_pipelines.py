"""Three pipelines of real data: shapes, dropped records, single values, and the records that make a record again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headwater_pandas as hp
from kit import frame_pipelines
from kit.frames import cells, records, same, strict

PIPELINES: dict[str, tuple[Callable[[Any], Any], tuple[int, int], tuple[int, int]]] = {
    "german": (frame_pipelines.german, (1000, 21), (1000, 60)),
    "compas": (frame_pipelines.compas, (7214, 53), (6907, 8)),
    "census": (frame_pipelines.census, (32561, 15), (32561, 104)),
}


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with strict():
        yield


def tracked(name: str) -> tuple[Any, Any, Any]:
    """The data as it was read, the tracked source and the result of the pipeline."""
    raw = pd.read_csv(frame_pipelines.path_of(name))
    source = hp.track(raw.copy(), name)
    return raw, source, PIPELINES[name][0](source)


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipeline_gives_what_it_gives_without_being_tracked(name: str) -> None:
    program, before, after = PIPELINES[name]
    raw, _, result = tracked(name)
    assert (raw.shape, result.shape) == (before, after)
    same(program(raw.copy()), result)
    assert hp.transformations(result)["exact"].all()


@pytest.mark.parametrize("name", PIPELINES)
def test_the_traced_records_alone_make_the_record_again(name: str) -> None:
    raw, _, result = tracked(name)
    for row in (0, 1, len(result) // 2, len(result) - 1):
        witnesses = hp.why(result, row)
        assert witnesses["certain"].all()
        again = PIPELINES[name][0](raw.iloc[witnesses["row"]].copy())
        assert len(again) == 1
        for column in again.columns:
            assert again.iloc[0][column] == result.iloc[row][column] or pd.isna(result.iloc[row][column])


def test_compas_drops_the_records_that_miss_something() -> None:
    raw, source, result = tracked("compas")
    left = hp.why(result)["row"].to_numpy()
    dropped = np.setdiff1d(np.arange(len(raw)), left)
    assert len(dropped) == 307
    assert dropped[:10].tolist() == [3, 4, 93, 130, 141, 157, 190, 217, 274, 280]
    assert hp.forward(source, dropped, to=result).empty
    assert records(hp.forward(source, [5], to=result)) == {("setitem", 3)}


def test_compas_knows_what_a_value_was_made_of_and_what_decided() -> None:
    _, _, result = tracked("compas")
    assert cells(hp.why(result, 3, ["jailtime"])) == {("compas", 5, "c_jail_in"), ("compas", 5, "c_jail_out")}
    assert cells(hp.why(result, 3, ["label"])) == {("compas", 5, "two_year_recid")}
    deciding = {column for _, row, column in cells(hp.influence(result, 3, ["label"])) if row == 5}
    assert {"race", "sex", "c_jail_in", "days_b_screening_arrest"} <= deciding
    assert "id" not in deciding
    assert "two_year_recid" not in deciding


def test_german_derives_two_columns_of_one_that_is_gone() -> None:
    _, source, result = tracked("german")
    assert cells(hp.why(result, 7, ["gender"])) == {("german", 7, "personal_status")}
    forward = cells(hp.forward(source, 7, ["personal_status"], to=result))
    made = {column for _, row, column in forward if row == 7}
    assert made == {"gender", *(name for name in result.columns if str(name).startswith("status_"))}
    assert {row for _, row, _ in forward} == {7}
    assert len(hp.influence(result, 7, ["status_single"])) == 999


def test_census_traces_an_encoded_value_through_what_was_stripped_and_replaced() -> None:
    raw, _, result = tracked("census")
    assert int((raw == " ?").any(axis=1).sum()) == 2399
    assert cells(hp.why(result, 27, ["workclass_Private"])) == {("census", 27, "1")}
    steps = hp.transformations(result, ["workclass_Private"])["step"].tolist()
    assert steps[:5] == ["census", "set_axis", "getitem", "strip", "setitem"]
    assert [step for step in steps if step not in {"getitem", "strip", "setitem"}][2:] == [
        "replace",
        "get_dummies",
        "drop",
    ]
