"""The outline of a frame, a series or an array: its index and its columns, and never its values.

The levels of an index are columns of the dataset, too, behind the others: `reset_index` makes columns of them, and
`set_index` and `groupby` levels of columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

_DATA: Final = (pd.DataFrame, pd.Series, pd.Index, pd.api.extensions.ExtensionArray)


class Labels(Sequence[object]):
    """The names of the columns and then of the levels, without a copy of either."""

    __slots__ = ("_columns", "_levels", "numbered")

    def __init__(self, columns: Any, levels: Any, *, numbered: bool = False) -> None:
        self._columns = columns
        self._levels = levels
        self.numbered = numbered
        """Whether the index has no name, and only numbers the records."""

    @property
    def width(self) -> int:
        """How many columns there are, without the levels."""
        return len(self._columns)

    def __len__(self) -> int:
        return len(self._columns) + len(self._levels)

    def __getitem__(self, number: Any) -> Any:
        if number < len(self._columns):
            return self._columns[number]
        level = self._levels[number - len(self._columns)]
        return "index" if level is None else level

    def __iter__(self) -> Iterator[object]:
        return (self[number] for number in range(len(self)))


class Shape(NamedTuple):
    """Index and columns."""

    index: Any
    columns: Any

    @property
    def rows(self) -> int:
        return len(self.index)

    @property
    def width(self) -> int:
        """How many columns there are, without the index."""
        return len(self.columns)

    @property
    def levels(self) -> int:
        return int(self.index.nlevels)

    @property
    def labels(self) -> Labels:
        numbered = isinstance(self.index, pd.RangeIndex) and self.index.name is None
        return Labels(self.columns, tuple(self.index.names), numbered=numbered)

    @property
    def all_columns(self) -> int:
        """All columns and levels, as bits."""
        return (1 << (self.width + self.levels)) - 1

    @property
    def own_columns(self) -> int:
        """The columns without the levels, as bits."""
        return (1 << self.width) - 1

    @property
    def labels_that_say(self) -> int:
        """The levels of an index that does not only number the records, as bits."""
        return 0 if self.labels.numbered else self.all_columns & ~self.own_columns

    def level_numbers(self) -> list[int]:
        """The numbers of the levels of the index, behind the columns."""
        return list(range(self.width, self.width + self.levels))


def is_data(thing: Any) -> bool:
    """Whether it is a frame, a series or an array (NumPy's, pandas' own, or an index) with records in it."""
    if isinstance(thing, np.ndarray):
        return thing.ndim in {1, 2}
    return isinstance(thing, _DATA)


def shape_of(thing: Any) -> Shape:
    """The outline of a frame, a series or an array of one or two dimensions."""
    if isinstance(thing, pd.DataFrame):
        return Shape(thing.index, thing.columns)
    if isinstance(thing, pd.Series):
        return Shape(thing.index, (thing.name,))
    return Shape(pd.RangeIndex(len(thing)), range(thing.shape[1] if thing.ndim == 2 else 1))
