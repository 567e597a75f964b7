"""The arrays that frames, series and arrays keep their values in, whose memory they are in, and who has them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from pandas.core.groupby.groupby import BaseGroupBy
from pandas.core.window.rolling import BaseWindow

_PARTS: Final = ("_ndarray", "_data", "_mask", "_left", "_right", "_sparse_values", "_codes")
"""Where arrays of pandas have those that they are made of."""


class Kept(NamedTuple):
    """An array that an object keeps the values of some of its columns in; ``by_row`` says that each is a row of it."""

    columns: list[int]
    values: Any
    by_row: bool = False


def kept_in(thing: Any) -> list[Kept]:
    """The arrays that an object keeps its values in; the index of a frame or series is a column behind the others."""
    if isinstance(thing, pd.DataFrame):
        return [*columns_in(thing), *_of_index(thing.index, thing.shape[1])]
    if isinstance(thing, pd.Series):
        return [*columns_in(thing), *_of_index(thing.index, 1)]
    if isinstance(thing, pd.Index):
        return _of_index(thing, 0)
    return kept_in(thing.obj) if isinstance(thing, BaseGroupBy | BaseWindow) else columns_in(thing)


def columns_in(thing: Any) -> list[Kept]:
    """The same without an index."""
    if isinstance(thing, pd.DataFrame):
        return [
            Kept(block.mgr_locs.as_array.tolist(), block.values, by_row=block.values.ndim == 2)
            for block in _blocks(thing)
        ]
    if isinstance(thing, pd.Series):
        return [Kept([0], block.values) for block in _blocks(thing)]
    if isinstance(thing, np.ndarray):
        return [Kept(list(range(thing.shape[1] if thing.ndim == 2 else 1)), thing)]
    return [Kept([0], thing)] if isinstance(thing, pd.api.extensions.ExtensionArray) else []


def _of_index(index: Any, place: int) -> list[Kept]:
    plain = not isinstance(index, pd.RangeIndex | pd.MultiIndex)
    return [Kept([place], index._data)] if plain else []


def size_of(values: Any) -> int:
    """How many bytes an array takes; 0 of one whose library does not tell."""
    try:
        return int(values.nbytes)
    except NotImplementedError:
        return 0


def owners(values: Any) -> Iterator[Any]:
    """The objects whose memory an array shows: what shares one of them may change with it."""
    if isinstance(values, np.ndarray):
        while isinstance(values.base, np.ndarray):
            values = values.base
        yield values
    elif hasattr(values, "_pa_array"):  # Arrow's memory stays, and the array gets other memory
        yield values
    else:
        parts = parts_of(values)
        yield from (owner for each in parts for owner in owners(each)) if parts else (values,)


def parts_of(values: Any) -> list[Any]:
    """The arrays that an array of pandas is made of."""
    return [part for name in _PARTS if (part := getattr(values, name, None)) is not None]


def others_have(arrays: list[int], tracked: Iterable[Any]) -> bool:
    """Whether anybody but these objects of pandas has one of the arrays (by identity), or shows its memory.

    Everybody who has an array is counted in it as a reference: those of the tracked objects are subtracted.
    """
    known, holders = _holders(tracked)
    waiting = list(arrays)
    while waiting:
        key = waiting.pop()
        if key not in known or sys.getrefcount(known[key]) - 2 > holders[key]:  # the table, and the call
            return True
        waiting += [] if known[key].base is None else [id(known[key].base)]
    return False


def _holders(tracked: Iterable[Any]) -> tuple[dict[int, Any], Counter[int]]:
    """The arrays of NumPy behind objects of pandas, and how many of these, and of other arrays, have each."""
    known: dict[int, Any] = {}
    holders: Counter[int] = Counter()
    waiting = [
        keeper.values for keeper in {id(each): each for thing in tracked for each in _blocks(thing)}.values()
    ]
    while waiting:
        array = waiting.pop()
        holders[id(array)] += 1
        if isinstance(array, np.ndarray) and id(array) not in known:
            known[id(array)] = array
            waiting += [] if array.base is None else [array.base]
    return known, holders


def _blocks(thing: Any) -> Any:
    return getattr(thing._mgr, "blocks", ()) if isinstance(thing, pd.DataFrame | pd.Series) else ()
