"""A naive interpreter of programs over frames: each value carries the set of the values that it was made of."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from kit.frames import Cell

Records = frozenset[tuple[str, int]]
Cells = frozenset[Cell]


@dataclass(frozen=True)
class Row:
    """A record: its values, the values that each was made of, and the records that all was made of."""

    values: dict[str, Any]
    cells: dict[str, Cells]
    records: Records


Rows = list[Row]
Operation = tuple[str, Callable[[Any], Any], Callable[[Rows], Rows]]
"""A name, what pandas does to a frame, and what it means for annotated rows."""


def annotated(name: str, frame: Any) -> Rows:
    """The records of a source, each made of itself."""
    return [
        Row(
            {column: frame.iloc[number][column] for column in frame.columns},
            {column: frozenset({(name, number, column)}) for column in frame.columns},
            frozenset({(name, number)}),
        )
        for number in range(len(frame))
    ]


def missing(value: Any) -> bool:
    return value is None or value is pd.NaT or (isinstance(value, float) and math.isnan(value))


def above(column: str, limit: int) -> Operation:
    return (
        f"{column} > {limit}",
        lambda frame: frame[frame[column] > limit],
        lambda rows: [row for row in rows if not missing(row.values[column]) and row.values[column] > limit],
    )


def complete() -> Operation:
    return (
        "dropna",
        lambda frame: frame.dropna(),
        lambda rows: [row for row in rows if not any(missing(value) for value in row.values.values())],
    )


def first(count: int) -> Operation:
    return f"head {count}", lambda frame: frame.head(count), lambda rows: rows[:count]


def picked(places: list[int]) -> Operation:
    def here(length: int) -> list[int]:
        return [place % length for place in places] if length else []

    return (
        f"iloc {places}",
        lambda frame: frame.iloc[here(len(frame))],
        lambda rows: [rows[place] for place in here(len(rows))],
    )


def ordered(column: str, *, ascending: bool) -> Operation:
    def by(rows: Rows) -> Rows:
        there = [row for row in rows if not missing(row.values[column])]
        there.sort(key=lambda row: row.values[column], reverse=not ascending)
        return there + [row for row in rows if missing(row.values[column])]

    return (
        f"sort {column}",
        lambda frame: frame.sort_values(column, kind="stable", ascending=ascending),
        by,
    )


def computed(name: str, one: str, other: str) -> Operation:
    def add(rows: Rows) -> Rows:
        return [
            Row(
                {**row.values, name: row.values[one] + row.values[other]},
                {**row.cells, name: row.cells[one] | row.cells[other]},
                row.records,
            )
            for row in rows
        ]

    return f"{name} = {one} + {other}", lambda frame: frame.assign(**{name: frame[one] + frame[other]}), add


def filled(column: str) -> Operation:
    def fill(rows: Rows) -> Rows:
        there = [(row, row.values[column]) for row in rows]
        return [
            Row({**row.values, column: 0.0 if missing(value) else value}, row.cells, row.records)
            for row, value in there
        ]

    return f"fill {column}", lambda frame: frame.assign(**{column: frame[column].fillna(0.0)}), fill


def twice() -> Operation:
    return "concat", lambda frame: pd.concat([frame, frame.iloc[::2]]), lambda rows: rows + rows[::2]


def joined(other: Any, others: Rows) -> Operation:
    nobody = Row({"w": math.nan}, {"w": frozenset()}, frozenset())

    def join(rows: Rows) -> Rows:
        return [
            Row(
                {**row.values, "w": partner.values["w"]},
                {**row.cells, "w": partner.cells["w"]},
                row.records | partner.records,
            )
            for row in rows
            for partner in [other for other in others if other.values["a"] == row.values["a"]] or [nobody]
        ]

    return (
        "merge",
        lambda frame: frame.drop(columns="w", errors="ignore").merge(other, on="a", how="left"),
        join,
    )


def totals() -> Operation:
    def total(rows: Rows) -> Rows:
        groups: dict[Any, Rows] = {}
        for row in rows:
            groups.setdefault(row.values["a"], []).append(row)
        return [
            Row(
                {"a": key, "b": sum(0.0 if missing(row.values["b"]) else row.values["b"] for row in members)},
                {name: frozenset().union(*(row.cells[name] for row in members)) for name in ("a", "b")},
                frozenset().union(*(row.records for row in members)),
            )
            for key, members in sorted(groups.items())
        ]

    return "group", lambda frame: frame.groupby("a")["b"].sum().reset_index(), total


def unique() -> Operation:
    def distinct(rows: Rows) -> Rows:
        groups: dict[Any, Rows] = {}
        for row in rows:
            key = tuple((name, "none" if missing(value) else value) for name, value in row.values.items())
            groups.setdefault(key, []).append(row)
        return [
            Row(
                members[0].values,
                {name: frozenset().union(*(row.cells[name] for row in members)) for name in members[0].cells},
                frozenset().union(*(row.records for row in members)),
            )
            for members in groups.values()
        ]

    return "distinct", lambda frame: frame.drop_duplicates(), distinct


def with_made(rows: Rows, name: str, made: Callable[[int], tuple[Any, Rows, str]]) -> Rows:
    """Each row with one more value: what it is, and of which rows' column it was made."""
    found = []
    for place, row in enumerate(rows):
        value, others, column = made(place)
        cells = frozenset().union(*(each.cells[column] for each in others))
        records = row.records.union(*(each.records for each in others))
        found.append(Row({**row.values, name: value}, {**row.cells, name: cells}, records))
    return found


