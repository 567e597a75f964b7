"""Rules for what lays values of records out along columns, and columns out along records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pandas as pd

from headwater_pandas.call import Call
from headwater_pandas.inputs import by_label, made, names_may_be_values, own
from headwater_pandas.rules.applied import OF_THE_PROGRAM
from headwater_records.associations import Association, Grouped, Placed
from headwater_records.columns import MadeColumns, NoColumns, bits, moved
from headwater_records.graph import Dataset, Input
from headwater_records.lists import Numbers

MOST_PARTS: Final = 256
"""Columns of the result that each have records of their own; with more, each has those of all."""
_Rows = Callable[[Numbers, Numbers], Association]
"""The association of records of the input with records of the output."""


def pivot_table(call: Call) -> Dataset | None:
    """A figure for each pair of keys, of all records that have both."""
    function = call.argument("aggfunc", "mean")
    if call.argument("margins", False) or isinstance(function, list | dict):
        return None
    return _spread(call, lambda inputs, outputs: _members(call, inputs, outputs), function)


def pivot(call: Call) -> Dataset | None:
    """The value of the one record that has both keys."""
    return _spread(call, Placed, "pivot")


def _members(call: Call, inputs: Numbers, outputs: Numbers) -> Association:
    return Grouped.pairs(inputs, outputs, call.before.rows, call.after.rows)


def _spread(call: Call, rows_of: _Rows, function: Any) -> Dataset | None:
    frame = call.frame
    keys, spread = _listed(call.argument("index")), _listed(call.argument("columns"))
    labels = list(call.before.columns)
    if (
        not isinstance(frame, pd.DataFrame)
        or not isinstance(call.result, pd.DataFrame)
        or not keys
        or any(not _is_one(each, labels) for each in keys + spread)
    ):
        return None
    after = call.after
    rows = after.index.get_indexer(_keys_of(frame, keys))
    values = _values(call, labels, len(spread))
    if values is None or after.levels != len(keys) or not after.columns.is_unique:
        return None
    accessed = bits((*(labels.index(each) for each in keys + spread), *values))  # all missing: no record
    level = moved((*[-1] * after.width, *(labels.index(each) for each in keys)))
    present = np.flatnonzero(rows >= 0)
    inputs = [own(call, _members(call, present, rows[present]), level, accessed)]
    places = _places(call, frame, spread)
    inputs += _parts(call, rows, places, values, rows_of)
    inputs += _names(call, rows, places, bits(labels.index(each) for each in spread))
    named = function if isinstance(function, str) else getattr(function, "__name__", OF_THE_PROGRAM)
    return made(call, *inputs, functions=[named] * after.width)


def _is_one(key: Any, labels: list[Any]) -> bool:
    return isinstance(key, str | int | tuple) and labels.count(key) == 1


def _listed(given: Any) -> list[Any]:
    if given is None or given is pd.api.extensions.no_default:
        return []
    return list(given) if isinstance(given, list | np.ndarray | pd.Index) else [given]


def _keys_of(frame: Any, keys: list[Any]) -> Any:
    if len(keys) > 1:
        return pd.MultiIndex.from_frame(frame[keys])
    key = frame[keys[0]]
    return pd.Index(key.where(key.notna(), np.nan) if key.dtype == object else key)


def _values(call: Call, labels: list[Any], spread: int) -> list[int] | None:
    """The column that the values of each column of the result are of."""
    columns = call.after.columns
    if columns.nlevels == spread and call.argument("values") is not None:
        names = [call.argument("values")] * len(columns)
        names = [each[0] if isinstance(each, list) and len(each) == 1 else each for each in names]
    elif columns.nlevels == spread + 1:
        names = list(columns.get_level_values(0))
    else:
        return None
    return [labels.index(each) for each in names] if all(_is_one(each, labels) for each in names) else None


def _places(call: Call, frame: Any, spread: list[Any]) -> list[Numbers | None]:
    """The records of the input that each column of the result is made of; None: of all."""
    columns = call.after.columns
    if not spread or len(columns) > MOST_PARTS:
        return [None] * len(columns)
    first = columns.nlevels - len(spread)
    wanted = columns.droplevel(list(range(first))) if first else columns
    unique = wanted.unique()
    codes, asked = unique.get_indexer(_keys_of(frame, spread)), unique.get_indexer(wanted)
    return [np.flatnonzero(codes == each) if each >= 0 else None for each in asked]


def _names(call: Call, rows: Numbers, places: list[Numbers | None], spread: int) -> Iterator[Input]:
    """The keys that columns of the result are named after: their values are there to be read.

    A name is that of its record; where a column has none in a row, it is that of the first record of the column.
    """
    for numbers, here in _alike(rows, places) if spread else ():
        if not len(here):
            continue
        columns = MadeColumns(tuple((number, spread) for number in numbers), NoColumns())
        empty = np.setdiff1d(np.arange(call.after.rows), rows[here])
        inputs = np.concatenate((here, np.full(len(empty), here[0])))
        yield own(call, Placed(inputs, np.concatenate((rows[here], empty))), columns)


def _alike(rows: Numbers, places: list[Numbers | None]) -> Iterator[tuple[list[int], Numbers]]:
    """The columns of the result that have the same records of the input, and these."""
    same: dict[bytes | None, list[int]] = {}
    for number, place in enumerate(places):
        same.setdefault(None if place is None else place.tobytes(), []).append(number)
    for numbers in same.values():
        place = places[numbers[0]]
        here = np.arange(len(rows)) if place is None else place
        yield numbers, here[rows[here] >= 0]


def _parts(
    call: Call, rows: Numbers, places: list[Numbers | None], values: list[int], rows_of: _Rows
) -> Iterator[Input]:
    """An input for all columns of the result that have the same records."""
    for numbers, here in _alike(rows, places):
        sources = [-1] * (call.after.width + call.after.levels)
        for number in numbers:
            sources[number] = values[number]
        apart = places[numbers[0]] is not None
        found = rows_of(here, rows[here]) if apart else _members(call, here, rows[here])
        yield own(call, found, moved(tuple(sources)))


def stack(call: Call) -> Dataset | None:
    """A record for each value: its column's name is the last level of the index."""
    before, after = call.before, call.after
    one_level = getattr(before.columns, "nlevels", 1) == 1 and isinstance(call.result, pd.Series)
    if not one_level or before.width > MOST_PARTS or after.levels != before.levels + 1:
        return None
    if not before.index.is_unique or not before.columns.is_unique:
        return None
    rows = before.index.get_indexer(after.index.droplevel(-1))
    columns = before.columns.get_indexer(after.index.get_level_values(-1))
    if len(rows) and (int(rows.min()) < 0 or int(columns.min()) < 0):
        return None
    levels = [*before.level_numbers(), -1]
    inputs = [own(call, Placed(rows, np.arange(after.rows)), moved((-1, *levels)))]
    names = names_may_be_values(call.dataset)
    for number in range(before.width):
        here = np.flatnonzero(columns == number)
        taken_from = moved((number, *[-1] * (after.levels - 1), number if names else -1))
        inputs.append(own(call, Placed(rows[here], here), taken_from, 1 << number))  # missing: no record
    return made(call, *inputs, constant=0 if names else 1 << (after.width + after.levels - 1))


