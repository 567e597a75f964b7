"""Recording what a function reads of the frame or the series that it is handed.

For as long as the function runs, the object that it was handed is of a class that notes what is asked of it, and does
then what pandas does. What a class cannot note piece by piece it notes as all of the object, and lets go of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from headwater_pandas.functions.attributes import (
    AT_A_PLACE,
    BY_VALUE,
    NAMES,
    OF_ITS_CLASS,
    TELLS_NOTHING,
    VALUES_ALONE,
)

_OPEN: dict[int, _Open] = {}


@dataclass(slots=True)
class Reading:
    """What a function read of all that it was handed: columns by name, labels, and the name of a group.

    ``names`` says that it read the names of columns, ``values`` that it read a series that it was handed, ``whole``
    that it asked for all of a frame or a record. ``lengths`` are how many records it gave each time, and ``stay``
    whether these always had the labels of those that it was handed.
    """

    columns: dict[Any, None] = field(default_factory=dict)
    values: bool = False
    labels: bool = False
    name: bool = False
    names: bool = False
    whole: bool = False
    lengths: list[int] = field(default_factory=list)
    stay: bool = True


@dataclass(slots=True)
class _Open:
    """An object that is being recorded, the class that it is of, and the column that a series is.

    ``handed`` is whether the function itself was handed it, or it has the labels and the name of what it was handed.
    """

    thing: Any
    kind: type
    reading: Reading
    handed: bool
    column: Any = None


@contextmanager
def recording(
    thing: Any, reading: Reading, *, of_record: bool, by_value: bool
) -> Iterator[Callable[[Any], None]]:
    """Record what is asked of a frame or series. Gives what is to be called with the function's result.

    ``by_value`` is whether only the values of a series that is the result go on, and not its labels.
    """
    before = set(_OPEN)
    _open(thing, reading, of_record=of_record, handed=True)
    try:
        yield partial(_given_back, reading, by_value)
    finally:
        for key in [each for each in _OPEN if each not in before]:
            _close(_OPEN[key])


def _open(
    thing: Any, reading: Reading, *, of_record: bool = False, handed: bool = False, column: Any = None
) -> None:
    kind: Any = type(thing)
    if kind is pd.DataFrame or kind is pd.Series:
        _OPEN[id(thing)] = _Open(thing, kind, reading, handed, column)
        watched = _Frame if kind is pd.DataFrame else _Record if of_record else _Column
        object.__setattr__(thing, "__class__", watched)
    elif type(thing) not in _WATCHED:
        reading.whole = True


def _close(entry: _Open) -> None:
    del _OPEN[id(entry.thing)]
    object.__setattr__(entry.thing, "__class__", entry.kind)


def _given_back(reading: Reading, by_value: bool, result: Any) -> None:
    """What is in the result as it is was read as a whole."""
    if by_value and type(result) is _Column:
        _read_values(_OPEN[id(result)])
        return
    for each in [entry.thing for entry in _OPEN.values() if entry.reading is reading]:
        if type(each) in _WATCHED and _is_in(each, result, 0):
            _whole(each)


def _is_in(thing: Any, result: Any, depth: int) -> bool:
    if thing is result:
        return True
    if result is None or pd.api.types.is_scalar(result) or type(result) in _WATCHED:
        return False
    if isinstance(result, list | tuple | set | frozenset | dict) and depth < 4:
        inner = result.values() if isinstance(result, dict) else result
        return any(_is_in(thing, each, depth + 1) for each in inner)
    if isinstance(result, pd.DataFrame):
        return any(_is_in(thing, result.iloc[:, place], depth) for place in range(result.shape[1]))
    if isinstance(result, pd.Series | np.ndarray | pd.Index):
        return result.dtype == object and any(each is thing for each in np.asarray(result).flat)
    return True


def _asked(thing: Any, step: Callable[[], Any]) -> Any:
    """What pandas gives, which asks the object on its own account."""
    watched = type(thing)
    object.__setattr__(thing, "__class__", _OPEN[id(thing)].kind)
    try:
        return step()
    finally:
        object.__setattr__(thing, "__class__", watched)


def _whole(thing: Any) -> None:
    """All of the object was asked for: there is nothing more to record of it."""
    entry, watched = _OPEN[id(thing)], type(thing)
    _close(entry)
    if watched is _Record:
        entry.reading.columns.update(dict.fromkeys(thing.index))
    elif watched is _Frame:
        entry.reading.columns.update(dict.fromkeys(thing.columns))
    else:
        _read_values(entry)
    entry.reading.labels = True
    entry.reading.name = entry.reading.name or entry.handed
    entry.reading.whole = entry.reading.whole or (entry.handed and watched is not _Column)


def _read_values(entry: _Open) -> None:
    if entry.handed:
        entry.reading.values = True
    else:
        entry.reading.columns[entry.column] = None


def _names(thing: Any) -> Any:
    name = "index" if type(thing) is _Record else "columns"
    return _asked(thing, lambda: getattr(thing, name))


def _is_name(key: Any, names: Any) -> bool:
    return isinstance(key, str | tuple) and names.nlevels == 1 and names.is_unique and key in names


def _item(thing: Any, key: Any) -> Any:
    """`frame[column]`, `frame[columns]` or `record[column]`."""
    names = _names(thing)
    wanted = list(key) if isinstance(key, list) and type(thing) is _Frame else [key]
    if not wanted or not all(_is_name(each, names) for each in wanted):
        _whole(thing)
        return thing[key]
    reading = _OPEN[id(thing)].reading
    reading.columns.update(dict.fromkeys(wanted))
    found = _asked(thing, lambda: thing[key])
    if type(thing) is _Frame:
        _open(found, reading, column=key if isinstance(found, pd.Series) else None)
    return found


def _get(thing: Any, key: Any, default: Any = None) -> Any:
    """`record.get(column)`."""
    return _item(thing, key) if _is_name(key, _names(thing)) else default


def _plainly(thing: Any, name: str) -> Any:
    """An attribute; a method asks the object on its own account, too."""
    found = _asked(thing, lambda: getattr(thing, name))
    return partial(_called, thing, name) if inspect.ismethod(found) else found


def _called(thing: Any, name: str, *args: Any, **named: Any) -> Any:
    if type(thing) not in _WATCHED:
        return getattr(thing, name)(*args, **named)
    entry = _OPEN[id(thing)]
    found = _asked(thing, lambda: getattr(thing, name)(*args, **named))
    if type(thing) is _Column and name in BY_VALUE and found is not thing and type(found) is pd.Series:
        _open(found, entry.reading, handed=entry.handed, column=entry.column)
    return found


def _attribute(thing: Any, name: str) -> Any:
    entry = _OPEN[id(thing)]
    if name == "__class__":
        return entry.kind
    if name.startswith("__") and not hasattr(entry.kind, name):
        raise AttributeError(name)
    if name == "name":
        return _name(thing, entry)
    if name in TELLS_NOTHING or (name == "index" and type(thing) is not _Record):
        entry.reading.labels = entry.reading.labels or name == "index"
        return _plainly(thing, name)
    return _OF_KIND[type(thing)](thing, name, entry)


def _of_column(series: Any, name: str, entry: _Open) -> Any:
    if name in VALUES_ALONE | BY_VALUE:
        _read_values(entry)
        return _plainly(series, name)
    return _At(series, name) if name in AT_A_PLACE else _left(series, name)


def _of_names(thing: Any, name: str, entry: _Open) -> Any:
    """An attribute of a frame or a record: one of its columns, or their names."""
    if name in NAMES:
        entry.reading.names = True
        return _plainly(thing, name)
    if name == "get" and type(thing) is _Record:
        return partial(_get, thing)
    if not hasattr(entry.kind, name) and _is_name(name, _names(thing)):
        return _item(thing, name)
    return _left(thing, name)


def _left(thing: Any, name: str) -> Any:
    _whole(thing)
    return getattr(thing, name)


def _name(thing: Any, entry: _Open) -> Any:
    """The label of a record, or what pandas calls a group by: its key."""
    if type(thing) is _Record:
        entry.reading.labels = True
    elif entry.handed:
        entry.reading.name = True
    if type(thing) is _Frame and _is_name("name", _names(thing)):
        entry.reading.columns["name"] = None
    return _asked(thing, lambda: thing.name)


@dataclass(slots=True)
class _At:
    """`series.iloc`: the value at a place, which has no label; anything else may have labels."""

    thing: Any
    name: str

    def __getitem__(self, key: Any) -> Any:
        if type(self.thing) is _Column:
            if isinstance(key, int):
                _read_values(_OPEN[id(self.thing)])
                return _asked(self.thing, lambda: getattr(self.thing, self.name)[key])
            _whole(self.thing)
        return getattr(self.thing, self.name)[key]

    def __getattr__(self, name: str) -> Any:
        if type(self.thing) in _WATCHED:
            _whole(self.thing)
        return getattr(getattr(self.thing, self.name), name)

    def __setitem__(self, key: Any, value: Any) -> None:
        if type(self.thing) in _WATCHED:
            _whole(self.thing)
        getattr(self.thing, self.name)[key] = value


class _Column(pd.Series):  # type: ignore[misc]  # pandas has no types
    """A series that notes whether its values or its labels are asked for."""

    __getattribute__ = _attribute


class _Record(pd.Series):  # type: ignore[misc]  # pandas has no types
    """A record whose values are asked for by the names of columns."""

    __getattribute__ = _attribute
    __getitem__ = _item


class _Frame(pd.DataFrame):  # type: ignore[misc]  # pandas has no types
    """A frame that notes which of its columns are asked for."""

    __getattribute__ = _attribute
    __getitem__ = _item


_WATCHED: Final = (_Column, _Record, _Frame)
_OF_KIND: Final = {_Column: _of_column, _Record: _of_names, _Frame: _of_names}


def _special(name: str, kind: type) -> Callable[..., Any]:
    """A method that Python looks up in the class, such as an operator's."""

    def special(thing: Any, *args: Any, **named: Any) -> Any:
        if type(thing) not in _WATCHED:  # let go of since Python looked the method up
            return getattr(thing, name)(*args, **named)
        if kind is _Column and name in VALUES_ALONE | BY_VALUE:
            return _attribute(thing, name)(*args, **named)
        _whole(thing)
        return getattr(thing, name)(*args, **named)

    return special


for _kind in _WATCHED:
    for _method in dir(_kind.__base__):
        _own = _method in vars(_kind) or _method in OF_ITS_CLASS or not _method.startswith("__")
        if not _own and callable(inspect.getattr_static(_kind.__base__, _method)):
            setattr(_kind, _method, _special(_method, _kind))
