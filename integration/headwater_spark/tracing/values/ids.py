"""Sets of operator ids as the bits of one integer.

A value that has come through ten thousand operators names them all, and so does each value on its way: as tuples
that would take time and memory in the square of the plan's size, as bits it does not matter.
"""

from __future__ import annotations

from functools import lru_cache


def only(operator: int) -> int:
    """The set of one operator."""
    return 1 << operator


@lru_cache(maxsize=1024)
def listed(ids: int) -> tuple[int, ...]:
    """The operators of a set, in order."""
    return tuple(place for place, bit in enumerate(reversed(f"{ids:b}")) if bit == "1")
