"""Which rows and columns of an array another one shows, which NumPy has made of it without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater_records.lists import Numbers


def place_of_view(view: Any, base: Any) -> tuple[Numbers, list[int]] | None:
    """The rows and the columns of the base in the order of the view; None where it shows them in another way.

    Arrays have one or two dimensions. Where an element is follows from the addresses and the steps of both.
    """
    if not (view.size and 0 < view.ndim <= base.ndim <= 2) or view.dtype != base.dtype:
        return None
    count, width, down, across = _laid_out(base)
    rows, columns, by_row, by_column = _laid_out(view)
    first = _address(view) - _address(base)
    row, column = _divided(first, down, across)
    if by_row % down or (columns > 1 and by_column % across):
        return None
    places = row + np.arange(rows) * (by_row // down)
    numbers = [column + number * (by_column // across) for number in range(columns)]
    inside = places.min() >= 0 and places.max() < count and min(numbers) >= 0 and max(numbers) < width
    return (places, numbers) if inside and row * down + column * across == first else None


def _laid_out(array: Any) -> tuple[int, int, int, int]:
    """The numbers of rows and of columns, and how many bytes it is to the next of each."""
    if array.ndim == 1:
        return len(array), 1, array.strides[0], array.itemsize
    return (*array.shape, *array.strides)


def _divided(first: int, down: int, across: int) -> tuple[int, int]:
    """The row and the column that begin so many bytes behind the array."""
    if abs(down) >= abs(across):
        return first // down, first % down // across
    return first % across // down, first // across


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])
