"""Values that are made of other records, or that change their place: over frames with holes, doubles and odd keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headwater_pandas as hp
from kit.frames import Program, misses, run, strict


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with strict():
        yield


PLAIN = pd.DataFrame(
    {
        "k": ["b", "a", "b", "c", "a"],
        "x": [3.0, 1.0, np.nan, 2.0, 1.0],
        "y": [5, 6, 7, 5, 6],
        "n": range(5),
        "when": pd.to_datetime(["2026-01-05", "2026-03-01", "2026-01-05", "2025-12-31", "2026-02-02"]),
    }
)
DOUBLES = PLAIN.set_index(pd.Index([1, 1, 0, 2, 0]))
NOBODY = PLAIN.assign(k=["b", None, "b", "c", "a"])
LEVELS = PLAIN.set_index(["k", "y"])
CATEGORIES = PLAIN.assign(k=PLAIN["k"].astype("category").cat.set_categories(list("abcd")))
TIMES = PLAIN.set_index("when")
NEVER = PLAIN.assign(when=[pd.NaT, *PLAIN["when"][1:]])
HOLES = pd.DataFrame(
    {
        "a": [np.nan, 1, np.nan, np.nan, 4, np.nan],
        "b": [1, np.nan, np.nan, 2, np.nan, 3],
        "c": [1, 2, 3, 4, 5, 6.0],
    }
)


def selected(frame: Any) -> Any:
    frame["w"] = np.select([frame["y"] > 5, (frame["x"] > 1).to_numpy()], [frame["x"], frame["y"].values], 0)
    return frame


def in_place(frame: Any) -> Any:
    frame.ffill(inplace=True)
    return frame


EXACT: dict[str, tuple[Any, Program]] = {
    "ffill": (HOLES, lambda f: f.ffill()),
    "ffill, doubles": (DOUBLES, lambda f: f.ffill()),
    "ffill in place": (HOLES, in_place),
    "ffill by fillna": (HOLES, lambda f: f["a"].fillna(method="ffill")),
    "ffill, limited": (HOLES, lambda f: f.ffill(limit=1)),
    "bfill, limited": (HOLES, lambda f: f.bfill(limit=1)),
    "bfill, levels": (LEVELS, lambda f: f[["x"]].bfill()),
    "cumsum": (HOLES, lambda f: f.cumsum()),
    "cumsum with holes": (HOLES, lambda f: f.cumsum(skipna=False)),
    "cumsum along a record": (HOLES, lambda f: f.cumsum(axis=1)),
    "cummax, doubles": (DOUBLES, lambda f: f["y"].cummax()),
    "rolling": (HOLES, lambda f: f.rolling(3, min_periods=1).sum()),
    "rolling, centred": (HOLES, lambda f: f["c"].rolling(3, center=True, min_periods=1).mean()),
    "rolling, closed left": (HOLES, lambda f: f["c"].rolling(2, closed="left").sum()),
    "rolling, columns": (HOLES, lambda f: f.rolling(2, min_periods=1)[["c", "b"]].sum()),
    "rolling, by a function": (HOLES, lambda f: f["c"].rolling(2).apply(lambda s: s.max() - s.min())),
    "rolling, by name": (HOLES, lambda f: f.rolling(2, min_periods=1).agg({"a": "sum", "b": "max"})),
    "rolling time": (TIMES.sort_index(), lambda f: f[["x", "y"]].rolling("40D", min_periods=1).sum()),
    "rolling time backwards": (
        TIMES.sort_index(ascending=False),
        lambda f: f["y"].rolling("40D").sum(),
    ),
    "rolling time of a column": (
        PLAIN,
        lambda f: f.sort_values("when")[["when", "x", "y"]].rolling("40D", on="when").sum(),
    ),
    "expanding": (HOLES, lambda f: f.expanding().mean()),
    "ewm": (HOLES, lambda f: f.ewm(alpha=0.5).mean()),
    "resample": (TIMES, lambda f: f.resample("MS")["y"].sum()),
    "resample all": (TIMES, lambda f: f[["x", "y"]].resample("2MS").max()),
    "resample by names": (TIMES, lambda f: f.resample("MS").agg(total=("y", "sum"))),
    "resample a column": (PLAIN, lambda f: f.resample("MS", on="when")[["x", "y"]].sum()),
    "resample size": (PLAIN, lambda f: f.resample("MS", on="when").size()),
    "resample without times": (NEVER, lambda f: f.resample("MS", on="when")["y"].sum()),
    "bins of time": (PLAIN, lambda f: f.groupby(pd.Grouper(key="when", freq="MS"))["y"].sum()),
    "bins of time and a key": (
        PLAIN,
        lambda f: f.groupby(["k", pd.Grouper(key="when", freq="MS")])["y"].sum(),
    ),
    "within bins of time": (
        PLAIN,
        lambda f: f.groupby(pd.Grouper(key="when", freq="MS"))["y"].transform("sum"),
    ),
    "pivot_table": (PLAIN, lambda f: f.pivot_table(index="k", columns="y", values="x", aggfunc="sum")),
    "pivot_table of all": (PLAIN, lambda f: f[["k", "x", "y"]].pivot_table(index="k")),
    "pivot_table, two keys": (PLAIN, lambda f: f.pivot_table(index=["k", "when"], columns="y", values="x")),
    "pivot_table, two spread": (PLAIN, lambda f: f.pivot_table(index="k", columns=["y", "when"], values="x")),
    "pivot_table, no key": (NOBODY, lambda f: f.pivot_table(index="y", columns="k", values="x")),
    "pivot_table, null key": (
        NOBODY,
        lambda f: f.pivot_table(index="k", values="y", aggfunc="sum", dropna=False),
    ),
    "pivot_table of categories": (
        CATEGORIES,
        lambda f: f.pivot_table(index="y", columns="k", values="x", aggfunc="sum", observed=False),
    ),
    "pivot_table, doubles": (DOUBLES, lambda f: pd.pivot_table(data=f, index="k", columns="y", values="x")),
    "pivot": (PLAIN, lambda f: f.pivot(index="n", columns="k", values="y")),
    "pivot of two": (PLAIN, lambda f: f.pivot(index="n", columns="k", values=["x", "y"])),
    "pivot of all": (PLAIN, lambda f: f.drop(columns="when").pivot(index="n", columns="k")),
    "pivot, no key": (NOBODY, lambda f: pd.pivot(f, index="n", columns="k", values="x")),
    "stack": (PLAIN, lambda f: f[["x", "y"]].stack()),
    "stack with holes": (PLAIN, lambda f: f[["x", "y"]].stack(future_stack=True)),
    "unstack": (PLAIN, lambda f: f.set_index(["n", "k"])["y"].unstack()),
    "unstack the first": (PLAIN, lambda f: f.set_index(["n", "k"])[["x", "y"]].unstack(0)),
    "unstack groups": (PLAIN, lambda f: f.groupby(["k", "y"])["x"].sum().unstack()),
    "unstack, no key": (NOBODY, lambda f: f.set_index(["n", "k"])["x"].unstack()),
    "transposed": (PLAIN, lambda f: f[["x", "y"]].T),
    "transposed twice": (PLAIN, lambda f: f[["x", "y"]].T.T),
    "transposed doubles": (DOUBLES, lambda f: f[["x", "y"]].transpose()),
    "nth": (NOBODY, lambda f: f.groupby("k").nth(0)),
    "nth of a column": (PLAIN, lambda f: f.groupby("k")["y"].nth([0, 1])),
    "nth by slice": (PLAIN, lambda f: f.groupby("k").nth[-1:]),
    "select": (PLAIN, selected),
    "frame of columns": (PLAIN, lambda f: pd.DataFrame({"a": f["x"], "b": f["y"] * 2, "c": 1})),
    "frame of other order": (PLAIN, lambda f: pd.DataFrame({"a": f["x"].iloc[::-1], "b": f["y"]})),
    "frame of doubles": (DOUBLES, lambda f: pd.DataFrame({"a": f["x"], "b": f["y"]})),
    "frame of levels": (LEVELS, lambda f: pd.DataFrame({"a": f["x"]})),
    "frame of a frame": (PLAIN, lambda f: pd.DataFrame(f, columns=["y", "x"], index=[3, 1, 9])),
    "frame of an array": (PLAIN, lambda f: pd.DataFrame(f[["x", "y"]].to_numpy(), columns=["p", "q"])),
    "series of an array": (PLAIN, lambda f: pd.Series(f["y"].values, index=f["k"], name="v")),
    "series of a series": (PLAIN, lambda f: pd.Series(f["y"], index=[4, 2])),
    "asof": (
        PLAIN,
        lambda f: pd.merge_asof(left=f.sort_values("y"), right=f.sort_values("y"), on="y", by="k"),
    ),
    "named arguments": (PLAIN, lambda f: pd.merge(left=f, right=f, on="k")),
}
TO_THE_GROUP: dict[str, tuple[Any, Program]] = {
    "a figure": (PLAIN, lambda f: f.groupby("k")[["y"]].apply(lambda g: g["y"].sum())),
    "records": (PLAIN, lambda f: f.groupby("k")[["x", "y"]].apply(lambda g: g.sort_values("y").head(1))),
    "figures": (
        PLAIN,
        lambda f: f.groupby("k")[["y"]].apply(lambda g: pd.Series({"a": g["y"].sum(), "b": g["y"].max()})),
    ),
    "some": (PLAIN, lambda f: f.groupby("k")[["y"]].apply(lambda g: g if len(g) > 1 else None)),
    "null key": (NOBODY, lambda f: f.groupby("k", dropna=False)[["y"]].apply(lambda g: g["y"].sum())),
    "two keys": (PLAIN, lambda f: f.groupby(["k", "y"])[["x"]].apply(lambda g: g)),
}
NOT_UNDERSTOOD: dict[str, tuple[Any, Program]] = {
    "rolling groups": (PLAIN, lambda f: f.groupby("k")["y"].rolling(2, min_periods=1).sum()),
    "steps": (HOLES, lambda f: f["c"].rolling(2, step=2).sum()),
    "pairs": (HOLES, lambda f: f["c"].rolling(3).corr(f["c"] * 2)),
    "more bins": (
        TIMES.sort_index().iloc[:2],
        lambda f: f["y"].resample("D").ffill(),
    ),
    "bins of groups": (TIMES, lambda f: f.groupby("k").resample("MS")["y"].sum()),
    "margins": (PLAIN, lambda f: f.pivot_table(index="k", columns="y", values="x", margins=True)),
    "several functions": (PLAIN, lambda f: f.pivot_table(index="k", values="x", aggfunc=["sum", "max"])),
    "stacked doubles": (DOUBLES, lambda f: f[["x", "y"]].stack(future_stack=True)),
    "levels at once": (PLAIN.set_index(["k", "y", "n"]), lambda f: f["x"].unstack([0, 1])),
    "bins of time by doubles": (TIMES, lambda f: f.groupby(pd.Grouper(freq="MS"))[["y"]].sum()),
    "rows as columns": (PLAIN, lambda f: pd.DataFrame([f["x"], f["y"]])),
}


def not_exact(result: Any) -> list[str]:
    steps = hp.transformations(result)
    return [step for step in steps[~steps["exact"]]["step"] if step != "values of the program"]


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.filterwarnings("ignore:.*:FutureWarning")
def test_what_moves_values_is_understood_and_lists_every_cell_that_changes_it(name: str) -> None:
    frame, program = EXACT[name]
    assert not_exact(run(program, frame)) == []
    assert misses(program, frame) == []


WHOLE_GROUPS = {"records", "some", "two keys"}
"""Functions that ask for all columns of their group."""


@pytest.mark.parametrize("name", TO_THE_GROUP)
def test_a_function_of_groups_is_understood_as_far_as_the_group(name: str) -> None:
    frame, program = TO_THE_GROUP[name]
    result = run(program, frame)
    assert not_exact(result) == (["apply"] if name in WHOLE_GROUPS else [])
    assert misses(program, frame) == []
    keys = frame["k"].fillna("nobody").to_numpy()
    members = [set(np.flatnonzero(keys == key)) for key in set(keys)]
    for row in range(len(result)):
        assert any(set(hp.why(result, row)["row"]) <= each for each in members)


@pytest.mark.parametrize("name", NOT_UNDERSTOOD)
def test_what_is_not_understood_lists_everything(name: str) -> None:
    frame, program = NOT_UNDERSTOOD[name]
    assert not_exact(run(program, frame)) != []
    assert misses(program, frame) == []


def test_a_window_and_a_fill_have_the_records_that_they_were_made_of_and_no_more() -> None:
    frame = hp.track(HOLES.copy(), "frame")
    assert rows(frame["c"].rolling(2).sum(), 3, "c") == [2, 3]
    assert rows(frame.ffill(), 3, "a") == [1]
    assert rows(frame["c"].cumsum(), 2, "c") == [0, 1, 2]
    long = PLAIN[["k", "n", "y"]]
    table = hp.track(long.copy(), "frame").pivot_table(index="k", columns="y", values="n", aggfunc="max")
    assert sorted(set(hp.why(table, 1, [7])["row"])) == [2]
    wide = hp.track(PLAIN[["x", "y"]].copy(), "frame").T
    assert hp.why(wide, 1, [3])[["row", "column"]].to_numpy().tolist() == [[3, "y"]]


def rows(frame: Any, row: int, column: str) -> list[int]:
    return sorted(set(hp.why(frame, row, [column])["row"]))


def test_a_file_that_is_read_in_parts_is_tracked_part_by_part(tmp_path: Any) -> None:
    PLAIN.to_csv(tmp_path / "plain.csv", index=False)
    with hp.tracking():
        parts = [part[part["y"] > 5] for part in pd.read_csv(tmp_path / "plain.csv", chunksize=2)]
    found = hp.why(pd.concat(parts), columns=["y"])
    assert found[["dataset", "row"]].to_numpy().tolist() == [
        ["plain.csv", 1],
        ["plain.csv from record 2", 0],
        ["plain.csv from record 4", 0],
    ]


def test_a_program_that_names_all_arguments_runs_as_before() -> None:
    frame = hp.track(PLAIN.copy(), "frame")
    assert len(pd.concat(objs=[frame, frame])) == 10
    assert len(np.select(condlist=[frame["y"] > 5], choicelist=[frame["x"]], default=0)) == 5
