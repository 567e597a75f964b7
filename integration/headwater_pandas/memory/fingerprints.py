"""A fingerprint of values: it shows that a program changed them without a call that could be observed.

Numbers are read as bytes. Of texts and other objects it is which ones they are, and what they are; what is in lists,
tables, sets and attributes of objects, too. What an object keeps outside of Python, as a `deque` does, is what it would
be pickled by; of one that cannot be pickled there is no fingerprint.
"""

from __future__ import annotations

import datetime
import decimal
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from copyreg import dispatch_table
from functools import lru_cache
from pathlib import PurePath
from threading import Lock, RLock
from types import BuiltinFunctionType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any, Final

import numpy as np
import pandas as pd

from headwater_pandas.memory.kept import Kept, kept_in, parts_of

_DEEPEST: Final = 8
"""How deep lists in cells are followed."""
_FIXED: Final = frozenset(
    {str, bytes, int, float, complex, bool, type(None), type(pd.NA), type(pd.NaT), pd.Timestamp, pd.Timedelta}
    | {
        pd.Period,
        pd.Interval,
        datetime.date,
        datetime.datetime,
        datetime.time,
        datetime.timedelta,
        decimal.Decimal,
    }
    | {np.str_, np.bool_, np.int64, np.int32, np.float64, np.float32}
)
"""Types of what stays as it is."""
_COLLECTIONS: Final = (list, tuple, set, frozenset, bytearray, deque)
_NAMED: Final = (type, FunctionType, BuiltinFunctionType, ModuleType, PurePath, type(Lock()), type(RLock()))
"""What is known by which one it is: what functions find around them is not looked at."""
_POINTER: Final = np.dtype(np.intp).itemsize
_KINDS_FIXED: Final = frozenset(
    {"string", "bytes", "floating", "integer", "boolean", "decimal", "date", "datetime", "empty"}
)
"""What pandas calls arrays of such objects; it looks at them ten times as fast."""


def fingerprints(kept: Iterable[Kept]) -> dict[int, int]:
    """A fingerprint of the values of each column."""
    found: dict[int, int] = {}
    for columns, values, by_row in kept:
        if by_row and (not isinstance(values, np.ndarray) or values.flags.c_contiguous):
            found.update((column, _fingerprint(row)) for column, row in zip(columns, values, strict=True))
        else:
            found.update(dict.fromkeys(columns, _fingerprint(values)))
    return found


def _fingerprint(values: Any) -> int:
    if isinstance(values, np.ndarray):
        content = _of_objects(values) if values.dtype.hasobject else _of_bytes(values)
        return hash((content, values.shape, values.dtype))
    arrow = getattr(values, "_pa_array", None)
    if arrow is not None:
        return _of_arrow(arrow)
    return hash(tuple(map(_fingerprint, parts_of(values) or [np.asarray(values)])))


def _of_bytes(values: Any) -> int:
    if not values.size:
        return 0
    flat = values if values.flags.c_contiguous else values.T if values.flags.f_contiguous else values.copy()
    return zlib.crc32(flat.reshape(-1).view(np.uint8))


def _of_objects(values: Any) -> int:
    """Which objects they are, and what they are: another one may be where one was that is gone."""
    objects = values.ravel().tolist()
    same = tuple(map(id, objects)) if values.dtype == object else ()
    if set(map(type, objects)) <= _FIXED:
        return hash((same, tuple(objects)))
    return hash((same, tuple(_of_object(each, 0) for each in objects)))


def _of_object(thing: Any, depth: int, *, is_copy: bool = False) -> int:
    """A fingerprint of an object in a cell: of what is in a list, a table, a set, an array or its attributes, too.

    A copy, such as pickling makes, is another object each time. A TypeError says that it cannot be seen what is in it.
    """
    if depth > _DEEPEST:
        return 0
    own = type(thing) if is_copy else id(thing)
    parts: list[int] = []
    if type(thing) not in _FIXED:
        if isinstance(thing, np.ndarray | pd.api.extensions.ExtensionArray):
            return _fingerprint(thing)
        if isinstance(thing, pd.DataFrame | pd.Series | pd.Index):
            return hash((own, tuple(fingerprints(kept_in(thing)).items())))
        if not isinstance(thing, _NAMED):
            parts += [_of_object(each, depth + 1, is_copy=is_copy) for each in _inside(thing)]
            kind: Any = type(thing)
            if _has_hidden_state(kind):
                parts += [_of_object(each, depth + 1, is_copy=True) for each in _pickled(thing)]
    try:
        return hash((own, tuple(parts), hash(thing)))
    except Exception:  # noqa: BLE001 - a list has no hash, and that of the program's own may fail
        return hash((own, tuple(parts)))


def _inside(thing: Any) -> Iterable[Any]:
    """What is in a list, a table or a set, and in the attributes of an object."""
    attributes = [*getattr(thing, "__dict__", {}).values(), *_slots(thing)]
    if isinstance(thing, dict):
        return [*attributes, *(part for pair in thing.items() for part in pair)]
    return [*attributes, *thing] if isinstance(thing, _COLLECTIONS) else attributes


def _slots(thing: Any) -> Iterator[Any]:
    kind: Any = type(thing)
    for slot in _slots_of(kind):
        with suppress(AttributeError):  # nothing was set there
            yield slot.__get__(thing)


@lru_cache(maxsize=1024)
def _slots_of(kind: type) -> tuple[MemberDescriptorType, ...]:
    named = ((name, slot) for each in kind.__mro__ for name, slot in vars(each).items())
    return tuple(
        slot for name, slot in named if isinstance(slot, MemberDescriptorType) and not name.endswith("__")
    )


@lru_cache(maxsize=1024)
def _has_hidden_state(kind: type) -> bool:
    """Whether objects of a class have more memory than their attributes take; what is in collections is seen."""
    known = {object, *_COLLECTIONS, dict, *_FIXED}
    return any(_adds_state(each) for each in kind.__mro__ if each not in known)


def _adds_state(kind: type) -> bool:
    base = kind.__base__ or object
    slots = sum(isinstance(each, MemberDescriptorType) for each in vars(kind).values())
    slots += kind.__dictoffset__ != base.__dictoffset__
    slots += kind.__weakrefoffset__ != base.__weakrefoffset__
    return (
        kind.__basicsize__ - base.__basicsize__ > slots * _POINTER or kind.__itemsize__ != base.__itemsize__
    )


def _pickled(thing: Any) -> Iterable[Any]:
    """What an object would be pickled by, without the functions that would make it of that."""
    reduce = dispatch_table.get(type(thing))
    state: Any = reduce(thing) if reduce is not None else thing.__reduce_ex__(2)
    return (
        []
        if isinstance(state, str)
        else [list(part) if hasattr(part, "__next__") else part for part in state[1:]]
    )


def may_change_inside(values: Any, among: int | None = None) -> bool:
    """Whether there is an object in the array that can change and stay the one that it is, such as a list."""
    if not isinstance(values, np.ndarray) or not values.dtype.hasobject:
        return False
    values = values[..., :among]
    if values.dtype == object and pd.api.types.infer_dtype(values.reshape(-1), skipna=True) in _KINDS_FIXED:
        return False
    return not set(map(type, values.reshape(-1).tolist())) <= _FIXED


def _of_arrow(array: Any) -> int:
    found = 0
    for chunk in getattr(array, "chunks", [array]):
        for buffer in chunk.buffers():
            found = zlib.crc32(buffer, found) if buffer is not None else found
        found = hash((found, chunk.offset, len(chunk)))
    return found
