"""Steps for the naive interpreter that give other rows and columns: joins, groups, long and wide forms."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from kit.annotated import Operation, Row, Rows
from kit.annotated_steps import numbers


def _two(frame: Any) -> Any:
    return frame[["a", "b"]].reset_index(drop=True)


def _heads(frame: Any) -> Any:
    groups = frame.groupby("a", group_keys=False)[["a", "b"]]
    return groups.apply(lambda each: each.head(1).reset_index(drop=True))


def _row(**parts: tuple[Any, Iterable[Row], str]) -> Row:
    """A row of values, each made of a column of these rows."""
    return Row(
        {name: value for name, (value, *_) in parts.items()},
        {name: frozenset().union(*(row.cells[of] for row in rows)) for name, (_, rows, of) in parts.items()},
        frozenset().union(*(row.records for _, rows, _ in parts.values() for row in rows)),
    )


def _groups(rows: Rows, column: str) -> list[tuple[Any, Rows]]:
    found: dict[Any, Rows] = {}
    for row in rows:
        found.setdefault(row.values[column], []).append(row)
    return sorted(found.items())


def _exploded(rows: Rows) -> Rows:
    return [
        _row(a=(row.values["a"], [row], "a"), b=(row.values["b"], [row], "b"), s=(part, [row], "a"))
        for row in rows
        for part in (range(int(row.values["a"])) if row.values["a"] else [math.nan])
    ]


def _stacked(rows: Rows) -> Rows:
    return [_row(v=(row.values[name], [row], name)) for row in rows for name in "ab"]


def _transposed(rows: Rows) -> Rows:
    places: Any = range(len(rows))  # the names of the columns
    return [
        Row(
            {place: rows[place].values[name] for place in places},
            {place: rows[place].cells[name] for place in places},
            frozenset().union(*(row.records for row in rows)),
        )
        for name in ("ab" if rows else "")
    ]


def _aggregated(rows: Rows) -> Rows:
    return [
        _row(
            a=(key, members, "a"),
            low=(min(numbers(members, "b"), default=math.nan), members, "b"),
            high=(max(numbers(members, "b"), default=math.nan), members, "b"),
        )
        for key, members in _groups(rows, "a")
    ]


def _of_days(rows: Rows) -> Rows:
    if not rows:
        return []
    days = dict(_groups(rows, "t"))
    first, last = min(days), max(days)
    members = [days.get(first + np.timedelta64(number, "D"), []) for number in range((last - first).days + 1)]
    return [_row(v=(sum(numbers(each, "b")), each, "b")) for each in members]


def _first_of_groups(rows: Rows) -> Rows:
    first = [members[0] for _, members in _groups(rows, "a")]
    return [_row(a=(row.values["a"], [row], "a"), b=(row.values["b"], [row], "b")) for row in first]


ENDS: list[Operation] = [
    (
        "explode",
        lambda frame: _two(frame).assign(s=lambda each: each["a"].map(lambda a: list(range(int(a))))).explode("s"),
        _exploded,
    ),
    ("stack", lambda frame: _two(frame).stack(future_stack=True).to_frame("v"), _stacked),
    ("transpose", lambda frame: _two(frame).T if len(frame) else _two(frame), _transposed),
    (
        "aggregates",
        lambda frame: _two(frame).groupby("a").agg(low=("b", "min"), high=("b", "max")).reset_index(),
        _aggregated,
    ),
    (
        "apply over groups",
        lambda frame: _heads(_two(frame)) if len(frame) else _two(frame),
        _first_of_groups,
    ),
]  # fmt: skip
OF_DAYS: Operation = (
    "resample",
    lambda frame: frame.set_index("t")[["b"]].resample("D").sum().rename(columns={"b": "v"}),
    _of_days,
)


def joins(other: Any, others: Rows) -> list[Operation]:
    """Joins with the other frame, whose rows these are, by `a`."""

    def inner(rows: Rows) -> Rows:
        pairs = [(row, each) for row in rows for each in others if each.values["a"] == row.values["a"]]
        return [_joined(*pair) for pair in sorted(pairs, key=lambda pair: pair[1].values["a"])]

    def right(rows: Rows) -> Rows:
        pairs: list[tuple[Row | None, Row]] = []
        for each in others:
            partners = [row for row in rows if row.values["a"] == each.values["a"]]
            pairs += [(row, each) for row in partners or (None,)]
        return [_joined(*pair) for pair in pairs]

    return [
        ("merge inner", lambda frame: _two(frame).merge(other, on="a", sort=True), inner),
        ("merge right", lambda frame: _two(frame).merge(other, on="a", how="right"), right),
    ]


def _joined(row: Row | None, other: Row) -> Row:
    here = [row] if row is not None else []
    return _row(
        a=(other.values["a"], here or [other], "a"),
        b=(row.values["b"] if row is not None else math.nan, here, "b"),
        w=(other.values["w"], [other], "w"),
    )
