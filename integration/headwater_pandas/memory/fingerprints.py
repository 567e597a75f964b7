"""A fingerprint of values: it shows that a program changed them without a call that could be observed.

Numbers are read as bytes. Of texts and other objects it is which ones they are, and what they are; what is in lists,
tables, sets and attributes of objects, too.
"""

from __future__ import annotations

import datetime
import decimal
import zlib
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import pandas as pd

from headwater_pandas.memory.kept import Kept, parts_of

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


def _of_object(thing: Any, depth: int) -> int:
    """A fingerprint of an object in a cell: of what is in a list, a table, a set, an array or its attributes, too."""
    if depth > _DEEPEST:
        return 0
    if isinstance(thing, np.ndarray):
        return _fingerprint(thing)
    inner: Any = ()
    if isinstance(thing, dict):
        inner = [part for pair in thing.items() for part in pair]
    elif isinstance(thing, list | tuple | set | frozenset | bytearray):
        inner = thing
    elif type(thing) not in _FIXED:
        inner = getattr(thing, "__dict__", {}).values()
    parts = tuple(_of_object(each, depth + 1) for each in inner)
    try:
        return hash((id(thing), parts, hash(thing)))
    except Exception:  # noqa: BLE001 - a list has no hash, and that of the program's own may fail
        return hash((id(thing), parts))


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
