"""Rows for ``TYPED``, and each of its paths changed: in all rows, in one row, and to null."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from typing import Any

from headwater_plan.types import StructType
from headwater_spark.tracing.result import PathSteps
from kit.perturbation import Row, changed, leaves, nulled


def _point(x: float) -> str:
    """A point in well-known binary, as JSON has bytes."""
    from struct import pack

    return base64.b64encode(pack("<BIdd", 1, 1, x, 2.0)).decode()


def _bytes(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


VALUES: dict[str, tuple[list[Any], list[Any]]] = {
    "an_int": ([1, 2, 3, 4, 5, 6], [2, 3, 5, 1, 7, 4]),
    "a_long": ([3, 1, 4, 2, 6, 5], [7, 9, 8, 1, 2, 3]),
    "a_double": ([0.1, 0.25, 0.5, 0.4, 0.3, 0.7], [0.9, 0.8, 0.6, 0.2, 0.15, 0.35]),
    "a_decimal": ([10.25, 3.55, 7.05, 1.15, 2.45, 9.95], [4.75, 8.35, 1.95, 6.25, 5.55, 2.85]),
    "a_text": (["Anna", "Bern", "k", "nnn", "10", "e"], ["Hanna", "Berne", "q", "mnn", "12", "k"]),
    "b_text": (["nn", "Bern", "e", "n", "k", "r"], ["A", "er", "k", "nn", "1", "e"]),
    "a_flag": ([True, False, True, False, True, True], [False, True, True, False, False, False]),
    "some_bytes": (
        [_bytes(t) for t in ("a", "b", "Bern", "k", "x", "Anna")],
        [_bytes(t * 2) for t in "cdefgh"],
    ),
    "a_date": ([f"2024-0{i}-15" for i in range(1, 7)], [f"2021-1{i % 3}-0{i}" for i in range(1, 7)]),
    "a_stamp": (
        [f"2024-0{i}-15T10:2{i}:30.123456" for i in range(1, 7)],
        [f"2021-1{i % 3}-0{i}T1{i}:4{i}:5{i}.654321" for i in range(1, 7)],
    ),
    "a_doc": (
        [f'{{"a": {i}, "b": "x{i}", "c": [1]}}' for i in range(6)],
        [f'{{"a": {i + 7}, "b": null, "c": [1, 2], "e": 1.5}}' for i in range(6)],
    ),
    "digits": (
        ["12", "345", "7992739871", "0", "79927398713", "18"],
        ["21", "5", "79927398713", "9", "77", "4"],
    ),
    "a_day": ([f"2024-0{i}-20" for i in range(1, 7)], [f"2023-0{i}-11" for i in range(1, 7)]),
    "a_time": ([f"10:2{i}:30" for i in range(6)], [f"1{i}:01:5{i}" for i in range(6)]),
    "a_zone": (["Europe/Rome", "Asia/Tokyo"] * 3, ["America/Lima", "Asia/Kolkata"] * 3),
    "a_url": (
        [f"http://h{i}.org/p?a={i}&b=%20" for i in range(6)],
        [f"http://g{i}.org/q?c={i}&d=%21" for i in range(6)],
    ),
    "a_xml": (
        [f"<p><a>{i}</a></p>" for i in range(1, 7)],
        [f"<p><a>{i}</a></p>" for i in (9, 8, 7, 1, 2, 3)],
    ),
    "a_unit": (["year", "month"] * 3, ["month", "quarter"] * 3),
    "a_point": ([_point(float(i)) for i in range(6)], [_point(float(i + 7)) for i in range(6)]),
}
"""The values of six rows, and other ones."""

NESTED: dict[str, Callable[[int], Any]] = {
    "ints": lambda i: [i + 2, i, i % 2],
    "more_ints": lambda i: [i, i + 1, 9],
    "texts": lambda i: ["Anna", f"t{i}", "k"],
    "pairs": lambda i: {"k": i, "e": i + 1},
    "a_pair": lambda i: {"x": i, "y": f"y{i}"},
    "items": lambda i: [{"k": f"k{i}", "v": i}, {"k": "z", "v": i + 1}],
    "floats": lambda i: [i + 0.5, 2.0 - i],
}

ROWS = [
    {"id": i % 2, **{n: v[i] for n, (v, _) in VALUES.items()}, **{n: make(i) for n, make in NESTED.items()}}
    for i in range(6)
]


def variants(columns: StructType) -> Iterator[tuple[PathSteps, list[Row]]]:
    """(path, rows with it changed) for each path but that of ``id``, which tells rows apart."""
    for path in leaves(columns):
        if path == ("id",):
            continue
        wholly = [_other(row, i, path) for i, row in enumerate(ROWS)]
        yield path, wholly
        yield path, [wholly[0], *ROWS[1:]]
        yield path, [nulled(row, path) for row in ROWS]


def _other(row: Row, i: int, path: PathSteps) -> Row:
    if path[0] in VALUES:
        return {**row, path[0]: VALUES[path[0]][1][i]}
    return dict(changed(row, path))