def unstack(call: Call) -> Dataset | None:
    """A column for each label of a level of the index."""
    before, after = call.before, call.after
    level = call.argument("level", -1)
    if before.levels < 2 or isinstance(level, list | tuple) or after.width > MOST_PARTS:
        return None
    if after.levels != before.levels - 1 or not isinstance(call.result, pd.DataFrame):
        return None
    place = before.index._get_level_number(level)
    rows = after.index.get_indexer(before.index.droplevel(place))
    labels = before.index.get_level_values(place)
    flat = isinstance(call.subject, pd.Series)
    wanted = after.columns if flat else after.columns.get_level_values(-1)
    sources = [0] * after.width if flat else by_label(before.columns, after.columns.droplevel(-1))
    if sources is None or -1 in sources or wanted.nlevels > 1 or (len(rows) and int(rows.min()) < 0):
        return None
    unique = wanted.unique()
    codes, asked = unique.get_indexer(labels), unique.get_indexer(wanted)
    left = [number for number in before.level_numbers() if number != before.width + place]
    everything = _members(call, np.arange(before.rows), rows)
    inputs = [own(call, everything, moved((*[-1] * after.width, *left)), bits(before.level_numbers()))]
    places: list[Numbers | None] = [np.flatnonzero(codes == each) for each in asked]
    inputs += _parts(call, rows, places, sources, Placed)
    inputs += _names(call, rows, places, 1 << (before.width + place))
    return made(call, *inputs)


def transposed(call: Call) -> Dataset | None:
    """Records become columns: for few values, each is made of the one."""
    before, after = call.before, call.after
    if before.rows * before.width > MOST_PARTS or call.known.turned or before.width != after.rows:
        return None
    labels = 0 if call.before.numbered else bits(before.level_numbers())
    names = names_may_be_values(call.dataset)
    levels = after.level_numbers()
    inputs = [
        own(
            call,
            Placed(np.array([row]), np.array([column])),
            MadeColumns(
                ((row, 1 << column | labels), *((each, 1 << column if names else 0) for each in levels)),
                NoColumns(),
            ),
        )
        for row in range(before.rows)
        for column in range(before.width)
    ]
    return made(call, *inputs, constant=0 if names else bits(levels)) if inputs else None
