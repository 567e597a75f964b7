"""The functions of the program among the arguments of a call, replaced by ones that record what they read."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd
from pandas.core.groupby.groupby import BaseGroupBy
from pandas.core.window.rolling import BaseWindow

from headwater_pandas.call import SORTING, data_in
from headwater_pandas.code_objects import with_inner
from headwater_pandas.functions.around import Around, around, of_a_library
from headwater_pandas.functions.code import Read, read
from headwater_pandas.functions.recording import Reading, recording
from headwater_pandas.held import held
from headwater_records.graph import Dataset

_CALLING: Final = frozenset({"apply", "transform", "agg", "aggregate", "filter", "map", "applymap"} | SORTING)
_HANDING: Final = frozenset({"apply", "transform", "agg", "aggregate"})
_ASKS_THE_CLASS: Final = frozenset({"type", "__class__"})
Resumed = Callable[[dict[Dataset, None]], AbstractContextManager[None]]


@dataclass(slots=True)
class Functions:
    """The functions of the program that a call was given.

    ``read`` is what their code says, if it was read, and ``reading`` what they read of what they were handed, if that
    was recorded. ``taken`` are the datasets that they took values of, or gave back. ``handed`` is whether they get
    more than single values, which they may change.
    """

    around: Around
    read: Read | None = None
    reading: Reading | None = None
    handed: bool = False
    taken: dict[Dataset, None] = field(default_factory=dict)


def functions_of(
    name: str, subject: Any, args: tuple[Any, ...], kwargs: dict[str, Any], resumed: Resumed
) -> tuple[tuple[Any, ...], dict[str, Any], Functions | None]:
    """The arguments with functions that are recorded, and the functions; None if there are none."""
    given = [each for part in (*args[1:], *kwargs.values()) for each in _functions_in(part)]
    if name not in _CALLING or not given:
        return args, kwargs, None
    more = [each for each in (*args[2:], *kwargs.values()) if not any(True for _ in _functions_in(each))]
    found = Functions(around(iter([*given, *more])))
    found.handed = name not in {"map", "applymap"} and not (
        name == "apply" and isinstance(args[0], pd.Series)
    )
    if not _is_recorded(name, args, kwargs) or not all(map(_can_be_recorded, given)):
        return args, kwargs, found
    of_record = isinstance(args[0], pd.DataFrame) and _axis(args, kwargs) in {1, "columns"}
    if of_record and len(args) == 2 and not set(kwargs) - {"func", "axis"}:
        found.read = read(given[0], tuple(args[0].columns))
        if found.read is not None:
            return args, kwargs, found
    found.reading = Reading()
    watch = functools.partial(
        recording,
        reading=found.reading,
        of_record=of_record,
        by_value=name != "apply",
    )
    wrap = functools.partial(_recorded, found, resumed, watch)
    return (
        (args[0], *(_with(each, wrap) for each in args[1:])),
        {key: _with(each, wrap) for key, each in kwargs.items()},
        found,
    )


def _is_recorded(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether what pandas calls is handed groups, windows, columns or records; others get single values."""
    if name not in _HANDING or kwargs.get("engine") not in {None, "cython", "python"}:
        return False
    first, across = args[0], _axis(args, kwargs) in {1, "columns"}
    if isinstance(first, pd.DataFrame):
        return len(args) < 4 and not kwargs.get("raw") and (name == "apply" or not across)
    return isinstance(first, BaseGroupBy | BaseWindow) or (isinstance(first, pd.Series) and name != "apply")


def _axis(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return kwargs.get("axis", args[2] if len(args) > 2 and isinstance(args[0], pd.DataFrame) else 0)


def _functions_in(given: Any) -> Iterator[Any]:
    """The callables of the program in an argument, in lists, tables and tuples, too."""
    if isinstance(given, list | tuple):
        for each in given:
            yield from _functions_in(each)
    elif isinstance(given, Mapping):
        for each in given.values():
            yield from _functions_in(each)
    elif callable(given) and not of_a_library(given):
        module = str(getattr(given, "__module__", "")).partition(".")[0]
        yield from () if module in {"numpy", "pandas"} else (given,)


def _can_be_recorded(function: Any) -> bool:
    if isinstance(function, functools.partial):
        return _can_be_recorded(function.func)
    inner = function.__func__ if isinstance(function, types.MethodType) else function
    return isinstance(inner, types.FunctionType) and not _asks_the_class(inner.__code__)


def _asks_the_class(code: types.CodeType) -> bool:
    return any(_ASKS_THE_CLASS & set(each.co_names) for each in with_inner(code))


def _with(given: Any, wrap: Callable[[Any], Any]) -> Any:
    """The argument, with its functions wrapped."""
    if not any(True for _ in _functions_in(given)):
        return given
    if isinstance(given, Mapping):
        return {key: _with(each, wrap) for key, each in given.items()}
    if isinstance(given, tuple):
        return tuple(_with(each, wrap) for each in given)
    if isinstance(given, list):
        return [_with(each, wrap) for each in given]
    if isinstance(given, functools.partial):
        return functools.partial(wrap(given.func), *given.args, **given.keywords)
    return wrap(given)


def _recorded(found: Functions, resumed: Resumed, watch: Callable[..., Any], function: Any) -> Any:
    reading = found.reading or Reading()

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        handed = args[0] if args else None
        with resumed(found.taken), watch(handed) as gives:
            result = function(*args, **named)
            gives(result)
        _note_length(reading, handed, result)
        found.taken.update((known.dataset, None) for each in data_in(result) if (known := held(each)))
        return result

    return call


def _note_length(reading: Reading, handed: Any, result: Any) -> None:
    """Note how many records a function gave, and whether they have the labels of those that it was handed."""
    is_data = isinstance(result, pd.DataFrame | pd.Series)
    reading.lengths.append(len(result) if is_data else int(result is not None))
    same = is_data and isinstance(handed, pd.DataFrame | pd.Series) and result.index.equals(handed.index)
    reading.stay = reading.stay and same
