"""How often Python looks for garbage in a process that takes in events or answers questions.

Batches and answers are hundreds of thousands of small tuples without cycles, which go when nobody holds them.
Python's default looks at them after each 700 that are made: a closure of 11,000 edges spent 40 % of its time so.
"""

from __future__ import annotations

import gc
from typing import Final

ALLOCATIONS: Final = 100_000


def collect_seldom() -> None:
    """Look only after ``ALLOCATIONS`` objects, and never again at what is there now (modules, schemas)."""
    gc.freeze()
    gc.set_threshold(ALLOCATIONS, 20, 20)
