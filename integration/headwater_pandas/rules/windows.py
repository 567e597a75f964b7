"""Rules for what makes a value of records before or behind it: fills, running figures, windows, and bins of time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.core.window.ewm import ExponentialMovingWindow
from pandas.core.window.expanding import Expanding

from headwater_pandas.call import Call
from headwater_pandas.inputs import by_label, made, numbers_of, own, picked, same_index
from headwater_pandas.rules.applied import besides
from headwater_pandas.rules.groups import arguments, functions
from headwater_records.associations import Association, Grouped, UpTo, spans
from headwater_records.columns import MadeColumns, NoColumns, bits, moved
from headwater_records.graph import Dataset, Input
from headwater_records.lists import Numbers

_PAIRS = frozenset({"corr", "cov"})
_BACK = frozenset({"bfill", "backfill"})


def filled_along(call: Call) -> Dataset | None:
    """`ffill` and `bfill`: a missing value is the last one before it, or the next; those in between were looked at."""
    before = call.before
    if not _stays(call) or _across(call) or call.argument("limit_area") is not None:
        return None
    frame = call.frame.to_frame() if isinstance(call.frame, pd.Series) else call.frame
    absent = [number for number in range(before.width) if frame.iloc[:, number].isna().to_numpy().any()]
    kept = [-1 if number in absent else number for number in range(before.width)]
    inputs = [own(call, columns=moved((*kept, *before.level_numbers())))]
    for number in absent:
        found = _last(frame.iloc[:, number].isna().to_numpy(), call.name in _BACK, call.argument("limit"))
        columns = moved(
            tuple(number if each == number else -1 for each in range(before.width + before.levels))
        )
        places = np.where(found < 0, np.arange(before.rows), found)
        inputs.append(own(call, picked(call, places), columns))
        looked = _looked(found, call.name in _BACK)
        inputs.append(Input(call.dataset, looked, NoColumns(), 1 << number, 1 << number))
    return made(call, *inputs)


def _last(missing: Any, back: bool, limit: int | None) -> Numbers:
    """The record whose value each has in the end; -1 where it has none."""
    count = len(missing)
    here = np.arange(count)
    if back:
        reverse = _last(missing[::-1], back=False, limit=limit)[::-1]
        return np.where(reverse < 0, -1, count - 1 - reverse)
    found = np.maximum.accumulate(np.where(missing, -1, here)) if count else here
    return found if limit is None else np.where(here - found > limit, -1, found)


def _looked(found: Numbers, back: bool) -> Association:
    """The records from the one that has the value to the own."""
    here = np.arange(len(found))
    if back:
        last = np.where(found < 0, len(found) - 1, found)
        return spans(here, last + 1, len(found))
    return spans(np.where(found < 0, 0, found), here + 1, len(found))


def running(call: Call) -> Dataset | None:
    """`cumsum` and its relatives: each value is made of its column's up to its place, or of those at its left."""
    if not _stays(call):
        return None
    before = call.before
    if _across(call):
        pairs = tuple((number, (1 << (number + 1)) - 1) for number in range(before.width))
        levels = moved((*[-1] * before.width, *before.level_numbers()))
        return made(call, own(call, columns=MadeColumns(pairs, levels)))
    columns = moved((*range(before.width), *[-1] * before.levels))
    return made(call, _index(call), own(call, UpTo(before.rows), columns))


def _index(call: Call) -> Input:
    return own(call, columns=moved((*[-1] * call.after.width, *call.before.level_numbers())))


def _stays(call: Call) -> bool:
    before, after = call.before, call.after
    return before.rows == after.rows and before.width == after.width and before.levels == after.levels


def _across(call: Call) -> bool:
    return call.argument("axis", 0) in {1, "columns"}


def windowed(call: Call) -> Dataset | None:
    """A figure for each record, of those in its window (`rolling`), or of all up to it (`expanding`, `ewm`)."""
    window, before, after = call.subject, call.before, call.after
    if _of_groups(window) or call.name in _PAIRS or getattr(window, "method", "") == "table":
        return None
    found = _sources(call)
    if found is None or not same_index(before.index, after.index):
        return None
    rows = _window(window, before.rows)
    on = getattr(window, "on", None)
    accessed = _keys(call, on) if not isinstance(getattr(window, "window", 0), int) else 0
    stays = [number if isinstance(on, str) and before.columns[number] == on else -1 for number in found]
    moving = [-1 if kept >= 0 else number for kept, number in zip(stays, found, strict=True)]
    whole = own(call, rows, moved((*moving, *[-1] * after.levels)), accessed)
    return made(
        call, own(call, columns=moved((*stays, *before.level_numbers()))), whole, *besides(call, rows)
    )


def _of_groups(window: Any) -> bool:
    """Whether windows are within groups, whose records pandas sorts."""
    return getattr(window, "_grouper", None) is not None


def _window(window: Any, count: int) -> Association:
    """The records of each window, by pandas' own bounds."""
    if isinstance(window, Expanding | ExponentialMovingWindow):
        return UpTo(count)
    starts, ends = window._get_window_indexer().get_window_bounds(
        num_values=count,
        min_periods=window.min_periods,
        center=window.center,
        closed=window.closed,
        step=window.step,
    )
    return spans(np.asarray(starts), np.asarray(ends), count)


def _keys(call: Call, on: Any) -> int:
    return numbers_of(call.before, on) if isinstance(on, str) else bits(call.before.level_numbers())


def _sources(call: Call) -> list[int] | None:
    """The column that each column of the result was computed of."""
    labels = list(call.before.columns)
    names = [
        each[0] if isinstance(each, tuple) and each not in labels else each for each in call.after.columns
    ]
    found = [0] if isinstance(call.result, pd.Series) and len(labels) == 1 else by_label(labels, names)
    return None if found is None or -1 in found else found


def resampled(call: Call) -> Dataset | None:
    """One record for each bin of time, of all records in it; the time decides."""
    resampler, before, after = call.subject, call.before, call.after
    ends = np.asarray(getattr(getattr(resampler, "_grouper", None), "bins", ()))
    if len(ends) != after.rows or not len(ends) or ends[-1] != before.rows:
        return None
    found = arguments(call)
    if found is None or resampler.ax.hasnans or after.levels != 1:
        return None
    codes = np.repeat(np.arange(len(ends)), np.diff(np.concatenate(([0], ends))))
    key = resampler._timegrouper.key
    level = before.width if key is None else [*before.columns].index(key)
    rows = Grouped.by(codes, len(ends))
    whole = own(call, rows, moved((*found, level)), _keys(call, key))
    return made(call, whole, *besides(call, rows, _keys(call, key)), functions=functions(call))
