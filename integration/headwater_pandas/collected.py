"""Figures that a program took out of tracked frames (a mean, a cell), so that they are recognised as a constant later.

Only a fingerprint under a key of this process is kept, for the newest 4,096, and no figure. Of what else it took (the
values of a column) there is only that it did: it may have computed figures of it.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from typing import Any

import numpy as np
import pandas as pd

from headwater_records.graph import Dataset

MOST = 4096
MOST_OF_ONE = 16
"""The most datasets that one figure is known to be of: the newest ones."""
_KEY = secrets.token_bytes(16)
_ORIGINS: OrderedDict[bytes, tuple[Dataset, ...]] = OrderedDict()


class _Taken:
    anything = False


_TAKEN = _Taken()


def remember(value: Any, dataset: Dataset) -> None:
    """The figure is this dataset's, too."""
    print_ = _fingerprint(value)
    if print_ is not None:
        others = (each for each in _ORIGINS.get(print_, ()) if not _alike(each, dataset))
        _ORIGINS[print_] = (*others, dataset)[-MOST_OF_ONE:]
        _ORIGINS.move_to_end(print_)
        if len(_ORIGINS) > MOST:
            _ORIGINS.popitem(last=False)


def _alike(one: Dataset, other: Dataset) -> bool:
    """Whether two figures were computed of the same by the same function."""
    return one.step == other.step and one.made_of == other.made_of


def note_taken() -> None:
    """The program has values that it may compute figures of."""
    _TAKEN.anything = True


def anything_taken() -> bool:
    """Whether the program has any figure, or values."""
    return bool(_ORIGINS) or _TAKEN.anything


def anything_remembered() -> bool:
    """Whether any figure is known."""
    return bool(_ORIGINS)


def origins_of(value: Any) -> tuple[Dataset, ...]:
    """The datasets that a figure was computed of, if it is one of those."""
    print_ = _fingerprint(value) if _ORIGINS else None
    return _ORIGINS.get(print_, ()) if print_ is not None else ()


def forget_all() -> None:
    """Know no figure any more."""
    _ORIGINS.clear()
    _TAKEN.anything = False


def _fingerprint(value: Any) -> bytes | None:
    """Equal numbers have equal ones, which no truth value has; None for what is missing, or no figure."""
    if not isinstance(value, int | float | str | np.generic | pd.Timestamp):
        return None
    if value != value:  # noqa: PLR0124 - not a number
        return None
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    text = str(float(value)) if is_number else str(value)
    return hashlib.blake2b(text.encode(), key=_KEY, digest_size=8).digest()
