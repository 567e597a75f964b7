"""The outline of a frame, a series or an array: its index and its columns, and never its values.

The levels of an index are columns of the dataset, too, behind the others: `reset_index` makes columns of them, and
`set_index` and `groupby` levels of columns.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from headwater_records.labels import Labels

_DATA: Final = (pd.DataFrame, pd.Series, pd.Index, pd.api.extensions.ExtensionArray)
_UNNAMED: Final = (None,)


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
    def numbered(self) -> bool:
        """Whether the index has no name, and only numbers the records."""
        return isinstance(self.index, pd.RangeIndex) and self.index.name is None

    @property
    def labels(self) -> Labels:
        columns = self.columns
        if isinstance(columns, pd.RangeIndex):
            columns = range(columns.start, columns.stop, columns.step)
        elif isinstance(columns, pd.Index):
            columns = tuple(columns.tolist())  # an index takes four times as much
        levels = tuple(self.index.names)
        return Labels(columns, _UNNAMED if levels == _UNNAMED else levels, numbered=self.numbered)

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
        return 0 if self.numbered else self.all_columns & ~self.own_columns

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
