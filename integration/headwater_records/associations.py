"""Associations: which records of an input the records of an output were made of, in as few bytes as can be.

Each answers in both directions, for a set of positions (ascending, each once) with such a set: ``backward`` from the
output to the input, ``forward`` from the input to the output. ``nbytes`` is what its arrays take now; what only one
direction needs is made when that is first asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from headwater_records.bitmap import Bitmap
from headwater_records.lists import NONE, Lists, Numbers, compact, distinct, ranges


class Association(Protocol):
    """How the records of one input and of the output belong together."""

    def backward(self, rows: Numbers) -> Numbers:
        """The records of the input that these of the output were made of."""
        ...

    def forward(self, rows: Numbers) -> Numbers:
        """The records of the output that were made of these of the input."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        ...


@dataclass(frozen=True, slots=True)
class Same:
    """Each record stays where it is."""

    nbytes: int = 0

    def backward(self, rows: Numbers) -> Numbers:
        return rows

    def forward(self, rows: Numbers) -> Numbers:
        return rows


SAME = Same()


@dataclass(frozen=True, slots=True)
class KeptBits:
    """Some records are left, in their order: a bit for each record of the input."""

    bits: Bitmap

    def backward(self, rows: Numbers) -> Numbers:
        return self.bits.select(rows)

    def forward(self, rows: Numbers) -> Numbers:
        return self.bits.ranks(rows)

    @property
    def nbytes(self) -> int:
        return self.bits.nbytes


@dataclass(frozen=True, slots=True)
class KeptIds:
    """Few records are left, in their order: the position of each."""

    ids: Numbers

    def backward(self, rows: Numbers) -> Numbers:
        return self.ids[rows]

    def forward(self, rows: Numbers) -> Numbers:
        places = np.searchsorted(self.ids, rows)
        inside = np.minimum(places, len(self.ids) - 1)
        return places[(places < len(self.ids)) & (self.ids[inside] == rows)] if len(self.ids) else NONE

    @property
    def nbytes(self) -> int:
        return int(self.ids.nbytes)


class Taken:
    """Each record of the output has one of the input, or none (-1): a permutation, one side of a join, a look-up."""

    __slots__ = ("_inverse", "count", "sources")

    def __init__(self, sources: Numbers, count: int) -> None:
        self.sources = compact(sources)
        self.count = count
        self._inverse: Lists | None = None

    def backward(self, rows: Numbers) -> Numbers:
        found = self.sources[rows]
        return distinct(found[found >= 0])

    def forward(self, rows: Numbers) -> Numbers:
        if self._inverse is None:
            self._inverse = Lists.inverted(self.sources, self.count)
        return distinct(self._inverse.of(rows))

    @property
    def nbytes(self) -> int:
        return int(self.sources.nbytes) + (self._inverse.nbytes if self._inverse else 0)


@dataclass(frozen=True, slots=True)
class Appended:
    """The records of the input stand behind each other in the output, from ``start`` on."""

    start: int
    length: int
    nbytes: int = 0

    def backward(self, rows: Numbers) -> Numbers:
        return rows[(rows >= self.start) & (rows < self.start + self.length)] - self.start

    def forward(self, rows: Numbers) -> Numbers:
        return rows + self.start


class Grouped:
    """Each record of the output has a list of members in the input; a member may be in several lists."""

    __slots__ = ("_inverse", "count", "lists")

    def __init__(self, lists: Lists, count: int) -> None:
        self.lists = lists
        self.count = count
        self._inverse: Lists | None = None

    @classmethod
    def by(cls, codes: Numbers, groups: int) -> Grouped:
        """Records of the input by the number of their group; negative: in none."""
        return cls(Lists.inverted(codes, groups), len(codes))

    @classmethod
    def pairs(cls, inputs: Numbers, outputs: Numbers, count: int, groups: int) -> Grouped:
        """The general case: each pair is a record of the input and one of the output that it is in."""
        places = Lists.inverted(outputs, groups)
        return cls(Lists(places.offsets, compact(inputs[places.members])), count)

    def backward(self, rows: Numbers) -> Numbers:
        return distinct(self.lists.of(rows))

    def forward(self, rows: Numbers) -> Numbers:
        if self._inverse is None:
            self._inverse = self._inverted()
        return distinct(self._inverse.of(rows))

    def _inverted(self) -> Lists:
        places = Lists.inverted(self.lists.members, self.count)
        groups = np.repeat(np.arange(len(self.lists.offsets) - 1), np.diff(self.lists.offsets))
        return Lists(places.offsets, compact(groups[places.members]))

    @property
    def nbytes(self) -> int:
        return self.lists.nbytes + (self._inverse.nbytes if self._inverse else 0)


