"""What a function of the program finds outside of itself: in its module, around it, and in its defaults."""

from __future__ import annotations

import dis
import re
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Final

import numpy as np
import pandas as pd

from headwater_pandas.code_objects import with_inner
from headwater_pandas.held import held

_LIBRARIES: Final = frozenset(sys.stdlib_module_names) - {"__main__"} | {"numpy", "pandas"}
_MOST_DEPTH: Final = 6
_READS: Final = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_KEEPS: Final = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR"})


@dataclass(slots=True)
class Around:
    """Tracked objects, single values, and whether there is anything of which nobody knows what it has.

    ``keeps`` says that the function may keep something for later, in a variable or an object outside of itself.
    """

    tracked: list[Any] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    unknown: bool = False
    keeps: bool = False
    holders: list[tuple[Any, list[Any]]] = field(default_factory=list)
    """Lists, sets and tables with what was in them before."""
    _seen: set[int] = field(default_factory=set)

    def kept(self) -> bool:
        """Whether the function may have kept something by now."""
        return self.keeps or any(not _same(_inside(each), before) for each, before in self.holders)


def around(functions: Iterator[Any]) -> Around:
    """What these functions find outside of themselves."""
    found = Around()
    for each in functions:
        _look(each, found, 0)
    return found


def _look(value: Any, found: Around, depth: int) -> None:
    if id(value) in found._seen:
        return
    found._seen.add(id(value))
    if held(value) is not None:
        found.tracked.append(value)
    elif isinstance(value, types.FunctionType):
        _look_in(value, found, depth)
    elif isinstance(value, partial):
        for each in (value.func, *value.args, *value.keywords.values()):
            _look(each, found, depth + 1)
    elif isinstance(value, types.BuiltinFunctionType) and not of_a_library(value):
        _look(value.__self__, found, depth + 1)
    elif isinstance(value, list | tuple | set | frozenset | Mapping):
        _look_into(value, found, depth)
    elif isinstance(value, re.Pattern):
        found.values.append(value.pattern)
    elif value is None or (pd.api.types.is_scalar(value) and not isinstance(value, types.ModuleType)):
        found.values.append(value)
    elif not of_a_library(value):
        found.unknown = found.keeps = True


def of_a_library(value: Any) -> bool:
    """Whether it is a module, a class or a function that has nothing of the program."""
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in _LIBRARIES
    if isinstance(value, types.BuiltinFunctionType):
        return isinstance(value.__self__, types.ModuleType | type | None)
    if isinstance(value, type):
        return value.__module__.partition(".")[0] in _LIBRARIES
    return isinstance(value, np.ufunc | np.dtype)


def _look_into(values: Any, found: Around, depth: int) -> None:
    if depth > _MOST_DEPTH:
        found.unknown = found.keeps = True
        return
    if not isinstance(values, tuple | frozenset):
        found.holders.append((values, _inside(values)))
    for each in _inside(values):
        _look(each, found, depth + 1)


def _inside(values: Any) -> list[Any]:
    return [*values, *values.values()] if isinstance(values, Mapping) else list(values)


def _same(now: list[Any], before: list[Any]) -> bool:
    return len(now) == len(before) and all(one is other for one, other in zip(now, before, strict=True))


def _look_in(function: types.FunctionType, found: Around, depth: int) -> None:
    if str(function.__module__).partition(".")[0] in _LIBRARIES:
        return
    if depth > _MOST_DEPTH:
        found.unknown = found.keeps = True
        return
    reads, keeps = _names(function.__code__)
    found.keeps = found.keeps or keeps
    for name in reads:
        if name in function.__globals__:
            _look(function.__globals__[name], found, depth + 1)
    for cell in function.__closure__ or ():
        if is_filled(cell):
            _look(cell.cell_contents, found, depth + 1)
    for each in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        _look(each, found, depth + 1)


@lru_cache(maxsize=1024)
def _names(code: types.CodeType) -> tuple[tuple[str, ...], bool]:
    """The names that a code and those within it read from the module, and whether they set something outside."""
    steps = [(inner, each) for inner in with_inner(code) for each in dis.get_instructions(inner)]
    names = dict.fromkeys(each.argval for _, each in steps if each.opname in _READS)
    keeps = any(
        each.opname in _KEEPS or (each.opname == "STORE_DEREF" and each.argval in inner.co_freevars)
        for inner, each in steps
    )
    return tuple(names), keeps


def is_filled(cell: Any) -> bool:
    """Whether a variable around a function has a value."""
    try:
        cell.cell_contents  # noqa: B018 - an empty one raises
    except ValueError:
        return False
    return True
