"""Rules for joins, and for what stands behind or beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas as pd

from headwater_pandas.call import Call
from headwater_pandas.given.values import program
from headwater_pandas.held import held
from headwater_pandas.inputs import aligned, by_label, known_of, made
from headwater_pandas.shape import Shape, is_data, shape_of
from headwater_records.associations import Appended, Association, Same, taken
from headwater_records.columns import AllColumns, ColumnMap, MadeColumns, MovedColumns, NoColumns, bits, moved
from headwater_records.graph import Dataset, Input
from headwater_records.lists import Numbers


class Joined(NamedTuple):
    """What pandas found when it joined: the record of each side for each of the result (None: as they are)."""

    left: Numbers | None
    right: Numbers | None
    left_columns: Any
    right_columns: Any
    left_keys: list[Any]
    right_keys: list[Any]
    how: str


def merge(call: Call) -> Dataset | None:
    """Both sides, by what pandas itself found; keys of an outer join are of whichever side has them."""
    if len(call.noted) != 1 or call.argument("fill_method") is not None:
        return None
    left, right = call.args[0] if call.args else call.argument("left"), _right(call)
    if not isinstance(left, pd.DataFrame) or not isinstance(right, pd.DataFrame | pd.Series):
        return None
    found, after = call.noted[0], call.after
    sides = _columns_of_sides(found, shape_of(left), shape_of(right), after, call)
    return made(
        call,
        _side(call, left, found.left, sides[0], found.left_keys),
        _side(call, right, found.right, sides[1], found.right_keys),
        *_keys_beside(call, found),
        constant=1 << (after.width - 1) if call.argument("indicator") else 0,
    )


def _keys_beside(call: Call, found: Joined) -> Iterator[Input]:
    """Keys that are series or arrays beside the frames: they are in columns of their own, or in their partners'."""
    for place, pair in enumerate(zip(found.left_keys, found.right_keys, strict=False)):
        names = {f"key_{place}", *(_name_of(each) for each in pair)} - {None}
        columns = [number for number, label in enumerate(call.after.columns) if label in names]
        for key, rows in zip(pair, (found.left, found.right), strict=True):
            if is_data(key):
                sources: Association = Same() if rows is None else taken(rows, len(key))
                pairs = tuple((number, 1) for number in columns)
                yield Input(known_of(key).dataset, sources, MadeColumns(pairs, NoColumns()), 1)


def _name_of(key: Any) -> Any:
    return getattr(key, "name", None) if is_data(key) else key


def _right(call: Call) -> Any:
    other = call.argument("right")
    return call.argument("other") if other is None else other


def _side(call: Call, thing: Any, found: Numbers | None, columns: ColumnMap, keys: list[Any]) -> Input:
    known = call.known.dataset if thing is call.subject else _dataset(thing)
    before = shape_of(thing)
    rows: Association = Same() if found is None else taken(found, before.rows)
    return Input(known, rows, columns, _keys(before, keys))


def _keys(shape: Shape, keys: list[Any]) -> int:
    """The columns that were joined by; the index where it was the key."""
    if any(isinstance(key, str) and key.startswith("_cross_") for key in keys):
        return 0
    labels = list(shape.columns)
    names = [key for key in keys if isinstance(key, str | int | tuple) and key in labels]
    if len(names) < len(keys) or not keys:
        return bits([*(labels.index(name) for name in names), *shape.level_numbers()])
    return bits(labels.index(name) for name in names)


def _columns_of_sides(
    found: Joined, left: Shape, right: Shape, after: Shape, call: Call
) -> tuple[ColumnMap, ColumnMap]:
    """The columns of the left side stand first, then those of the right; a key in common is one column."""
    lefts = _numbers(left, found.left_columns)
    rights = _numbers(right, found.right_columns)
    new = after.width - len(lefts) - len(rights)
    if call.argument("indicator"):
        new -= 1
    if new < 0:
        return _all(left, after), _all(right, after)
    one = [-1] * new + lefts + [-1] * (after.width - new - len(lefts))
    two = [-1] * (new + len(lefts)) + rights
    two += [-1] * (after.width - len(two))
    if new or found.how not in {"inner", "left"}:
        _common_keys(found, (left, right), one, two, new)
    return moved((*one, *_levels(left, after))), moved((*two, *_levels(right, after)))


