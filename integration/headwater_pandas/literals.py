"""Whether a value is a constant that the program's own text has, or one that it computed or took from somewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any, Final

import numpy as np
import pandas as pd

_LIBRARIES: Final = ("headwater_pandas", "pandas", "numpy")
_WITHIN_INSTRUCTIONS: Final = range(256)
"""Numbers that Python may keep in its instructions, and not among the constants of a code."""


def is_constant(value: Any) -> bool:
    """Whether a value is of no record: nothing, a truth value, or a constant in the text of the running program."""
    if not pd.api.types.is_scalar(value):
        return False
    if isinstance(value, bool | np.bool_) or bool(pd.isna(value)):
        return True
    if type(value) is int and value in _WITHIN_INSTRUCTIONS:
        return True
    return any(_equal(value, each) for code in _running() for each in _constants(code))


def _running() -> Iterator[CodeType]:
    """The code of each function of the program that is being called, the innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] not in _LIBRARIES:
            yield frame.f_code
        frame = frame.f_back


def _constants(code: CodeType) -> Iterator[Any]:
    for each in code.co_consts:
        yield from each if isinstance(each, tuple | frozenset) else (each,)


def _equal(value: Any, constant: Any) -> bool:
    return type(value) is type(constant) and bool(value == constant)
