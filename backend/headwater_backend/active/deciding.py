"""Whether conditions can hold together, and if not, which of them exclude each other.

Intervals are asked first, then z3 under a limit of work, which is the same on every machine, of time, and of memory.
Without the extra ``active``, what intervals leave open stays open.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Final

from headwater_backend.active.regions import contradict, single
from headwater_backend.active.terms import Term

if TYPE_CHECKING:
    from headwater_backend.active.encoding import Encoder

MOST_WORK: Final = 2_000_000
"""z3's resource units for a question: some tenths of a second."""
MOST_MILLISECONDS: Final = 2_000
MOST_MEGABYTES: Final = 512
_ONE_AT_A_TIME: Final = Lock()
"""z3's formulas belong to one thread at a time."""


class Verdict(Enum):
    """POSSIBLE: some row can meet all; EXCLUDED: none can; UNDECIDED: the limits did not suffice."""

    POSSIBLE = "POSSIBLE"
    EXCLUDED = "EXCLUDED"
    UNDECIDED = "UNDECIDED"


@lru_cache(maxsize=100_000)
def decide(conditions: frozenset[Term]) -> Verdict:
    """Whether the conditions can all be true."""
    found = [single(each) for each in conditions]
    known = [each for each in found if each is not None]
    if contradict(known):
        return Verdict.EXCLUDED
    if len(known) == len(found):
        return Verdict.POSSIBLE
    return solve(conditions) if find_spec("z3") else Verdict.UNDECIDED


def solve(conditions: frozenset[Term]) -> Verdict:
    """The same by z3 alone."""
    import z3  # noqa: PLC0415 - an extra, and large

    from headwater_backend.active.encoding import Encoder  # noqa: PLC0415 - needs z3

    with _ONE_AT_A_TIME:
        z3.set_param("memory_max_size", MOST_MEGABYTES)
        solver = z3.Solver()
        solver.set("rlimit", MOST_WORK)
        solver.set("timeout", MOST_MILLISECONDS)
        try:
            solver.add(*formulas(Encoder(conditions), conditions))
            answer = solver.check()
        except z3.Z3Exception:
            return Verdict.UNDECIDED
    if answer == z3.sat:
        return Verdict.POSSIBLE
    return Verdict.EXCLUDED if answer == z3.unsat else Verdict.UNDECIDED


def formulas(encoder: Encoder, conditions: frozenset[Term]) -> list[object]:
    """All that holds if the conditions do."""
    stated = [encoder.holds(each) for each in sorted(conditions, key=repr)]
    return [*stated, *encoder.facts]


def minimal(conditions: Sequence[Term]) -> tuple[Term, ...]:
    """Some of the conditions that exclude each other, of which none can be left out."""
    needed = list(dict.fromkeys(conditions))
    for each in tuple(needed):
        others = [other for other in needed if other is not each]
        if decide(frozenset(others)) is Verdict.EXCLUDED:
            needed = others
    return tuple(needed)