def _levels(before: Shape, after: Shape) -> list[int]:
    """Levels by their place, where the index of the result was one of a side's."""
    if isinstance(after.index, pd.RangeIndex) or before.levels != after.levels:
        return [-1] * after.levels
    return before.level_numbers()


def _common_keys(found: Joined, sides: tuple[Shape, Shape], one: list[int], two: list[int], new: int) -> None:
    """A key that stands once, or that pandas fills from the other side, is made of both."""
    left, right = sides
    pairs = list(zip(found.left_keys, found.right_keys, strict=False))
    for first, second in pairs:
        lefts, rights = _numbers(left, [first]), _numbers(right, [second])
        for place in range(len(one)):
            if lefts and one[place] == lefts[0] and rights:
                two[place] = rights[0]
            elif rights and two[place] == rights[0] and lefts and one[place] < 0:
                one[place] = lefts[0]
    for place, (first, second) in enumerate(pairs[:new]):
        one[place] = (_numbers(left, [first]) or [_level(left, first)])[0]
        two[place] = (_numbers(right, [second]) or [_level(right, second)])[0]


def _level(shape: Shape, key: Any) -> int:
    """The level of the index that a key is that is no column; -1 for values beside the frame."""
    if is_data(key):
        return -1
    names = list(shape.index.names)
    return shape.width + (names.index(key) if isinstance(key, str) and key in names else 0)


def _numbers(shape: Shape, names: Any) -> list[int]:
    """The columns with these names, in order; a name that stands twice is taken in turn."""
    waiting: dict[Any, list[int]] = {}
    for number, label in enumerate(shape.columns):
        waiting.setdefault(label, []).append(number)
    found = []
    for name in names:
        try:
            there = waiting.get(name)
        except TypeError:
            continue
        if there:
            found.append(there.pop(0))
    return found


def _all(before: Shape, after: Shape) -> ColumnMap:
    return AllColumns(before.width + before.levels, after.width + after.levels)


def concat(call: Call) -> Dataset | None:
    """Frames behind each other, or beside each other by their labels."""
    given = call.argument("objs", call.args[0] if call.args else None)
    parts = [each for each in _parts(given) if each is not None]
    frames = [isinstance(each, pd.DataFrame) for each in parts]
    if call.argument("axis", 0) in {0, "index", "rows"}:
        return _behind(call, parts) if all(frames) or not any(frames) else None
    return _beside(call, parts)


def _parts(given: Any) -> Iterator[Any]:
    yield from given.values() if isinstance(given, dict) else given


def _behind(call: Call, parts: list[Any]) -> Dataset | None:
    after, start, inputs = call.after, 0, []
    for part in parts:
        before = shape_of(part)
        sources = [0] if isinstance(part, pd.Series) else by_label(before.columns, after.columns)
        if sources is None:
            return None
        new = after.levels - before.levels if _has_keys(call) else 0
        kept = not call.argument("ignore_index", False) and before.levels + new == after.levels
        levels = [*[-1] * new, *before.level_numbers()] if kept else [-1] * after.levels
        inputs.append(Input(_dataset(part), Appended(start, before.rows), moved((*sources, *levels))))
        start += before.rows
    return made(call, *inputs) if start == after.rows else None


def _has_keys(call: Call) -> bool:
    """Whether each part has a label of its own, which is a level of the result in front of its index."""
    return call.argument("keys") is not None or isinstance(call.argument("objs"), dict)


def _beside(call: Call, parts: list[Any]) -> Dataset | None:
    after, first, inputs = call.after, 0, []
    for part in parts:
        before = shape_of(part)
        rows = aligned(before.index, after.index)
        if rows is None:
            return None
        sources = [-1] * (after.width + after.levels)
        sources[first : first + before.width] = range(before.width)
        if before.levels == after.levels and not call.argument("ignore_index", False):
            sources[after.width :] = before.level_numbers()
        first += before.width
        inputs.append(Input(_dataset(part), rows, MovedColumns(tuple(sources))))
    return made(call, *inputs) if first == after.width else None


def _dataset(thing: Any) -> Dataset:
    known = held(thing)
    return known.dataset if known is not None and not known.turned else program(thing)
