"""Which objects of the program are tracked: by identity, for as long as the program has them.

Frames, series and arrays stay what they are. An object that goes takes its entry along; its dataset stays only as long
as another one was made of it.
"""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from headwater_pandas.views import place_of_view
from headwater_records.associations import SAME, taken
from headwater_records.columns import moved
from headwater_records.graph import Dataset, Input


class Held(NamedTuple):
    """The dataset behind an object.

    ``turned``: its one record is laid out along the object's index (``df.mean()``). ``shape`` is that of the frame
    behind an object that has none of its own, such as a grouped one.
    """

    dataset: Dataset
    turned: bool = False
    shape: Any = None


class _Entry(weakref.ref[Any]):
    """An object of the program with what is known of it, and the key that it has among others."""

    __slots__ = ("entries", "key", "known")
    entries: _Entries
    key: int
    known: Held


_Entries: TypeAlias = dict[int, _Entry]
_ENTRIES: _Entries = {}
_INDEXES: _Entries = {}
"""The first dataset that had an index, by the index: the program may keep it for longer than the frame."""

_NUMBERINGS: _Entries = {}
"""The same for indexes that only number the records."""


def hold(thing: Any, dataset: Dataset, *, turned: bool = False, shape: Any = None) -> None:
    """Track an object from now on, as this dataset."""
    known = Held(dataset, turned, shape)
    _enter(_ENTRIES, thing, known)
    if isinstance(thing, pd.DataFrame | pd.Series) and not turned:
        index = thing.index
        entries = _NUMBERINGS if isinstance(index, pd.RangeIndex) else _INDEXES
        if _entry(entries, index) is None:
            _enter(entries, index, known)


def _enter(entries: _Entries, thing: Any, known: Held) -> None:
    entry = _Entry(thing, _forget)
    entry.entries, entry.key, entry.known = entries, id(thing), known
    entries[entry.key] = entry


def _entry(entries: _Entries, thing: Any) -> Held | None:
    entry = entries.get(id(thing))
    return entry.known if entry is not None and entry() is thing else None


def held(thing: Any) -> Held | None:
    """What is known of the object; None if it is not tracked."""
    found = _entry(_ENTRIES, thing)
    if found is None and type(thing) is np.ndarray and type(thing.base) is np.ndarray:
        return _of_view(thing, thing.base)
    return found


def _of_view(view: Any, base: Any) -> Held | None:
    """What is known of a part of a tracked array that NumPy shows in its memory, such as `array[:, 1]`."""
    known = _entry(_ENTRIES, base)
    place = None if known is None or known.turned else place_of_view(view, base)
    if known is None or place is None:
        return None
    rows, columns = place
    stay = len(rows) == len(base) and bool((rows == np.arange(len(base))).all())
    taken_ = Input(known.dataset, SAME if stay else taken(rows, len(base)), moved(tuple(columns)))
    hold(view, Dataset("getitem", len(view), range(len(columns)), (taken_,)))
    return _entry(_ENTRIES, view)


def held_index(index: Any) -> Held | None:
    """What is known of the first frame or series that had this index; None if that was not tracked."""
    return _entry(_INDEXES, index)


def held_numbering(index: Any) -> Held | None:
    """What is known of the first frame or series that had this index, which only numbers its records."""
    return _entry(_NUMBERINGS, index)


def anything_held() -> bool:
    """Whether any object is tracked."""
    return bool(_ENTRIES)


def things() -> list[tuple[Any, Held]]:
    """All tracked objects that are still there."""
    alive = [(entry(), entry.known) for entry in list(_ENTRIES.values())]
    return [(thing, known) for thing, known in alive if thing is not None]


def forget_all() -> None:
    """Track nothing any more."""
    _ENTRIES.clear()
    _INDEXES.clear()
    _NUMBERINGS.clear()


def _forget(gone: Any) -> None:
    if gone.entries.get(gone.key) is gone:
        del gone.entries[gone.key]
