"""Large lists of plain objects, kept as columns.

To make an object for each of 20,000 edges takes longer than all that is done with them. A ``Table`` is a list of such
objects that makes none unless it is asked for one: ``execution`` completes its columns as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class Table(Sequence[T], Generic[T]):
    """A list of ``kind(**row)``; ``columns`` is called once, and only where the list is looked at.

    All columns that it gives are of one length.
    """

    def __init__(self, kind: Callable[..., T], columns: Callable[[], Mapping[str, Sequence[Any]]]) -> None:
        self._kind = kind
        self._columns = columns

    @cached_property
    def columns(self) -> Mapping[str, Sequence[Any]]:
        """Each attribute's values, by its name."""
        return self._columns()

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...

    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        if isinstance(place, slice):
            return list(self)[place]
        return self._kind(**{name: column[place] for name, column in self.columns.items()})

    def __iter__(self) -> Iterator[T]:
        for row in zip(*self.columns.values(), strict=True):
            yield self._kind(**dict(zip(self.columns, row, strict=True)))
