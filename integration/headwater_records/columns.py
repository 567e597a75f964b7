"""Column maps: which columns of an input the columns of an output were made of.

A set of columns is an integer's bits. ``backward`` goes from columns of the output to columns of the input, ``forward``
the other way. ``WHOLE``, which has all bits, stands for records as a whole: each map leads from it to it, but for the
one that copies nothing.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

WHOLE = -1


def bits(numbers: Iterable[int]) -> int:
    """The set of these columns."""
    found = 0
    for number in numbers:
        found |= 1 << int(number)
    return found


def numbers(columns: int) -> Iterator[int]:
    """The columns of a set, ascending."""
    while columns:
        lowest = columns & -columns
        yield lowest.bit_length() - 1
        columns ^= lowest


def rank(columns: int, number: int) -> int:
    """How many columns of the set are before this one."""
    return (columns & ((1 << number) - 1)).bit_count()


def select(columns: int, place: int) -> int:
    """The column of the set that has so many before it."""
    low, high = 0, columns.bit_length()
    while low < high:
        middle = (low + high) // 2
        if rank(columns, middle + 1) > place:
            high = middle
        else:
            low = middle + 1
    return low


@dataclass(frozen=True, slots=True)
class SameColumns:
    """Each column stays where it is."""

    def backward(self, columns: int) -> int:
        return columns

    def forward(self, columns: int) -> int:
        return columns


@dataclass(frozen=True, slots=True)
class KeptColumns:
    """Some columns are left, in their order, behind ``offset`` others: a bit for each of the input."""

    left: int
    offset: int = 0

    def backward(self, columns: int) -> int:
        if columns == WHOLE:
            return WHOLE
        inside = (columns >> self.offset) & ((1 << self.left.bit_count()) - 1)
        return bits(select(self.left, place) for place in numbers(inside))

    def forward(self, columns: int) -> int:
        if columns == WHOLE:
            return WHOLE
        return bits(rank(self.left, number) for number in numbers(columns & self.left)) << self.offset


@dataclass(frozen=True, slots=True)
class MovedColumns:
    """Each column of the output is one of the input, or none (-1)."""

    sources: tuple[int, ...]

    def backward(self, columns: int) -> int:
        if columns == WHOLE:
            return WHOLE
        found = (self.sources[number] for number in numbers(columns & ((1 << len(self.sources)) - 1)))
        return bits(source for source in found if source >= 0)

    def forward(self, columns: int) -> int:
        if columns == WHOLE:
            return WHOLE
        return bits(
            place for place, source in enumerate(self.sources) if source >= 0 and columns >> source & 1
        )


@dataclass(frozen=True, slots=True)
class MadeColumns:
    """Some columns of the output are made of others (pairs of a column and its sources); the rest is as in ``rest``."""

    made: tuple[tuple[int, int], ...]
    rest: ColumnMap

    def backward(self, columns: int) -> int:
        if columns == WHOLE:
            return WHOLE
        found, others = 0, columns
        for column, sources in self.made:
            if columns >> column & 1:
                found |= sources
                others &= ~(1 << column)
        return found | self.rest.backward(others)

    def forward(self, columns: int) -> int:
        if columns == WHOLE:
            return WHOLE
        others = self.rest.forward(columns)
        found = 0
        for column, sources in self.made:
            others &= ~(1 << column)
            found |= (1 << column) if sources & columns else 0
        return found | others


@dataclass(frozen=True, slots=True)
class AllColumns:
    """Each column of the output may be made of each of the input."""

    inputs: int
    outputs: int

    def backward(self, columns: int) -> int:
        return columns if columns in {0, WHOLE} else (1 << self.inputs) - 1

    def forward(self, columns: int) -> int:
        return columns if columns in {0, WHOLE} else (1 << self.outputs) - 1


@dataclass(frozen=True, slots=True)
class NoColumns:
    """Nothing is copied: the input was only looked at."""

    def backward(self, columns: int) -> int:
        return 0

    def forward(self, columns: int) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class Counted:
    """Nothing is copied: the output is how many records the input has, which depends on what decided that."""

    def backward(self, columns: int) -> int:
        return 0

    def forward(self, columns: int) -> int:
        return 0


ColumnMap: TypeAlias = (
    SameColumns | KeptColumns | MovedColumns | MadeColumns | AllColumns | NoColumns | Counted
)


def packed(columns: ColumnMap) -> tuple[Any, ...]:
    """The map in plain values of few bytes, which ``unpacked`` makes it of again."""
    match columns:
        case SameColumns():
            return ()
        case KeptColumns():
            return ("k", int(columns.left), columns.offset)
        case MovedColumns():
            largest = max(columns.sources, default=0)
            size = "b" if largest < 1 << 7 else "h" if largest < 1 << 15 else "i"
            return ("m", size, array(size, columns.sources).tobytes())
        case MadeColumns():
            made = tuple((int(column), int(sources)) for column, sources in columns.made)
            return ("d", made, packed(columns.rest))
        case AllColumns():
            return ("a", columns.inputs, columns.outputs)
        case NoColumns():
            return ("n",)
        case Counted():
            return ("c",)


def unpacked(plain: tuple[Any, ...]) -> ColumnMap:
    """The map that was packed."""
    kind = plain[0] if plain else ""
    if not kind:
        return _SAME
    if kind == "k":
        return KeptColumns(plain[1], plain[2])
    if kind == "d":
        return MadeColumns(plain[1], unpacked(plain[2]))
    if kind == "m":
        return MovedColumns(tuple(array(plain[1], plain[2])))
    if kind == "a":
        return AllColumns(plain[1], plain[2])
    return _NONE if kind == "n" else _COUNTED


_SAME = SameColumns()
_NONE = NoColumns()
_COUNTED = Counted()


def moved(sources: tuple[int, ...]) -> ColumnMap:
    """The map for these sources (-1: none), in the smallest form that says it: columns in their order are bits."""
    if sources and min(sources) >= 0 and all(a < b for a, b in pairwise(sources)):
        return KeptColumns(bits(sources))
    return MovedColumns(sources)
