"""Which objects of the program are tracked: by identity, for as long as the program has them.

Frames, series and arrays stay what they are. An object that goes takes its entry along; its dataset stays only as long
as another one was made of it.
"""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

from headwater_records.graph import Dataset


class Held(NamedTuple):
    """The dataset behind an object.

    ``turned``: its one record is laid out along the object's index (``df.mean()``). ``shape`` is that of the frame
    behind an object that has none of its own, such as a grouped one.
    """

    dataset: Dataset
    turned: bool = False
    shape: Any = None


_ENTRIES: dict[int, tuple[weakref.ref[Any], Held]] = {}


def hold(thing: Any, dataset: Dataset, *, turned: bool = False, shape: Any = None) -> None:
    """Track an object from now on, as this dataset."""
    key = id(thing)
    _ENTRIES[key] = (weakref.ref(thing, lambda gone: _forget(key, gone)), Held(dataset, turned, shape))


def held(thing: Any) -> Held | None:
    """What is known of the object; None if it is not tracked."""
    entry = _ENTRIES.get(id(thing))
    return entry[1] if entry is not None and entry[0]() is thing else None


def anything_held() -> bool:
    """Whether any object is tracked."""
    return bool(_ENTRIES)


def things() -> list[tuple[Any, Held]]:
    """All tracked objects that are still there."""
    alive = [(reference(), known) for reference, known in list(_ENTRIES.values())]
    return [(thing, known) for thing, known in alive if thing is not None]


def forget_all() -> None:
    """Track nothing any more."""
    _ENTRIES.clear()


def _forget(key: int, gone: weakref.ref[Any]) -> None:
    entry = _ENTRIES.get(key)
    if entry is not None and entry[0] is gone:
        del _ENTRIES[key]
