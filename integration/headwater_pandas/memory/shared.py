"""What the program can change unobserved: memory of arrays that it got, and lists in cells that it got."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from headwater_pandas.memory.fingerprints import may_change_inside
from headwater_pandas.memory.kept import Kept, kept_in, owners, size_of

MOST_READ: Final = 4 << 30
"""How many bytes of one array are read to see whether it changed; it counts as changed from then on."""


class _Owner(weakref.ref[Any]):
    """An array that the program can change, and how many bytes of it were read."""

    __slots__ = ("key", "read")
    key: int
    read: int


class _Cells:
    """Whether the program has got objects out of cells that it can change there."""

    handed = False


class _Moment(threading.local):
    """The observed call that runs; 0 while the program itself runs, which may change anything."""

    number = 0


_OWNERS: dict[int, _Owner] = {}
_CELLS = _Cells()
_MOMENT = _Moment()
_NUMBERS = itertools.count(1)


def moment() -> int:
    """A number of the observed call that runs, within which the program changes nothing; 0 if none runs."""
    return _MOMENT.number


def program_runs() -> None:
    """The program itself runs from now on."""
    _MOMENT.number = 0


def call_runs() -> None:
    """An observed call runs from now on."""
    _MOMENT.number = next(_NUMBERS)


def anything() -> bool:
    """Whether the program can change anything."""
    return bool(_OWNERS) or _CELLS.handed


def add(thing: Any) -> bool:
    """Note that the program can change what has its values where the object has them; whether that is new."""
    new = [each for each in owners_of([thing]) if _known(each) is None and _is_writeable(each)]
    for owner in new:
        entry = _Owner(owner, _forget)
        entry.key, entry.read = id(owner), 0
        _OWNERS[entry.key] = entry
    return bool(new)


def keys_of(kept: Iterable[Kept]) -> list[int]:
    """What the program is noted to have of these arrays."""
    return [each.key for part in kept for each in map(_known, owners(part.values)) if each is not None]


def remove(keys: Iterable[int]) -> None:
    """Note that nobody but tracked objects has this memory any more."""
    for key in keys:
        _OWNERS.pop(key, None)


def add_cells(thing: Any, among: int | None) -> bool:
    """Note that the program got what is in the cells of an object; whether it can change that, and this is new.

    That is found out among the first records where they are that many.
    """
    if _CELLS.handed or not any(may_change_inside(each.values, among) for each in kept_in(thing)):
        return False
    _CELLS.handed = True
    return True


def any_cells(kept: Iterable[Kept]) -> bool:
    """Whether the program can change what is in the cells of an array."""
    return _CELLS.handed and any(may_change_inside(each.values) for each in kept)


def owners_of(things: Sequence[Any]) -> list[Any]:
    """The objects whose memory these have their values in."""
    return [owner for thing in things for each in kept_in(thing) for owner in owners(each.values)]


def changeable(thing: Any) -> list[Kept]:
    """The arrays of an object that the program can change, or whose cells."""
    return [each for each in kept_in(thing) if _can_change(each.values)]


def is_read_too_often(kept: Iterable[Kept]) -> bool:
    """Count how much is read of what the program can change, and say whether that is enough."""
    found = False
    for each in kept:
        for owner in filter(None, map(_known, owners(each.values))):
            found = found or owner.read > MOST_READ
            owner.read += size_of(each.values)
    return found


def forget_all() -> None:
    """The program can change nothing that matters."""
    _OWNERS.clear()
    _CELLS.handed = False


def _can_change(values: Any) -> bool:
    return any(map(_known, owners(values))) or (_CELLS.handed and may_change_inside(values))


def _known(owner: Any) -> _Owner | None:
    found = _OWNERS.get(id(owner))
    return found if found is not None and found() is owner else None


def _is_writeable(owner: Any) -> bool:
    """Whether the program can change it, or can make it so."""
    return not isinstance(owner, np.ndarray) or bool(owner.flags.writeable or owner.flags.owndata)


def _forget(gone: Any) -> None:
    key = gone.key
    if _OWNERS.get(key) is gone:
        del _OWNERS[key]