class Peers:
    """Each record of the output has all of the input that are in its own record's group (negative: in none)."""

    __slots__ = ("_lists", "codes", "groups")

    def __init__(self, codes: Numbers, groups: int) -> None:
        self.codes = compact(codes)
        self.groups = groups
        self._lists: Lists | None = None

    def backward(self, rows: Numbers) -> Numbers:
        if self._lists is None:
            self._lists = Lists.inverted(self.codes, self.groups)
        groups = np.unique(self.codes[rows])
        return np.sort(self._lists.of(groups[groups >= 0]))

    def forward(self, rows: Numbers) -> Numbers:
        return self.backward(rows)

    @property
    def nbytes(self) -> int:
        return int(self.codes.nbytes) + (self._lists.nbytes if self._lists else 0)


@dataclass(frozen=True, slots=True)
class Every:
    """Each record of the output is, or may be, made of every record of the input."""

    inputs: int
    outputs: int
    nbytes: int = 0

    def backward(self, rows: Numbers) -> Numbers:
        return np.arange(self.inputs) if len(rows) else NONE

    def forward(self, rows: Numbers) -> Numbers:
        return np.arange(self.outputs) if len(rows) else NONE


@dataclass(frozen=True, slots=True)
class UpTo:
    """Each record of the output is made of the input's at its place and of all before it."""

    count: int
    nbytes: int = 0

    def backward(self, rows: Numbers) -> Numbers:
        return np.arange(int(rows.max()) + 1) if len(rows) else NONE

    def forward(self, rows: Numbers) -> Numbers:
        return np.arange(int(rows.min()), self.count) if len(rows) else NONE


class Spans:
    """Each record of the output has those of the input from a start up to its end; neither ever goes back."""

    __slots__ = ("ends", "starts")

    def __init__(self, starts: Numbers, ends: Numbers) -> None:
        self.starts = compact(starts)
        self.ends = compact(ends)

    def backward(self, rows: Numbers) -> Numbers:
        return _covered(self.starts[rows], self.ends[rows])

    def forward(self, rows: Numbers) -> Numbers:
        first = np.searchsorted(self.ends, rows, side="right")
        return _covered(first, np.searchsorted(self.starts, rows, side="right"))

    @property
    def nbytes(self) -> int:
        return int(self.starts.nbytes + self.ends.nbytes)


def _covered(starts: Numbers, ends: Numbers) -> Numbers:
    """All that is in one of the spans, of which neither starts nor ends go back."""
    before = np.concatenate(([0], ends[:-1]))
    from_there = np.maximum(starts, before)
    return ranges(from_there, np.maximum(ends, from_there))


class Placed:
    """Some records of the output have one of the input each: pairs, ascending by the output's."""

    __slots__ = ("inputs", "outputs")

    def __init__(self, inputs: Numbers, outputs: Numbers) -> None:
        order = np.argsort(outputs, kind="stable")
        self.inputs = compact(inputs[order])
        self.outputs = compact(outputs[order])

    def backward(self, rows: Numbers) -> Numbers:
        return distinct(self.inputs[np.isin(self.outputs, rows)])

    def forward(self, rows: Numbers) -> Numbers:
        return distinct(self.outputs[np.isin(self.inputs, rows)])

    @property
    def nbytes(self) -> int:
        return int(self.inputs.nbytes + self.outputs.nbytes)


def spans(starts: Numbers, ends: Numbers, count: int) -> Association:
    """Each record of the output has those of the input (of so many) from its start up to its end."""
    if bool((starts[1:] >= starts[:-1]).all()) and bool((ends[1:] >= ends[:-1]).all()):
        return Spans(starts, ends)
    lengths = np.maximum(ends - starts, 0)
    offsets = compact(np.concatenate(([0], np.cumsum(lengths))))
    return Grouped(Lists(offsets, compact(ranges(starts, starts + lengths))), count)


def kept(mask: npt.NDArray[np.bool_]) -> Association:
    """What a filter leaves: a bit for each record or the ids that are left, whichever is smaller."""
    left = int(np.count_nonzero(mask))
    if left == len(mask):
        return Same()
    return KeptIds(compact(np.flatnonzero(mask))) if left * 32 < len(mask) else KeptBits(Bitmap(mask))


def taken(sources: Numbers, count: int) -> Association:
    """What was taken from where (-1: from nowhere), in the smallest form that says it."""
    if not len(sources):
        return KeptIds(compact(sources))
    ascending = bool(sources[0] >= 0 and (sources[1:] > sources[:-1]).all())
    if not ascending:
        return Taken(sources, count)
    if len(sources) * 32 < count:
        return KeptIds(compact(sources))
    mask = np.zeros(count, np.bool_)
    mask[sources] = True
    return kept(mask)
