"""Whether a value is a constant that the program's own text has, or one that it computed or took from somewhere."""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any, Final

import numpy as np
import pandas as pd

from headwater_pandas.code_objects import with_inner
from headwater_pandas.given.modules import named_constants

_LIBRARIES: Final = ("headwater_pandas", "pandas", "numpy")
_SMALL: Final = "LOAD_SMALL_INT"
"""The instruction in which Python 3.14 keeps a number that is not among the constants of a code."""


def is_constant(value: Any) -> bool:
    """Whether a value is of no record: nothing, a truth value, or a constant in the text of the running program."""
    if not pd.api.types.is_scalar(value):
        return False
    if isinstance(value, bool | np.bool_) or bool(pd.isna(value)):
        return True
    for frame in running():
        if any(_equal(value, each) for each in _constants(frame.f_code)):
            return True
        if any(_equal(value, each) for each in _of_module(frame.f_globals.get("__name__", ""))):
            return True
        named = named_constants(frame.f_globals, _names(frame.f_code))
        if any(_equal(value, each) for constant in named for each in _inside(constant)):
            return True
    return False


def running() -> Iterator[FrameType]:
    """Each function of the program that is being called, the innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] not in _LIBRARIES:
            yield frame
        frame = frame.f_back


@lru_cache(maxsize=1024)
def _of_module(name: str) -> tuple[Any, ...]:
    """The constants in the text of a module, which its functions may use by name; none where that cannot be had."""
    try:
        code = compile(inspect.getsource(sys.modules[name]), name, "exec", dont_inherit=True)
    except (KeyError, OSError, TypeError, SyntaxError, ValueError):
        return ()
    return tuple(each for inner in with_inner(code) for each in _constants(inner))


@lru_cache(maxsize=1024)
def _names(code: CodeType) -> frozenset[str]:
    """The names that a code uses, and those within it."""
    return frozenset(name for each in with_inner(code) for name in each.co_names)


def _inside(constant: Any) -> Iterator[Any]:
    """A single value, or all in lists and tables."""
    if isinstance(constant, Mapping):
        constant = [*constant, *constant.values()]
    if isinstance(constant, list | tuple | set | frozenset):
        for each in constant:
            yield from _inside(each)
    else:
        yield constant


@lru_cache(maxsize=1024)
def _constants(code: CodeType) -> tuple[Any, ...]:
    """The constants of a code, and those in its tables; ``-n`` and ``n`` may be either."""
    single = [
        part for each in code.co_consts for part in (each if isinstance(each, tuple | frozenset) else (each,))
    ]
    small = [each.argval for each in dis.get_instructions(code) if each.opname == _SMALL]
    return (*single, *small)


def _equal(value: Any, constant: Any) -> bool:
    return type(value) is type(constant) and bool(value == constant)
