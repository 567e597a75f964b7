"""Which version of an output's lineage is true, now or at a moment: the rule of both stores.

A *slot* is one output of one job. Its current lineage is what its newest run told:

0. What was told of the output before it was dropped does not count (``stores.closing``), nor does a run that dropped
   it and told no lineage of it.
1. Runs that failed (or were aborted) by the moment asked for do not count. Until then they do, because
   content may come in START alone.
2. A run that told lineage, or that completed, or a job event, goes before one that has only begun.
3. Among those, the latest that spoke of the output wins, and the greater run key at the same microsecond.
4. Within the run the finest rank wins, then the latest told, then the greater digest.

The rule looks only at merged records, so every order of events chooses the same.

For the present, rules 1 to 3 come down to one order of a slot's observations: by *standing* (1 told lineage or
completed, 0 has only begun, none failed), then when told last, then the run. Stores keep the standing beside each
observation and work it out anew for all observations of the runs that a batch speaks of, so that they find the
deciding run by index and choose among its observations alone, however often the job ran. A moment of the past, and
the present of an output that was ever dropped, is chosen among all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

FOREVER = 2**63 - 1


class Observed(NamedTuple):
    """An observation with its run's fate; ``failed`` is the earliest FAIL or ABORT."""

    slot: str
    run: str
    version: str
    rank: int
    static: bool
    first: int
    last: int
    completed: int | None
    failed: int | None


class Closed(NamedTuple):
    """A slot's output was dropped by that run."""

    time: int
    run: str


def chosen(
    observations: Iterable[Observed], at: int = FOREVER, closed: Mapping[str, Sequence[Closed]] | None = None
) -> dict[str, Observed]:
    """The current observation of each slot that has one; ``closed`` says when slots were."""
    drops = closed or {}
    best: dict[str, Observed] = {}
    standing: dict[tuple[str, str], tuple[bool, int, str]] = {}
    visible = [
        seen
        for seen in observations
        if seen.first <= at and not _by(seen.failed, at) and not _closed(seen, at, drops.get(seen.slot, ()))
    ]
    for seen in visible:
        key = (seen.slot, seen.run)
        standing[key] = max(standing.get(key, (False, 0, "")), _standing(seen, at))
    for seen in visible:
        known = best.get(seen.slot)
        if known is None or _order(seen, standing, at) > _order(known, standing, at):
            best[seen.slot] = seen
    return best


def _order(
    seen: Observed, standing: dict[tuple[str, str], tuple[bool, int, str]], at: int
) -> tuple[tuple[bool, int, str], int, int, str]:
    return (standing[(seen.slot, seen.run)], seen.rank, _told(seen, at), seen.version)


def _standing(seen: Observed, at: int) -> tuple[bool, int, str]:
    stands = seen.rank > 0 or seen.static or _by(seen.completed, at)
    return (stands, _told(seen, at), seen.run)


def _closed(seen: Observed, at: int, drops: Iterable[Closed]) -> bool:
    told, silent = _told(seen, at), seen.rank == 0
    return any(drop.time <= at and (told <= drop.time or (silent and seen.run == drop.run)) for drop in drops)


def _told(seen: Observed, at: int) -> int:
    """When it was told last, as far as known at the moment."""
    return seen.last if seen.last <= at else seen.first


def _by(moment: int | None, at: int) -> bool:
    return moment is not None and moment <= at
