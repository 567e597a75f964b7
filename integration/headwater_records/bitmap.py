"""Which of many records are kept, in a bit each, with rank and select."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headwater_records.lists import Numbers

BLOCK = 64
"""Bytes that one entry of the directory counts."""
_COUNTS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)


class Bitmap:
    """A bit for each record; the directory of counts is made when it is first asked."""

    __slots__ = ("_before", "count", "packed")

    def __init__(self, mask: npt.NDArray[np.bool_]) -> None:
        self.count = len(mask)
        self.packed = np.packbits(mask)
        self._before: Numbers | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return int(self.packed.nbytes + (0 if self._before is None else self._before.nbytes))

    def ids(self) -> Numbers:
        """The positions of all set bits."""
        return np.flatnonzero(np.unpackbits(self.packed, count=self.count))

    def select(self, ranks: Numbers) -> Numbers:
        """The positions of the set bits with these ranks, from 0."""
        before = self._directory()
        if len(ranks) > len(before):
            return self.ids()[ranks]
        block = np.searchsorted(before, ranks, side="right") - 1
        bits = np.unpackbits(self._blocks(block), axis=1)
        wanted = (ranks - before[block] + 1)[:, None]
        inside = (np.cumsum(bits, axis=1, dtype=np.int32) == wanted).argmax(axis=1)
        return np.asarray(block * (BLOCK * 8) + inside)

    def ranks(self, positions: Numbers) -> Numbers:
        """The ranks of those of the positions whose bit is set."""
        if len(positions) * BLOCK > len(self.packed):
            bits = np.unpackbits(self.packed, count=self.count)
            return np.asarray(np.cumsum(bits, dtype=np.int64)[positions[bits[positions] == 1]] - 1)
        byte, bit = positions >> 3, (positions & 7).astype(np.uint8)
        kept = (self.packed[byte] >> (7 - bit)) & 1 == 1
        byte, bit = byte[kept], bit[kept]
        block = byte // BLOCK
        earlier = np.arange(BLOCK) < (byte - block * BLOCK)[:, None]
        whole = np.where(earlier, _COUNTS[self._blocks(block)], 0).sum(axis=1, dtype=np.int64)
        rest = _COUNTS[(self.packed[byte].astype(np.uint16) >> (8 - bit)).astype(np.uint8)]
        return np.asarray(self._directory()[block] + whole + rest)

    def _blocks(self, which: Numbers) -> npt.NDArray[np.uint8]:
        places = which[:, None] * BLOCK + np.arange(BLOCK)
        inside = places < len(self.packed)
        found = self.packed[np.where(inside, places, 0)]
        return np.where(inside, found, 0).astype(np.uint8)

    def _directory(self) -> Numbers:
        if self._before is None:
            counts = np.add.reduceat(
                _COUNTS[self.packed].astype(np.int32), np.arange(0, len(self.packed), BLOCK)
            )
            self._before = np.concatenate(([0], np.cumsum(counts)[:-1])).astype(np.int32)
        return self._before
