"""The names of a dataset's columns, and of the levels of its index behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from headwater_records.columns import numbers


class Labels(Sequence[object]):
    """The names of the columns and then of the levels."""

    __slots__ = ("_columns", "_levels", "numbered")

    def __init__(
        self, columns: Sequence[object], levels: tuple[object, ...], *, numbered: bool = False
    ) -> None:
        self._columns = columns
        self._levels = levels
        self.numbered = numbered
        """Whether the index has no name, and only numbers the records."""

    @property
    def width(self) -> int:
        """How many columns there are, without the levels."""
        return len(self._columns)

    def kept(self, left: int) -> Labels:
        """The names of these columns and levels, as bits."""
        width = self.width
        chosen = tuple(self._columns[number] for number in numbers(left & ((1 << width) - 1)))
        levels = tuple(self._levels[number] for number in numbers(left >> width))
        return Labels(chosen, levels, numbered=self.numbered and len(levels) == len(self._levels))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Labels)
            and self.numbered == other.numbered
            and self._levels == other._levels
            and self._columns == other._columns
        )

    __hash__ = None  # type: ignore[assignment]  # as Python itself does beside __eq__

    def __len__(self) -> int:
        return len(self._columns) + len(self._levels)

    def __getitem__(self, number: Any) -> Any:
        if number < len(self._columns):
            return self._columns[number]
        level = self._levels[number - len(self._columns)]
        return "index" if level is None else level

    def __iter__(self) -> Iterator[object]:
        return (self[number] for number in range(len(self)))
