"""Lists of numbers behind each other in one array, and their inversion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.integer]
"""Positions of records, from 0."""
NONE = np.empty(0, np.int64)


def united(parts: list[Numbers]) -> Numbers:
    """All numbers of the parts, ascending, each once."""
    if len(parts) == 1:
        return parts[0]
    return distinct(np.concatenate(parts)) if parts else NONE


def distinct(numbers: Numbers) -> Numbers:
    """The numbers ascending, each once; for free where they are already."""
    if len(numbers) < 2 or bool((numbers[1:] > numbers[:-1]).all()):
        return numbers
    ordered = np.sort(numbers)
    first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return np.asarray(ordered[first])


def ranges(starts: Numbers, ends: Numbers) -> Numbers:
    """The numbers from each start up to its end, behind each other."""
    lengths = (ends - starts).astype(np.int64)
    total = int(lengths.sum())
    if not total:
        return NONE
    before = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(total) + np.repeat(starts - before, lengths))


def compact(numbers: Numbers) -> Numbers:
    """The numbers in four bytes each, where they fit."""
    return numbers.astype(
        np.int32 if not len(numbers) or int(numbers.max()) < 2**31 else np.int64, copy=False
    )


@dataclass(frozen=True, slots=True)
class Lists:
    """One list for each of ``0 … len(offsets) - 2``."""

    offsets: Numbers
    members: Numbers

    @classmethod
    def inverted(cls, values: Numbers, count: int) -> Lists:
        """For each of ``0 … count - 1`` the places at which ``values`` has it, ascending; negative ones are in none."""
        order = np.argsort(values, kind="stable")
        negative = int((values < 0).sum())
        lengths = np.bincount(values[values >= 0] if negative else values, minlength=count)
        return cls(compact(np.concatenate(([0], np.cumsum(lengths)))), compact(order[negative:]))

    def of(self, which: Numbers) -> Numbers:
        """The members of these lists, behind each other."""
        return self.members[ranges(self.offsets[which], self.offsets[which + 1])]

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return int(self.offsets.nbytes + self.members.nbytes)
