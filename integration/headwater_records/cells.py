"""Sets of values: records by the set of columns that is asked of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from headwater_records.columns import WHOLE, numbers
from headwater_records.lists import NONE, Numbers, distinct, united

Cells = dict[int, Numbers]
"""Columns (bits, or WHOLE) → records. Blocks may overlap; what they hold is united."""


def add(cells: Cells, columns: int, rows: Numbers) -> None:
    """Unite with a block; one of the same records or of the same columns grows."""
    if not columns or not len(rows):
        return
    for present, there in cells.items():
        if there is rows or (len(there) == len(rows) and present != columns and np.array_equal(there, rows)):
            if present | columns != present:
                del cells[present]
                _unite(cells, present | columns, there)
            return
    _unite(cells, columns, rows)


def _unite(cells: Cells, columns: int, rows: Numbers) -> None:
    there = cells.get(columns)
    cells[columns] = rows if there is None else united([there, rows])


def records(cells: Cells) -> Numbers:
    """All records of the set."""
    return united(list(cells.values())) if cells else NONE


def records_of(cells: Cells, column: int) -> Numbers:
    """The records of which this column is in the set."""
    return united([rows for columns, rows in cells.items() if columns >> column & 1])


def columns_of(cells: Cells) -> int:
    """All columns of the set."""
    found = 0
    for columns in cells:
        found |= columns
    return found


def values(cells: Cells) -> Iterable[tuple[int, Numbers]]:
    """Each column with its records; a whole record has the column -1."""
    found = columns_of(cells)
    if found == WHOLE:
        return [(WHOLE, records(cells))]
    return [(column, records_of(cells, column)) for column in numbers(found)]


def without(rows: Numbers, others: Numbers, count: int) -> Numbers:
    """The rows that are none of the others."""
    if not len(others) or not len(rows):
        return rows
    if len(rows) < 1000:
        places = np.minimum(np.searchsorted(others, rows), len(others) - 1)
        return np.asarray(rows[others[places] != rows])
    left: npt.NDArray[np.bool_] = np.ones(count, np.bool_)
    left[others] = False
    return rows[left[rows]]


def checked(rows: Iterable[int] | Numbers, count: int) -> Numbers:
    """These positions ascending, each once; an IndexError names one that is not there."""
    given = np.asarray(list(rows) if not isinstance(rows, np.ndarray) else rows, dtype=np.int64)
    if len(given) and (int(given.min()) < 0 or int(given.max()) >= count):
        raise IndexError(f"no record {int(given[(given < 0) | (given >= count)][0])}: there are {count}")
    return distinct(given)