def group_total() -> Operation:
    def total(rows: Rows) -> Rows:
        def of(place: int) -> tuple[Any, Rows, str]:
            members = [each for each in rows if each.values["a"] == rows[place].values["a"]]
            return sum(each.values["b"] for each in members if not missing(each.values["b"])), members, "b"

        return with_made(rows, "m", of)

    return (
        "transform",
        lambda frame: frame.assign(m=frame.groupby("a")["b"].transform("sum")),
        total,
    )


def running() -> Operation:
    def run(rows: Rows) -> Rows:
        def of(place: int) -> tuple[Any, Rows, str]:
            before = rows[: place + 1]
            return sum(each.values["a"] for each in before), before, "a"

        return with_made(rows, "r", of)

    return "cumsum", lambda frame: frame.assign(r=frame["a"].cumsum()), run


def before() -> Operation:
    def shift(rows: Rows) -> Rows:
        def of(place: int) -> tuple[Any, Rows, str]:
            return (rows[place - 1].values["a"], [rows[place - 1]], "a") if place else (math.nan, [], "a")

        return with_made(rows, "p", of)

    return "shift", lambda frame: frame.assign(p=frame["a"].shift()), shift


def flagged() -> Operation:
    return (
        "flag",
        lambda frame: frame.assign(f=(frame["a"] == 1).astype(int)),
        lambda rows: with_made(
            rows, "f", lambda place: (int(rows[place].values["a"] == 1), [rows[place]], "a")
        ),
    )


def narrowed() -> Operation:
    return (
        "columns",
        lambda frame: frame[["b", "a"]].reset_index(drop=True),
        lambda rows: [
            Row(
                {name: row.values[name] for name in "ba"},
                {name: row.cells[name] for name in "ba"},
                row.records,
            )
            for row in rows
        ],
    )


def lengthened() -> Operation:
    def melt(rows: Rows) -> Rows:
        return [
            Row(
                {"a": row.values["a"], "b": row.values["b"] * factor},
                {name: row.cells[name] for name in "ab"},
                row.records,
            )
            for factor in (1, 2)
            for row in rows
        ]

    def by_pandas(frame: Any) -> Any:
        twice_as_much = frame[["a", "b"]].assign(d=frame["b"] * 2)
        return twice_as_much.melt(id_vars="a", value_vars=["b", "d"], value_name="v")[["a", "v"]].rename(
            columns={"v": "b"}
        )

    return "melt", by_pandas, melt
