"""Which objects of the program are tracked: by identity, for as long as the program has them.

Frames, series and arrays stay what they are. An object that goes takes its entry along; its dataset stays only as long
as another one was made of it.

An array that the program got may be changed by it, and what has its values in the same memory with it. These objects
are watched: whoever asks for one compares what is in its memory with what was there.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from headwater_pandas.memory import shared
from headwater_pandas.memory.changed import changed, laid_out_anew, regrouped
from headwater_pandas.memory.fingerprints import fingerprints
from headwater_pandas.memory.kept import Kept, columns_in, kept_in, others_have, size_of
from headwater_pandas.memory.views import place_of_view
from headwater_records.associations import SAME, taken
from headwater_records.columns import moved
from headwater_records.graph import Dataset, Input

WORTH_A_COUNT: Final = 1 << 18
"""From how many bytes on it is found out whether the program still has an array, so that they are read no more."""
LOOKED_AT: Final = 1000
"""Among how many records it is found out that a frame was made with lists and the like, which the program may have."""


class Held(NamedTuple):
    """The dataset behind an object.

    ``turned``: its one record is laid out along the object's index (``df.mean()``). ``shape`` is that of the frame
    behind an object that has none of its own, such as a grouped one, and ``behind`` what that frame was then.
    """

    dataset: Dataset
    turned: bool = False
    shape: Any = None
    behind: Dataset | None = None


class _Entry(weakref.ref[Any]):
    """An object of the program with what is known of it, and the key that it has among others.

    ``seen`` are the fingerprints of its columns that the program can change, as of the ``moment``; None if it cannot.
    """

    __slots__ = ("entries", "key", "known", "moment", "seen")
    entries: _Entries
    key: int
    known: Held
    seen: dict[int, int] | None
    moment: int


_Entries: TypeAlias = dict[int, _Entry]
_ENTRIES: _Entries = {}
_INDEXES: _Entries = {}
"""The first dataset that had an index, by the index: the program may keep it for longer than the frame."""

_NUMBERINGS: _Entries = {}
"""The same for indexes that only number the records."""


def hold(thing: Any, dataset: Dataset, *, turned: bool = False, shape: Any = None) -> None:
    """Track an object from now on, as this dataset."""
    inside = _entry(_ENTRIES, thing.obj) if shape is not None else None
    known = Held(dataset, turned, shape, inside.dataset if inside is not None else None)
    _enter(_ENTRIES, thing, known)
    if isinstance(thing, pd.DataFrame | pd.Series) and not turned:
        index = thing.index
        entries = _NUMBERINGS if isinstance(index, pd.RangeIndex) else _INDEXES
        if _entry(entries, index) is None:
            _enter(entries, index, known)


def _enter(entries: _Entries, thing: Any, known: Held) -> None:
    entry = _Entry(thing, _forget)
    entry.entries, entry.key, entry.known, entry.seen = entries, id(thing), known, None
    entries[entry.key] = entry
    if isinstance(thing, np.ndarray | pd.api.extensions.ExtensionArray):
        share(thing)
    elif shared.anything() and not isinstance(thing, pd.RangeIndex):
        _watch(entry, thing)


def _entry(entries: _Entries, thing: Any) -> Held | None:
    entry = entries.get(id(thing))
    if entry is None or entry() is not thing:
        return None
    if entry.seen is not None and (entry.moment != shared.moment() or not entry.moment):
        _compare(entry, thing)
    return entry.known


def share(thing: Any) -> None:
    """Watch the object, and all that has its values in the same memory: the program can change them unobserved."""
    if shared.add(thing):
        _watch_all()
    elif (entry := _ENTRIES.get(id(thing))) is not None:
        _watch(entry, thing)


def share_what_others_have(thing: Any) -> None:
    """Watch an object of which the program has more than the object, such as the array that it was made of."""
    if _others_have([id(each.values) for each in columns_in(thing)]):
        share(thing)
    share_cells(thing, among=LOOKED_AT)


def share_cells(thing: Any, *, among: int | None = None) -> None:
    """The program gets what is in the object's cells: watch all that has lists and the like, which it can change."""
    if shared.add_cells(thing, among):
        _watch_all()


@contextmanager
def changing(things: Sequence[Any], *, themselves: bool) -> Iterator[None]:
    """A call may change the memory of these objects: what else is there, or they themselves, is compared behind it."""
    owners = set(map(id, shared.owners_of(things)))
    given = set(map(id, things))
    concerned = [
        (entry, other, entry.seen is None)
        for entry, other in _objects()
        if (themselves or entry.key not in given)
        and not owners.isdisjoint(map(id, shared.owners_of([other])))
    ]
    for entry, other, is_new in concerned:
        if is_new:
            _look(entry, other, kept_in(other))
        else:
            _entry(entry.entries, other)
    try:
        yield
    finally:
        for entry, other, is_new in concerned:
            if entry.entries.get(entry.key) is entry:
                _compare(entry, other)
                if is_new:
                    entry.seen = None
                    _watch(entry, other)


