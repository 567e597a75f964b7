"""More steps for the naive interpreter: of rows, of cells, of neighbours and of groups. All leave `a` and `b`."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from kit.annotated import Operation, Row, Rows, missing, with_made

ByPandas = Callable[[Any], Any]
Made = Callable[[Rows, int], tuple[Any, Rows]]


def kept(name: str, by_pandas: ByPandas, stays: Callable[[dict[str, Any]], bool]) -> Operation:
    """Only the rows with such values."""
    return name, by_pandas, lambda rows: [row for row in rows if stays(row.values)]


def chosen(name: str, by_pandas: ByPandas, places: Callable[[Rows], Iterable[int]]) -> Operation:
    """The rows at these places, in this order."""
    return name, by_pandas, lambda rows: [rows[place] for place in places(rows)]


def cellwise(name: str, by_pandas: ByPandas, made: dict[str, tuple[str, Callable[..., Any]]]) -> Operation:
    """Columns, each computed of the columns (of the same row) that are named before it."""

    def compute(rows: Rows) -> Rows:
        return [_with_cells(row, made) for row in rows]

    return name, by_pandas, compute


def _with_cells(row: Row, made: dict[str, tuple[str, Callable[..., Any]]]) -> Row:
    values, cells = dict(row.values), dict(row.cells)
    for column, (taken, function) in made.items():
        values[column] = function(*(row.values[each] for each in taken))
        cells[column] = frozenset().union(*(row.cells[each] for each in taken))
    return Row(values, cells, row.records)


def neighbours(name: str, by_pandas: ByPandas, column: str, of: str, made: Made) -> Operation:
    """A column whose values are made of a column of other rows."""

    def compute(rows: Rows) -> Rows:
        return with_made(rows, column, lambda place: (*made(rows, place), of))

    return name, by_pandas, compute


def without(name: str, by_pandas: ByPandas, *columns: str) -> Operation:
    def drop(rows: Rows) -> Rows:
        return [
            Row(
                {key: value for key, value in row.values.items() if key not in columns},
                {key: value for key, value in row.cells.items() if key not in columns},
                row.records,
            )
            for row in rows
        ]

    return name, by_pandas, drop


def _set(frame: Any, column: str, value: Callable[[Any], Any]) -> Any:
    frame = frame.copy()
    frame[column] = value(frame)
    return frame


def _firsts(frame: Any) -> Any:
    return pd.concat(group.iloc[:1] for _, group in frame.groupby("a"))


def _there(value: Any) -> bool:
    return not missing(value)


def _members(rows: Rows, place: int) -> Rows:
    return [each for each in rows if each.values["a"] == rows[place].values["a"]]


def numbers(rows: Rows, column: str) -> list[Any]:
    """The values of a column that are not missing."""
    return [row.values[column] for row in rows if _there(row.values[column])]


def _once(rows: Rows, *, last: bool) -> list[int]:
    places = {row.values["a"]: place for place, row in reversed(list(enumerate(rows)))}
    if last:
        places = {row.values["a"]: place for place, row in enumerate(rows)}
    return sorted(places.values())


def _of_two(row: Row) -> tuple[Any, bool, Any]:
    value = row.values["b"]
    return -row.values["a"], missing(value), 0 if missing(value) else value


def _largest(rows: Rows, count: int) -> list[int]:
    return sorted(range(len(rows)), key=lambda place: -rows[place].values["a"])[:count]


COARSE = {
    "apply over groups", "cumsum in groups", "filter of groups", "first of each group", "last of each group",
    "merge right", "nth of each group",
}  # fmt: skip
"""Steps whose values may list more: the whole group, or the keys of both sides of a join."""

ROWS: list[Operation] = [
    kept("loc", lambda frame: frame.loc[frame["a"] >= 1], lambda row: row["a"] >= 1),
    kept("loc by a function", lambda frame: frame.loc[lambda each: each["a"] != 2], lambda row: row["a"] != 2),
    kept("query", lambda frame: frame.query("a > 0"), lambda row: row["a"] > 0),
    kept("query of two", lambda frame: frame.query("a < 3 and b > 0"), lambda row: row["a"] < 3 and row["b"] > 0),
    kept("eval", lambda frame: frame[frame.eval("a != b")], lambda row: row["a"] != row["b"]),
    kept("isin", lambda frame: frame[frame["a"].isin([0, 2])], lambda row: row["a"] in {0, 2}),
    kept("between", lambda frame: frame[frame["b"].between(1, 3)], lambda row: 1 <= row["b"] <= 3),
    kept("notna", lambda frame: frame[frame["b"].notna()], lambda row: _there(row["b"])),
    kept("dropna of one", lambda frame: frame.dropna(subset=["b"]), lambda row: _there(row["b"])),
    kept(
        "a mask of numpy",
        lambda frame: frame[np.logical_or(frame["a"] == 0, frame["b"] > 2).to_numpy()],
        lambda row: row["a"] == 0 or row["b"] > 2,
    ),
    kept("not", lambda frame: frame[~(frame["a"] == 1)], lambda row: row["a"] != 1),
    chosen("tail", lambda frame: frame.tail(3), lambda rows: range(len(rows))[-3:]),
    chosen("a slice", lambda frame: frame[1:4], lambda rows: range(len(rows))[1:4]),
    chosen("backwards", lambda frame: frame.iloc[::-1], lambda rows: range(len(rows))[::-1]),
    chosen("take", lambda frame: frame.take(np.arange(len(frame))[::2]), lambda rows: range(0, len(rows), 2)),
    chosen("reset_index", lambda frame: frame.reset_index(drop=True), lambda rows: range(len(rows))),
    chosen("copy", lambda frame: frame.copy(), lambda rows: range(len(rows))),
    chosen(
        "sample",
        lambda frame: frame.sample(frac=0.5, random_state=3),
        lambda rows: pd.Series(range(len(rows))).sample(frac=0.5, random_state=3).tolist(),
    ),
    chosen("nlargest", lambda frame: frame.nlargest(3, "a"), lambda rows: _largest(rows, 3)),
    chosen(
        "first of each group",
        lambda frame: frame.groupby("a").head(1),
        lambda rows: _once(rows, last=False),
    ),
    chosen(
        "last of each group",
        lambda frame: frame.groupby("a").tail(1),
        lambda rows: _once(rows, last=True),
    ),
    chosen(
        "nth of each group",
        lambda frame: frame.groupby("a").nth(0),
        lambda rows: _once(rows, last=False),
    ),
    chosen(
        "a loop over groups",
        lambda frame: _firsts(frame) if len(frame) else frame,
        lambda rows: sorted(_once(rows, last=False), key=lambda place: rows[place].values["a"]),
    ),
    chosen(
        "drop by label",
        lambda frame: frame.reset_index(drop=True).drop(index=[0], errors="ignore"),
        lambda rows: range(1, len(rows)),
    ),
    chosen("to the index and back", lambda frame: frame.set_index("a").reset_index(), lambda rows: range(len(rows))),
    chosen(
        "sort by two",
        lambda frame: frame.sort_values(["a", "b"], ascending=[False, True], kind="stable"),
        lambda rows: sorted(range(len(rows)), key=lambda place: _of_two(rows[place])),
    ),
    chosen(
        "filter of groups",
        lambda frame: frame.groupby("a").filter(lambda each: len(each) > 1),
        lambda rows: [place for place in range(len(rows)) if len(_members(rows, place)) > 1],
    ),
    chosen(
        "repeat",
        lambda frame: frame.iloc[np.repeat(np.arange(len(frame)), 2)],
        lambda rows: [place for place in range(len(rows)) for _ in range(2)],
    ),
]  # fmt: skip

CELLS: list[Operation] = [
    cellwise("setitem", lambda frame: _set(frame, "s", lambda each: each["a"] * 2), {"s": ("a", lambda a: a * 2)}),
    cellwise(
        "setitem of what was there",
        lambda frame: _set(frame, "b", lambda each: each["b"] + each["a"]),
        {"b": ("ba", lambda b, a: b + a)},
    ),
    cellwise("replace", lambda frame: frame.replace({"a": {1: 2}}), {"a": ("a", lambda a: 2 if a == 1 else a)}),
    cellwise(
        "map",
        lambda frame: frame.assign(s=frame["a"].map(lambda a: a * 10)),
        {"s": ("a", lambda a: a * 10)},
    ),
    cellwise(
        "map by a dict",
        lambda frame: frame.assign(s=frame["a"].map({0: 5, 1: 6})),
        {"s": ("a", lambda a: {0: 5, 1: 6}.get(a, math.nan))},
    ),
    cellwise(
        "apply over rows",
        lambda frame: frame.assign(s=frame.apply(lambda row: row["a"] + 1, axis=1) if len(frame) else 0),
        {"s": ("a", lambda a: a + 1)},
    ),
    cellwise(
        "apply over values",
        lambda frame: frame.assign(s=frame["b"].apply(lambda b: b > 1)),
        {"s": ("b", lambda b: b > 1)},
    ),
    cellwise(
        "map of a frame",
        lambda frame: frame.assign(s=frame[["a", "b"]].map(lambda value: value + 1)["a"]),
        {"s": ("a", lambda a: a + 1)},
    ),
    cellwise("astype", lambda frame: frame.assign(s=frame["a"].astype(str)), {"s": ("a", lambda a: str(int(a)))}),
    cellwise(
        "cut",
        lambda frame: frame.assign(s=pd.cut(frame["a"], [-1, 1, 9], labels=["low", "high"]).astype(object)),
        {"s": ("a", lambda a: "low" if a <= 1 else "high" if a <= 9 else math.nan)},
    ),
    cellwise(
        "numpy",
        lambda frame: frame.assign(s=np.sqrt(frame["a"]) + np.maximum(frame["b"], 1)),
        {"s": ("ab", lambda a, b: math.sqrt(a) + (b if missing(b) else max(b, 1)))},
    ),
    cellwise(
        "where of numpy",
        lambda frame: frame.assign(s=np.where(frame["a"] > 1, frame["b"], frame["a"])),
        {"s": ("ab", lambda a, b: b if a > 1 else a)},
    ),
    cellwise("clip", lambda frame: frame.assign(s=frame["a"].clip(1, 2)), {"s": ("a", lambda a: min(max(a, 1), 2))}),
    cellwise(
        "round",
        lambda frame: frame.assign(s=frame["b"].round()),
        {"s": ("b", lambda b: b if missing(b) else float(round(b)))},
    ),
    cellwise("isna", lambda frame: frame.assign(s=frame["b"].isna()), {"s": ("b", missing)}),
    cellwise("abs and negate", lambda frame: frame.assign(s=(-frame["b"]).abs()), {"s": ("b", abs)}),
    cellwise("eval of a column", lambda frame: frame.eval("s = a + b"), {"s": ("ab", lambda a, b: a + b)}),
    cellwise(
        "pipe",
        lambda frame: frame.pipe(lambda each: each.assign(s=each["a"] % 2)),
        {"s": ("a", lambda a: a % 2)},
    ),
    cellwise(
        "text",
        lambda frame: frame.assign(s=frame["a"].astype(str).str.zfill(3).str.slice(1)),
        {"s": ("a", lambda a: str(int(a)).zfill(3)[1:])},
    ),
    cellwise(
        "to_numeric",
        lambda frame: frame.assign(s=pd.to_numeric(frame["a"].astype(str))),
        {"s": ("a", lambda a: a)},
    ),
    cellwise(
        "sum over columns",
        lambda frame: frame.assign(s=frame[["a", "b"]].sum(axis=1)),
        {"s": ("ab", lambda a, b: a + (0 if missing(b) else b))},
    ),
    cellwise(
        "a column beside",
        lambda frame: pd.concat([frame.drop(columns="s", errors="ignore"), frame["a"].rename("s")], axis=1),
        {"s": ("a", lambda a: a)},
    ),
    without("drop", lambda frame: frame.drop(columns=["c", "t"], errors="ignore"), "c", "t"),
]  # fmt: skip

OF_TYPES: list[Operation] = [
    cellwise(
        "dt",
        lambda frame: frame.assign(s=frame["t"].dt.day),
        {"s": ("t", lambda t: t.day)},
    ),
    cellwise(
        "a floor of time",
        lambda frame: frame.assign(s=frame["t"].dt.tz_convert("UTC").dt.floor("D")),
        {"s": ("t", lambda t: t.tz_convert("UTC").floor("D"))},
    ),
    cellwise(
        "cat",
        lambda frame: frame.assign(s=frame["c"].cat.codes),
        {"s": ("c", "xyz".index)},
    ),
    cellwise(
        "text of a category",
        lambda frame: frame.assign(s=frame["c"].str.upper()),
        {"s": ("c", str.upper)},
    ),
    cellwise(
        "get_dummies",
        lambda frame: frame.join(pd.get_dummies(frame["c"])) if frame.index.is_unique else _beside(frame),
        {each: ("c", lambda c, each=each: c == each) for each in "xyz"},
    ),
    cellwise(
        "rename",
        lambda frame: frame.assign(s=frame.rename(columns={"c": "k"})["k"]),
        {"s": ("c", lambda c: c)},
    ),
]


def _beside(frame: Any) -> Any:
    return pd.concat([frame, pd.get_dummies(frame["c"])], axis=1)


def _filled_forward(rows: Rows, place: int) -> tuple[Any, Rows]:
    there = [row for row in rows[: place + 1] if _there(row.values["b"])]
    return (there[-1].values["b"], there[-1:]) if there else (math.nan, [rows[place]])


def _mean_filled(rows: Rows, place: int) -> tuple[Any, Rows]:
    there = numbers(rows, "b")
    value = rows[place].values["b"]
    mean = statistics.fmean(there) if there else math.nan
    return (value if _there(value) else mean), [rows[place]]


def _total(rows: Rows, place: int) -> tuple[Any, Rows]:
    members = _members(rows, place)
    return sum(numbers(members, "b")), members


def _last_two(rows: Rows, place: int) -> tuple[Any, Rows]:
    taken = rows[max(place - 1, 0) : place + 1]
    return sum(row.values["a"] for row in taken), taken


def _greatest(rows: Rows, place: int) -> tuple[Any, Rows]:
    return max(row.values["a"] for row in rows[: place + 1]), rows[: place + 1]


def _difference(rows: Rows, place: int) -> tuple[Any, Rows]:
    if not place:
        return math.nan, [rows[0]]
    return rows[place].values["a"] - rows[place - 1].values["a"], [rows[place], rows[place - 1]]


def _next(rows: Rows, place: int) -> tuple[Any, Rows]:
    behind = rows[place + 1 : place + 2]
    return (behind[0].values["a"] if behind else math.nan), behind


def _ranked(rows: Rows, place: int) -> tuple[Any, Rows]:
    values = [row.values["a"] for row in rows]
    return 1 + sum(value < values[place] for value in values), [rows[place]]


def _running_in_group(rows: Rows, place: int) -> tuple[Any, Rows]:
    taken = [row for row in rows[: place + 1] if row.values["a"] == rows[place].values["a"]]
    return sum(row.values["a"] for row in taken), taken


NEIGHBOURS: list[Operation] = [
    neighbours("ffill", lambda frame: frame.assign(m=frame["b"].ffill()), "m", "b", _filled_forward),
    neighbours(
        "fillna by the mean",
        lambda frame: frame.assign(m=frame["b"].fillna(frame["b"].mean())),
        "m", "b", _mean_filled,
    ),
    neighbours(
        "rolling", lambda frame: frame.assign(m=frame["a"].rolling(2, min_periods=1).sum()), "m", "a", _last_two
    ),
    neighbours("expanding", lambda frame: frame.assign(m=frame["a"].expanding().max()), "m", "a", _greatest),
    neighbours("cummax", lambda frame: frame.assign(m=frame["a"].cummax()), "m", "a", _greatest),
    neighbours("shift back", lambda frame: frame.assign(m=frame["a"].shift(-1)), "m", "a", _next),
    neighbours("rank", lambda frame: frame.assign(m=frame["a"].rank(method="min")), "m", "a", _ranked),
    neighbours("diff", lambda frame: frame.assign(m=frame["a"].diff()), "m", "a", _difference),
    neighbours(
        "a function of groups",
        lambda frame: frame.assign(m=frame.groupby("a")["b"].transform(lambda each: each.sum())),
        "m", "b", _total,
    ),
    neighbours(
        "cumsum in groups", lambda frame: frame.assign(m=frame.groupby("a")["a"].cumsum()), "m", "a", _running_in_group
    ),
]  # fmt: skip
