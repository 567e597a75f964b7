"""Each operation leaves the program's result as it is, and lists what its values were made of: cells are changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headwater_pandas as hp
from headwater_pandas import observe
from kit.frames import Program, misses, run, strict


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with strict():
        yield


PEOPLE = pd.DataFrame(
    {
        "k": ["b", "a", "b", "c", "a"],
        "x": [3.0, 1.0, np.nan, 2.0, 1.0],
        "y": [5, 6, 7, 5, 6],
        "when": pd.to_datetime(["2026-01-05", "2026-03-01", "2026-01-05", "2025-12-31", "2026-02-02"]),
    }
)
CITIES = pd.DataFrame({"k": ["a", "b", "b", "d"], "z": [1.5, 2.5, 3.5, 4.5], "y": [1, 2, 3, 4]})


def put(frame: Any, name: Any, value: Any) -> Any:
    frame[name] = value
    return frame


def put_at(frame: Any, rows: Any, name: Any, value: Any) -> Any:
    frame.loc[rows, name] = value
    return frame


def without(frame: Any, name: str) -> Any:
    del frame[name]
    return frame


def inserted(frame: Any) -> Any:
    frame.insert(1, "new", frame["y"] * 2)
    return frame


def put_cell(frame: Any) -> Any:
    frame.at[1, "x"] = 7.5
    frame.iat[2, 2] = 70
    return frame


def added(frame: Any) -> Any:
    frame += 1
    frame["y"] -= frame["x"]
    return frame


def in_place(frame: Any) -> Any:
    frame.dropna(inplace=True)
    frame.rename(columns={"x": "w"}, inplace=True)
    frame.sort_values("y", inplace=True)
    return frame


def renamed_in_place(frame: Any) -> Any:
    frame.columns = ["one", "two", "three", "four"]
    frame.index = list("vwxyz")
    return frame


def in_arrow(frame: Any) -> Any:
    return frame.convert_dtypes(dtype_backend="pyarrow")


EXACT: dict[str, Program] = {
    "loc": lambda f: f.loc[[3, 1], ["y", "k"]],
    "loc slice": lambda f: f.loc[1:3, "k":"y"],
    "loc mask": lambda f: f.loc[f["y"] > 5, "x"],
    "loc function": lambda f: f.loc[lambda g: g["y"] > 5],
    "iloc": lambda f: f.iloc[[4, 0, 4], [2, 0]],
    "iloc slice": lambda f: f.iloc[::2],
    "mask": lambda f: f[(f["x"] > 1) & ~(f["k"] == "c")],
    "mask by array": lambda f: f[(f["x"] > 1).to_numpy()],
    "mask of frame": lambda f: f[["x", "y"]][f[["x", "y"]] > 2],
    "columns": lambda f: f[["y", "x"]],
    "column": lambda f: f["x"],
    "attribute": lambda f: f.x,
    "slice": lambda f: f[1:4],
    "query": lambda f: f.query("x > 1 and k != 'c'"),
    "dropna": lambda f: f.dropna(),
    "dropna subset": lambda f: f.dropna(subset=["x"]),
    "fillna": lambda f: f.fillna({"x": 0.0}),
    "fillna column": lambda f: f["x"].fillna(f["y"]),
    "fillna mean": lambda f: put(f, "x", f["x"].fillna(f["x"].mean())),
    "fillna means": lambda f: f[["x", "y"]].fillna(f[["x", "y"]].mean()),
    "drop": lambda f: f.drop(columns=["x"]),
    "drop rows": lambda f: f.drop([1, 2]),
    "drop index": lambda f: f.drop(index=3),
    "del": lambda f: without(f, "x"),
    "pop": lambda f: put(f, "p", f.pop("x")),
    "assign": lambda f: f.assign(z=lambda g: g["x"] * g["y"], w=1),
    "set": lambda f: put(f, "z", f["x"] + f["y"]),
    "set over": lambda f: put(f, "x", f["y"] - 1),
    "set two": lambda f: put(f, ["p", "q"], f[["y", "x"]]),
    "set mask": lambda f: put(f[["x", "y"]].copy(), f["y"] > 5, 0),
    "set at mask": lambda f: put_at(f, f["y"] > 5, "x", 9.5),
    "set at mask value": lambda f: put_at(f, f["y"] > 5, "x", f["y"] * 2.5),
    "insert": inserted,
    "in place": in_place,
    "rename": lambda f: f.rename(columns={"x": "w"}, index={0: 10}),
    "replace": lambda f: f.replace({"k": {"a": "A"}}),
    "map": lambda f: f["k"].map({"a": 1, "b": 2}),
    "map function": lambda f: f["k"].map(lambda value: str(value).upper()),
    "apply value": lambda f: f["y"].apply(lambda value: value * 2),
    "astype": lambda f: f.astype({"y": float}),
    "get_dummies": lambda f: pd.get_dummies(f, columns=["k"]),
    "get_dummies all": lambda f: pd.get_dummies(f[["k", "y"]]),
    "get_dummies series": lambda f: pd.get_dummies(f["k"]),
    "cut": lambda f: put(f, "bin", pd.cut(f["y"], 2, labels=False)),
    "sort": lambda f: f.sort_values(["k", "y"], ascending=False),
    "sort ignoring": lambda f: f.sort_values("y", ignore_index=True),
    "sort index": lambda f: f.set_index("k").sort_index(),
    "sample": lambda f: f.sample(3, random_state=1),
    "head": lambda f: f.head(2),
    "largest": lambda f: f.nlargest(2, "y"),
    "explode": lambda f: put(f, "l", f["k"].map({"a": [1, 2], "b": [], "c": [3]})).explode("l")[
        ["l", "k", "y"]
    ],
    "explode ignoring": lambda f: put(f, "l", f["k"].str.split("b")).explode("l", ignore_index=True),
    "drop_duplicates": lambda f: f[["k", "y"]].drop_duplicates(),
    "drop_duplicates subset": lambda f: f.drop_duplicates("k", keep="last"),
    "reset_index": lambda f: f.set_index("k").reset_index(),
    "reset and drop": lambda f: f[f["y"] > 5].reset_index(drop=True),
    "reindex": lambda f: f.reindex([4, 9, 0]),
    "concat": lambda f: pd.concat([f, f[["y", "k"]]]),
    "concat beside": lambda f: pd.concat([f[["k"]], f[["y"]].iloc[::-1]], axis=1),
    "concat ignoring": lambda f: pd.concat([f, f], ignore_index=True),
    "group": lambda f: f.groupby("k").sum(numeric_only=True),
    "group, key as column": lambda f: f.groupby("k", as_index=False)["y"].mean(),
    "group and reset": lambda f: f.groupby("k")["y"].max().reset_index(),
    "group by two": lambda f: f.groupby(["k", "y"])["x"].count(),
    "group with names": lambda f: f.groupby("k").agg(top=("y", "max"), low=("x", "min")),
    "group with several": lambda f: f.groupby("k").agg({"y": ["min", "max"]}),
    "group by series": lambda f: f.groupby(f["y"] > 5)["x"].sum(),
    "group size": lambda f: f.groupby("k").size(),
    "transform": lambda f: put(f, "mean", f.groupby("k")["y"].transform("mean")),
    "group head": lambda f: f.groupby("k").head(1),
    "where": lambda f: f["x"].where(f["y"] > 5, f["y"]),
    "mask values": lambda f: f["x"].mask(f["y"] > 5),
    "numpy where": lambda f: put(f, "w", np.where(f["y"] > 5, f["x"], f["y"])),
    "numpy function": lambda f: put(f, "w", np.sqrt(f["x"])),
    "values": lambda f: put(f, "w", f["x"].values),
    "str": lambda f: put(f, "w", f["k"].str.upper() + f["k"].str[0]),
    "dt": lambda f: put(f, "w", f["when"].dt.month),
    "scale": lambda f: (f[["x", "y"]] - f[["x", "y"]].mean()) / f[["x", "y"]].std(),
    "scale column": lambda f: put(f, "y", (f["y"] - f["y"].mean()) / f["y"].std()),
    "shift": lambda f: f["y"].shift(1),
    "diff": lambda f: f["y"].diff(),
    "rank": lambda f: f["y"].rank(),
    "isin": lambda f: put(f, "w", f["k"].isin(["a"])),
    "melt": lambda f: f.melt(id_vars="k", value_vars=["x", "y"]),
    "items": lambda f: pd.concat([column for _, column in f.items()], axis=1),
    "shift of frame": lambda f: f[["x", "y"]].shift(-1),
    "in place arithmetic": lambda f: added(f[["x", "y"]].copy()),
    "sum of record": lambda f: put(f, "w", f[["x", "y"]].sum(axis=1)),
    "between": lambda f: put(f, "w", f["y"].between(f["x"], 6)),
    "set_axis": lambda f: f.set_axis(list("vwxy"), axis=1),
    "at": put_cell,
    "unsorted groups": lambda f: f.groupby("k", sort=False)["y"].sum(),
    "groups of categories": lambda f: (
        f.assign(k=f["k"].astype("category")).groupby("k", observed=True)["y"].sum()
    ),
    "groups by level": lambda f: f.set_index(["y", "k"]).groupby(level=1)["x"].sum().reset_index(),
    "sample by weight": lambda f: f.sample(3, weights="y", random_state=1),
    "columns by mask": lambda f: f[["x", "y"]].loc[:, f[["x", "y"]].isna().any()],
    "isin of another": lambda f: put(f, "w", f["y"].isin(f["x"])),
    "groups by function": lambda f: f.groupby(lambda label: label % 2)["y"].sum(),
    "groups by both": lambda f: f.groupby([f["k"], "y"])["x"].sum().reset_index(),
    "groups by bins": lambda f: f.groupby(pd.cut(f["y"], 2), observed=False)["x"].sum(),
    "filter of groups": lambda f: f.groupby("k").filter(lambda group: len(group) > 1),
    "sum within groups": lambda f: f.groupby("k")["y"].cumsum(),
    "combine_first": lambda f: f[["x"]].combine_first(f[["y"]].rename(columns={"y": "x"})),
    "by records": lambda f: f[["x", "y"]].mul(f["y"], axis=0),
    "by a record": lambda f: f[["x", "y"]] - f[["x", "y"]].iloc[0],
    "the one before": lambda f: f.sort_values("y").assign(before=lambda g: g["y"].shift()),
    "cat": lambda f: f["k"].str.cat(f["y"].astype(str)),
    "mask by function": lambda f: f[lambda g: g["y"] > 5],
    "where by function": lambda f: f["y"].where(lambda s: s > 5, lambda s: s * 10),
    "query by a statistic": lambda f: f.query("x > x.mean()"),
    "nearest labels": lambda f: f.reindex([0.2, 1.2, 3.1], method="nearest"),
    "labels before": lambda f: f.reindex([1, 2, 9], method="ffill"),
    "asfreq": lambda f: f.sort_values("when").drop_duplicates("when").set_index("when")[["x"]].asfreq("7D"),
    "level": lambda f: f.set_index(["k", "y"]).xs("a", level="k").reset_index(),
    "level that stays": lambda f: f.set_index(["k", "y"]).xs(6, level=1, drop_level=False)[["x"]],
    "eval": lambda f: f.eval("x + y"),
    "eval to a column": lambda f: f.eval("z = x + y").eval("w = z * `y`"),
    "number in a group": lambda f: put(f, "n", f.groupby("k").cumcount()),
    "number in a sorted group": lambda f: put(g := f.sort_values("y"), "n", g.groupby("k").cumcount()),
    "duplicated": lambda f: put(f, "d", f.duplicated("k")),
    "duplicated records": lambda f: f[~f[["k", "y"]].duplicated(keep="last")],
    "value_counts": lambda f: f["k"].value_counts(),
    "shares of values": lambda f: f["y"].value_counts(normalize=True, dropna=False).reset_index(),
    "counts as a column": lambda f: put(f, "n", f["k"].map(f["k"].value_counts())),
    "columns of a text": lambda f: f["k"].str.split("b", expand=True),
    "groups of a text": lambda f: f["k"].str.extract("(a|b)(.*)"),
    "indicators of a text": lambda f: f["k"].str.get_dummies(),
    "codes": lambda f: put(f, "c", f["k"].astype("category").cat.codes),
    "categories": lambda f: put(f, "c", pd.Categorical(f["k"], categories=["a", "b"])),
    "renamed categories": lambda f: put(f, "c", f["k"].astype("category").cat.rename_categories(str.upper)),
    "mask of Arrow": lambda f: in_arrow(f)[in_arrow(f)["y"] > 5],
    "values at a mask of Arrow": lambda f: put_at(in_arrow(f), in_arrow(f)["y"] > 5, "x", 9.5),
    "mask of objects": lambda f: f[(f["y"] > 5).astype(object)],
    "constants by record": lambda f: put(
        f, "w", f.apply(lambda each: "much" if each["y"] > 5 else "little", axis=1)
    ),
    "sort index of one": lambda f: f.set_index("k")["y"].sort_index(ascending=False),
}
JOINS: dict[str, Program] = {
    **{how: lambda f, g, how=how: f.merge(g, on="k", how=how) for how in ("inner", "left", "right", "outer")},
    "cross": lambda f, g: f.head(2).merge(g, how="cross"),
    "module": lambda f, g: pd.merge(f, g, left_on="k", right_on="k", suffixes=("_l", "_r")),
    "two names": lambda f, g: f.merge(g.rename(columns={"k": "c"}), left_on="k", right_on="c", how="outer"),
    "indicator": lambda f, g: f.merge(g, on="k", how="outer", indicator=True),
    "index": lambda f, g: f.merge(
        g.drop_duplicates("k").set_index("k"), left_on="k", right_index=True, how="left"
    ),
    "both indexes": lambda f, g: f.merge(g, left_index=True, right_index=True),
    "join": lambda f, g: f.join(g.add_suffix("2")),
    "join on": lambda f, g: f.join(g.drop_duplicates("k").set_index("k")[["z"]], on="k"),
    "concat": lambda f, g: pd.concat([f, g]),
    "map by series": lambda f, g: put(f, "z", f["k"].map(g.drop_duplicates("k").set_index("k")["z"])),
    "set of another": lambda f, g: put(f, "z", g["z"]),
    "self": lambda f, g: f.merge(f, on="k"),
}
NOT_UNDERSTOOD: dict[str, Program] = {
    "swapped levels": lambda f: f.set_index(["k", "y"]).swaplevel().reset_index(),
    "apply columns": lambda f: f[["x", "y"]].apply(lambda column: column - column.min()),
    "counts in bins": lambda f: f["y"].value_counts(bins=2),
    "counts of records": lambda f: f[["k", "y"]].value_counts().reset_index(),
    "eval of a statistic": lambda f: f.eval("x - x.mean()"),
    "group apply": lambda f: f.groupby("k")[["y"]].apply(lambda group: group["y"].sum()),
    "describe": lambda f: f[["y"]].describe(),
    "duplicated index": lambda f: put(f.set_index("k")[["y"]], "z", f.set_index("k")["x"].iloc[::1] * 1),
}


@pytest.mark.parametrize("name", EXACT)
def test_an_operation_is_understood_and_lists_every_cell_that_changes_it(name: str) -> None:
    steps = hp.transformations(run(EXACT[name], PEOPLE))
    assert steps[~steps["exact"]]["step"].tolist() == []
    assert misses(EXACT[name], PEOPLE) == []


def test_what_the_program_computes_of_figures_is_its_own() -> None:
    scaled = run(lambda f: put(f, "y", (f["y"] - f["y"].min()) / (f["y"].max() - f["y"].min())), PEOPLE)
    assert "values of the program" in set(hp.influence(scaled, 0, ["y"])["dataset"])
    assert "values of the program" not in set(hp.influence(scaled, 0, ["x"])["dataset"])


def test_labels_that_the_program_sets_come_from_nobody_knows_where() -> None:
    result = run(renamed_in_place, PEOPLE)
    steps = hp.transformations(result)
    assert steps[~steps["exact"]]["step"].tolist() == ["values of the program"]
    assert misses(renamed_in_place, PEOPLE) == []


@pytest.mark.parametrize("name", JOINS)
def test_a_join_lists_every_cell_that_changes_it(name: str) -> None:
    assert misses(JOINS[name], PEOPLE, CITIES) == []
    steps = hp.transformations(run(JOINS[name], PEOPLE, CITIES))
    assert steps[~steps["exact"]]["step"].tolist() == []


@pytest.mark.parametrize("name", NOT_UNDERSTOOD)
def test_what_is_not_understood_lists_everything(name: str) -> None:
    assert misses(NOT_UNDERSTOOD[name], PEOPLE) == []


RANKED = pd.DataFrame({"token": list("abcde"), "y": [5, 1, 9, 3, 7]})
BY_PLACE: dict[str, Program] = {
    "head": lambda f: f.sort_values("y").head(2),
    "tail": lambda f: f.sort_values(["y", "token"]).assign(z=1).tail(2),
    "iloc": lambda f: f.sort_values("y", ascending=False).iloc[:2],
    "several": lambda f: f.sort_values("y").reset_index(drop=True).iloc[[0, 2]],
    "slice": lambda f: f[f["y"] > -1000].sort_values("y")[1:3],
    "labels": lambda f: f.set_index("y").sort_index().head(2),
    "take": lambda f: f.sort_values("y").take([0]),
}


@pytest.mark.parametrize("name", BY_PLACE)
def test_the_keys_of_all_records_decide_which_come_first(name: str) -> None:
    result = run(BY_PLACE[name], RANKED)
    listed = hp.influence(result, 0, ["token"])
    deciding = set(zip(listed["row"], listed["column"], strict=True))
    shown = 0
    for row in range(len(RANKED)):
        for value in (-100, 4, 100):
            changed = RANKED.copy()
            changed.loc[row, "y"] = value
            with observe.alone():
                after = BY_PLACE[name](changed)
            if after["token"].iloc[0] != result["token"].iloc[0]:
                shown += 1
                assert (row, "y") in deciding
    assert shown


def test_the_order_alone_decides_about_nothing() -> None:
    assert hp.influence(run(lambda f: f.sort_values("y"), RANKED), 0)["row"].tolist() == []
    assert hp.influence(run(lambda f: f.sort_values("y")[["token"]].iloc[:], RANKED), 0)["row"].tolist() == []


@pytest.mark.parametrize(
    "figure",
    [
        lambda f: max(f["y"]) / 3,
        lambda f: f["y"].to_numpy()[1] / 3,
        lambda f: f["y"].quantile([0.25, 0.5]).tolist()[0] / 3,
    ],
    ids=["loop", "array", "list"],
)
def test_a_number_computed_of_values_that_were_taken_decides(figure: Program) -> None:
    result = run(lambda f: f[f["y"] >= figure(f) + 0.125], RANKED)
    assert "values of the program" in set(hp.influence(result, 0)["dataset"])
