"""Lineage against reality: tiny tables, one input path changed at a time, and what changes in the output.

An output path has changed when the bag of its values over all rows has. Whether the lineage lists it is asked of
`kit.claims`.

Rows and changes know types of ``headwater_plan`` alone, and so serve replays of other engines' plans. They are the
tests', because no part of the agent changes data.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from headwater_plan.types import ArrayType, AtomicType, DataType, MapType, StructType, children
from headwater_spark.tracing.result import PathSteps

Row = dict[str, Any]
NO_ROWS: Mapping[str, Sequence[Mapping[str, Any]]] = {}
WORDS = ("a", "b", "Bern", "k", "x", "Anna")
TEXTS = ('{"a": 1, "b": {"c": "x"}, "x": {"y": "q w"}}', '{"a": 2, "b": {"c": "z"}, "x": {"y": "r"}}')
DATES = ("1990-05-17", "2024-01-01", "2024-01-02")


def sample_rows(columns: StructType, count: int = 6) -> list[Row]:
    """Rows with few distinct values, so that joins match and groups have members."""
    return [
        {f.name: _sample(f.type, f.name, row + i) for i, f in enumerate(columns.fields)}
        for row in range(count)
    ]


def contents(
    tables: Mapping[str, StructType], own: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, list[Row]]:
    """The rows of each table: its own, or sample rows."""
    return {
        name: [dict(row) for row in own[name]] if name in own else sample_rows(columns)
        for name, columns in tables.items()
    }


def _sample(kind: DataType, name: str, seed: int) -> Any:
    match kind:
        case StructType(fields):
            return {f.name: _sample(f.type, f.name, seed + i) for i, f in enumerate(fields)}
        case ArrayType(element):
            return [_sample(element, name, seed + i) for i in range(2)]
        case MapType():
            return {"k": _sample(kind.value, name, seed), "e": _sample(kind.value, name, seed + 1)}
        case AtomicType("string") if name == "doc":
            return TEXTS[seed % 2]
        case AtomicType("string"):
            return WORDS[seed % len(WORDS)]
        case AtomicType("date"):
            return DATES[seed % len(DATES)]
        case AtomicType("double"):
            return 1.5 + seed % 3
        case _:
            return seed % 5


def leaves(kind: DataType, path: PathSteps = ()) -> Iterator[PathSteps]:
    """The paths to values that are not nested any further."""
    below = list(children(kind))
    if not below:
        yield path
    for step, part in below:
        yield from leaves(part, (*path, step))


def changed(value: Any, path: PathSteps) -> Any:
    """The value with everything under the path replaced by something else of its kind."""
    if value is None:
        return None
    if not path:
        return _other(value)
    step, *rest = path
    match value:
        case dict() if step in value:
            return {**value, step: changed(value[step], tuple(rest))}
        case dict() if step == "key":
            return {f"{k}2": v for k, v in value.items()}
        case dict() if step == "value":
            return {k: changed(v, tuple(rest)) for k, v in value.items()}
        case list():
            return [changed(v, tuple(rest)) for v in value]
        case _:
            return value


def _other(value: Any) -> Any:
    match value:
        case str() if value.startswith("{"):
            return TEXTS[1 - TEXTS.index(value)].replace("x", "v")
        case str() if value[:1].isdigit():
            return "1955-12-31"
        case str():
            return value + "~"
        case bool():
            return not value
        case int() | float():
            return value + 7
        case _:
            return value


def perturbations(
    tables: dict[str, StructType], every: bool, own: Mapping[str, Sequence[Mapping[str, Any]]] = NO_ROWS
) -> Iterator[tuple[str, PathSteps, dict[str, list[Row]]]]:
    """(table, path, content) with that path changed in all rows and, with ``every``, in one and to null as well.

    Tables hold sample rows unless they have rows of their ``own``.
    """
    base = contents(tables, own)
    for name, columns in tables.items():
        for path in leaves(columns):
            wholly = [changed(row, path) for row in base[name]]
            yield name, path, {**base, name: wholly}
            if every:
                yield name, path, {**base, name: [wholly[0], *base[name][1:]]}
                yield name, path, {**base, name: [nulled(row, path) for row in base[name]]}


def nulled(row: Any, path: PathSteps) -> Any:
    """The row with null at the path (a map's keys stay)."""
    result = copy.deepcopy(row)
    if path[-1] == "key":
        return result
    _null(result, path)
    return result


def _null(value: Any, path: PathSteps) -> None:
    step, *rest = path
    match value:
        case dict() if step in value and not rest:
            value[step] = None
        case dict() if step in value:
            _null(value[step], tuple(rest))
        case dict() if step == "value" and not rest:
            value.update(dict.fromkeys(value))
        case list() if not rest:
            value[:] = [None] * len(value)
        case list():
            for item in value:
                _null(item, tuple(rest))
        case _:
            pass


def observed(rows: list[Row], columns: StructType) -> dict[PathSteps, Counter[str]]:
    """The bag of values at every leaf of the output."""
    bags: dict[PathSteps, Counter[str]] = {path: Counter() for path in leaves(columns)}
    for row in rows:
        for path, bag in bags.items():
            bag.update(json.dumps(v) for v in _values(row, path))
    return bags


def _values(value: Any, path: PathSteps) -> Iterator[Any]:
    if not path or value is None:
        yield value
        return
    step, *rest = path
    match value:
        case dict() if step in value:
            yield from _values(value[step], tuple(rest))
        case dict() if step == "key":
            yield from value
        case dict() if step == "value":
            for item in value.values():
                yield from _values(item, tuple(rest))
        case list():
            for item in value:
                yield from _values(item, tuple(rest))
        case _:
            yield None