def _objects() -> list[tuple[_Entry, Any]]:
    """All objects that may be watched."""
    every = [(entry, entry()) for entries in (_ENTRIES, _INDEXES) for entry in list(entries.values())]
    return [(entry, thing) for entry, thing in every if thing is not None]


def _watch_all() -> None:
    """Watch what the program can change of all objects, more than before."""
    for entry, thing in _objects():
        if entry.seen is not None:
            _compare(entry, thing)
        _watch(entry, thing)


def _watch(entry: _Entry, thing: Any) -> None:
    """Watch the columns that the program can change."""
    if kept := shared.changeable(thing):
        _look(entry, thing, kept)


def _look(entry: _Entry, thing: Any, kept: list[Kept]) -> None:
    """Take fingerprints of columns; without them they count as changed."""
    entry.seen, entry.moment = _fingerprints(kept), shared.moment()
    if entry.seen is None:
        _has_changed(entry, thing, {number for each in kept for number in each.columns})


def _compare(entry: _Entry, thing: Any) -> None:
    """See which columns were changed since the object was looked at."""
    seen = entry.seen or {}
    kept = [each for each in kept_in(thing) if not seen.keys().isdisjoint(each.columns)]
    now = _fingerprints(kept)
    entry.seen, entry.moment = (
        now and {number: now[number] for number in seen if number in now},
        shared.moment(),
    )
    different = {number for number, print_ in seen.items() if now is None or now.get(number) != print_}
    if different:
        _has_changed(entry, thing, different)
    if sum(size_of(each.values) for each in kept) > WORTH_A_COUNT and not shared.any_cells(kept):
        arrays, owners = [id(each.values) for each in kept], shared.keys_of(kept)
        del kept
        if not _others_have(arrays):
            entry.seen = None
            shared.remove(owners)


def _fingerprints(kept: list[Kept]) -> dict[int, int] | None:
    """The fingerprints; None where they cannot be had, or would be too many: all may have changed then."""
    if shared.is_read_too_often(kept):
        return None
    try:
        return fingerprints(kept)
    except Exception:  # noqa: BLE001 - an object of the program, or one of another library, which is not concerned
        return None


def _others_have(arrays: list[int]) -> bool:
    return others_have(arrays, [thing for _, thing in _objects()])


def _has_changed(entry: _Entry, thing: Any, columns: Iterable[int]) -> None:
    known, before = entry.known, entry.known.dataset
    if known.shape is not None or isinstance(thing, pd.Index):
        dataset = changed(before, range(len(before.columns)))
    elif isinstance(thing, pd.DataFrame | pd.Series) and not known.turned:
        dataset = changed(before, columns)
    else:
        dataset = laid_out_anew(before, len(thing), _columns_of(thing))
    entry.known = known._replace(dataset=dataset, turned=False)


def _columns_of(thing: Any) -> tuple[object, ...]:
    """The columns and the index of a series or an array."""
    if isinstance(thing, pd.Series):
        return thing.name, *thing.index.names
    return (*range(thing.shape[1] if thing.ndim == 2 else 1), None)


def held(thing: Any) -> Held | None:
    """What is known of the object; None if it is not tracked."""
    found = _entry(_ENTRIES, thing)
    if found is None and type(thing) is np.ndarray and type(thing.base) is np.ndarray:
        return _of_view(thing, thing.base)
    if found is not None and found.behind is not None:
        return _as_behind(thing, found)
    return found


def _as_behind(grouped: Any, known: Held) -> Held:
    """What is known of groups or windows, whose frame may be another dataset than when they were made."""
    inside = _entry(_ENTRIES, grouped.obj)
    if inside is None or known.behind is None or inside.dataset is known.behind:
        return known
    now = inside.dataset
    found = known._replace(dataset=regrouped(known.dataset, known.behind, now), behind=now)
    _ENTRIES[id(grouped)].known = found
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
    alive = [entry() for entry in list(_ENTRIES.values())]
    return [(thing, known) for thing in alive if (known := _entry(_ENTRIES, thing)) is not None]


def forget_all() -> None:
    """Track nothing any more."""
    _ENTRIES.clear()
    _INDEXES.clear()
    _NUMBERINGS.clear()
    shared.forget_all()


def _forget(gone: Any) -> None:
    if gone.entries.get(gone.key) is gone:
        del gone.entries[gone.key]
