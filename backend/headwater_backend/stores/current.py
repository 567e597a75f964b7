"""The version of an output's lineage that is current, now or at a moment: the rule of both stores.

A *slot* is one output of one job. Its current lineage is that of its newest run:

0. Lineage from before a DROP of the output does not count (``stores.closing``), nor does a run that dropped it and
   reported no lineage of it.
1. Runs that failed (or were aborted) by the moment asked for do not count. Until then they do, because
   content may come in START alone.
2. A run with lineage, a completed run, or a job event, precedes a run that has only begun.
3. Among those, the one that reported the output last wins, and the greater run key at the same microsecond.
4. Within the run the finest rank wins, then the last reported, then the greater digest.

The rule looks only at merged records, so every order of events chooses the same.

For the present, rules 1 to 3 reduce to one order of a slot's observations: by *standing* (1 with lineage or
completed, 0 only begun, none failed), then by the time last reported, then by the run. Stores keep the standing beside
each observation and compute it again for all observations of the runs in a batch, so that they find the
deciding run by index and choose among its observations alone, however often the job ran. A moment of the past, and
the present of an output that was ever dropped, is chosen among all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

FOREVER = 2**63 - 1


class Observed(NamedTuple):
    """An observation with its run's outcome; ``failed`` is the earliest FAIL or ABORT."""

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
    """The current observation of each slot that has one; ``closed`` has the closings of slots."""
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
    return (standing[(seen.slot, seen.run)], seen.rank, _last_seen(seen, at), seen.version)


def _standing(seen: Observed, at: int) -> tuple[bool, int, str]:
    stands = seen.rank > 0 or seen.static or _by(seen.completed, at)
    return (stands, _last_seen(seen, at), seen.run)


def _closed(seen: Observed, at: int, drops: Iterable[Closed]) -> bool:
    time, no_lineage = _last_seen(seen, at), seen.rank == 0
    return any(
        drop.time <= at and (time <= drop.time or (no_lineage and seen.run == drop.run)) for drop in drops
    )


def _last_seen(seen: Observed, at: int) -> int:
    """The time of its last report, as far as known at the moment."""
    return seen.last if seen.last <= at else seen.first


def _by(moment: int | None, at: int) -> bool:
    return moment is not None and moment <= at
