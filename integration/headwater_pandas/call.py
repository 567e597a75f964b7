"""One call of a pandas function on tracked objects: what it was given, and what came of it."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import pandas as pd

from headwater_pandas.held import Held, held
from headwater_pandas.shape import Shape, is_data, shape_of
from headwater_records.graph import Dataset

_PLAIN: Final = frozenset({str, int, float, bool, type(None)})

SORTING: Final = frozenset({"sort_values", "sort_index"})
"""What calls functions for keys, of which nothing comes into a result."""


@dataclass(slots=True)
class Call:
    """A call that has returned. ``subject`` is the object that it was called on, as it was ``before``.

    ``noted`` is what pandas found inside, and ``turned`` what a rule says of its result (see ``Held``).
    ``functions`` are those of the program that pandas called (``headwater_pandas.functions.watched``), and ``named``
    the values that a text among the arguments names (`@limit`).
    """

    name: str
    original: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    subject: Any
    known: Held
    before: Shape
    frame: Any = None
    result: Any = None
    noted: tuple[Any, ...] = ()
    turned: bool = False
    functions: Any = None
    named: tuple[Any, ...] = ()

    @property
    def dataset(self) -> Dataset:
        """The dataset that the subject was before the call."""
        return self.known.dataset

    @property
    def after(self) -> Shape:
        """The outline of the result."""
        return shape_of(self.result)

    def argument(self, name: str, default: Any = None) -> Any:
        """What the function was given under this name, by position or by keyword."""
        if name in self.kwargs:
            return self.kwargs[name]
        if len(self.args) < 2:
            return default
        place = _places(self.original).get(name, -1)
        return self.args[place] if 0 <= place < len(self.args) else default

    def others(self) -> Iterator[Any]:
        """Frames, series and arrays among the arguments, in lists, tuples and dictionaries as well."""
        for each in self.given():
            yield from data_in(each)

    def given(self) -> Iterator[Any]:
        """What the function was given beside the subject, which may be one of several in a list (`concat`)."""
        several = self.args[0] if self.args and isinstance(self.args[0], list | tuple | dict) else ()
        values = several.values() if isinstance(several, dict) else several
        yield from (each for each in values if each is not self.subject)
        yield from self.args[1:]
        yield from self.kwargs.values()
        yield from self.named

    def again(self, **changed: Any) -> Any:
        """The result of the same call on the same records with their positions as index."""
        clone = self.frame.copy(deep=False)
        clone.index = pd.RangeIndex(self.before.rows)
        left = {name: copy.deepcopy(value) for name, value in self.kwargs.items() if name != "inplace"}
        return self.original(clone, *self.args[1:], **{**left, **changed})


def data_in(thing: Any) -> Iterator[Any]:
    """Frames, series, arrays and tracked objects: the thing itself, or those in lists and dictionaries."""
    if type(thing) in _PLAIN:
        return
    if is_data(thing) or held(thing) is not None:
        yield thing
    elif isinstance(thing, list | tuple | dict):
        for each in thing.values() if isinstance(thing, dict) else thing:
            yield from data_in(each)


@cache
def _places(function: Callable[..., Any]) -> dict[str, int]:
    try:
        return {name: place for place, name in enumerate(inspect.signature(function).parameters)}
    except (TypeError, ValueError):
        return {}


def boolean(key: Any) -> bool:
    """Whether a key chooses records by a truth value for each."""
    if isinstance(key, list):
        return bool(key) and all(isinstance(each, bool | np.bool_) for each in key)
    dtype = getattr(key, "dtype", None)
    if dtype == np.dtype(object):
        return bool(pd.api.types.infer_dtype(key, skipna=False) == "boolean")
    return dtype is not None and bool(pd.api.types.is_bool_dtype(dtype))
