"""Columnar storage of large lists of plain objects.

Creating an object for each of 20,000 edges takes longer than everything else done with them. A ``Table`` is a sequence
that creates its objects on demand; ``execution`` completes its columns without creating any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class Repeated(Sequence[T], Generic[T]):
    """A column whose values are repeated: for each of the ``places``, the value at that index of ``values``."""

    def __init__(self, places: Sequence[int], values: Sequence[T]) -> None:
        self.places = places
        self.values = values

    @classmethod
    def of(cls, column: Sequence[T]) -> Repeated[T]:
        """Return the column with each of its distinct values once."""
        places = {value: place for place, value in enumerate(dict.fromkeys(column))}
        return cls([places[value] for value in column], list(places))

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...

    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return Repeated(self.places[index], self.values)
        return self.values[self.places[index]]

    def __iter__(self) -> Iterator[T]:
        return map(self.values.__getitem__, self.places)


class Table(Sequence[T], Generic[T]):
    """A sequence of ``kind(**row)``; ``columns`` is called once, on first access.

    All columns must have the same length, and hold their values, which are compared by identity: no ``range``.
    """

    def __init__(self, kind: Callable[..., T], columns: Callable[[], Mapping[str, Sequence[Any]]]) -> None:
        self._kind = kind
        self._columns = columns

    @cached_property
    def columns(self) -> Mapping[str, Sequence[Any]]:
        """The values of each attribute, by attribute name."""
        return self._columns()

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...

    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return list(self)[index]
        return self._kind(**{name: column[index] for name, column in self.columns.items()})

    def __iter__(self) -> Iterator[T]:
        for row in zip(*self.columns.values(), strict=True):
            yield self._kind(**dict(zip(self.columns, row, strict=True)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list | Table) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]
