"""The versions of an output's lineage that are current, now or at a moment: the rule of both stores.

A *slot* is one output of one job. Its current lineage is that of its newest run, and, as long as the runs *keep* what
was in the output, that of the runs before it, to the newest that replaced everything::

    overwrite from a, append from b, append from c        a, b and c
    append from a, overwrite from b                       b
    overwrite from a, overwrite from itself and b         a, b and itself

A run keeps what was there if that is known of it, or if it brings the output's own content to the output again; else it
is taken to replace everything.

0. Lineage from before a DROP of the output does not count (``closing``), nor does a run that dropped it and
   reported no lineage of it.
1. Runs that failed (or were aborted) by the moment asked for do not count. Until then they do, because
   content may come in START alone.
2. A run with lineage, a completed run, or a job event, precedes a run that has only begun.
3. Among those, the newest is the one that reported the output last, and the greater run key at the same microsecond.
4. Within the run the finest rank wins, then the last reported, then the greater digest. What counted before of a
   run that had ended stays in force beside it, until a steward accepts the correction (``corrections``).

The rule looks only at merged records, so every order of events chooses the same. ``known`` is the moment of receipt up
to which records are taken to be known; what was received later is as if it had never been.

For the present, rules 1 to 3 reduce to one order of a slot's runs: by *standing* (1 with lineage or completed, 0 only
begun, none failed), then by the time last reported, then by the run. Stores keep it at the observation that counts by
rule 4, with whether the run keeps what was there, and compute it again for the runs in a batch. So they find by index
the newest run that replaced everything, and of each version the newest run that kept what was there, and choose among
these, however often the job ran. A moment of the past, and the present of an output that was ever dropped, is chosen
among all observations.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Final, NamedTuple

from headwater_backend.domain.records import NOT_STATED
from headwater_backend.in_force.corrections import Covers, is_late, nothing_covers, reported_before
from headwater_backend.in_force.observed import Observed

FOREVER = 2**63 - 1


class Closed(NamedTuple):
    """A slot's output was dropped by that run."""

    time: int
    run: str


class Corrections(NamedTuple):
    """What is decided of corrections: until when they are ``accepted``, by slot, and which version ``covers`` which."""

    accepted: Mapping[str, int] = {}
    covers: Covers = nothing_covers


NOTHING_ACCEPTED: Final = Corrections()


def chosen(
    observations: Iterable[Observed],
    at: int = FOREVER,
    closed: Mapping[str, Sequence[Closed]] | None = None,
    corrections: Corrections = NOTHING_ACCEPTED,
) -> dict[str, list[Observed]]:
    """The current observations of each slot that has any, the newest first; ``closed`` has the closings of slots.

    Each version is there with the newest run that reported it, and, as the last ones, the run that replaced everything.
    """
    return {
        slot: _newest_of_versions(runs, replaced=replaced)
        for slot, (runs, replaced) in standing(observations, at, closed, corrections).items()
    }


class Decides(NamedTuple):
    """The newest run that reported a current version, and when, and by whom, a correction was received, beside which it
    is current.
    """

    run: str
    cleared: int | None
    cleared_by: str


Versions = dict[str, Decides]
"""The current versions of a slot."""


def versions_of(observed: Sequence[Observed]) -> Versions:
    """The versions among current observations of a slot, the newest first. One that some run reports by itself is not
    only there beside a correction.
    """
    found: Versions = {}
    for seen in reversed(observed):
        older = found.get(seen.version)
        if older is not None and (older.cleared is None or seen.cleared is None):
            found[seen.version] = Decides(seen.run, None, "")
        else:
            found[seen.version] = Decides(seen.run, seen.cleared, seen.cleared_by)
    return found


class Standing(NamedTuple):
    """What is in force of each run of a slot, the newest first; with ``replaced``, the last one replaced everything."""

    runs: list[list[Observed]]
    replaced: bool


def standing(
    observations: Iterable[Observed],
    at: int = FOREVER,
    closed: Mapping[str, Sequence[Closed]] | None = None,
    corrections: Corrections = NOTHING_ACCEPTED,
) -> dict[str, Standing]:
    """What is in force of the runs of each slot, to the newest that replaced everything; arguments are as in
    ``chosen``.
    """
    drops = closed or {}
    of_slots: dict[str, dict[str, list[Observed]]] = {}
    for seen in observations:
        if seen.first <= at and not _by(seen.failed, at) and not _closed(seen, at, drops.get(seen.slot, ())):
            of_slots.setdefault(seen.slot, {}).setdefault(seen.run, []).append(seen)
    return {slot: _since_replaced(runs.values(), at, corrections) for slot, runs in of_slots.items()}


def _newest_of_versions(runs: Sequence[Sequence[Observed]], *, replaced: bool) -> list[Observed]:
    found: dict[str, Observed] = {}
    for seen in itertools.chain.from_iterable(runs[:-1] if replaced else runs):
        found.setdefault(seen.version, seen)
    return [*found.values(), *(runs[-1] if replaced else ())]


def as_known(observations: Iterable[Observed], at: int) -> list[Observed]:
    """The observations that had been received by the moment, with what was known then of their runs."""
    return [_as_known(seen, at) for seen in observations if seen.known <= at]


def _as_known(seen: Observed, at: int) -> Observed:
    if seen.refuted is not None and seen.refuted > at:
        seen = seen._replace(failed=None, refuted=None)
    if seen.settled is not None and seen.settled > at:
        seen = seen._replace(completed=None, settled=None)
    return seen


class Kept(NamedTuple):
    """What stores keep beside each observation of a run, so that they find by index what may be current: its standing
    where it counts, and of the run the time last reported, whether it keeps what was there, and whether something was
    reported of it late (``corrections``).
    """

    slot: str
    run: str
    version: str
    standing: int | None
    reported: int
    keeps: bool
    late: bool


def kept(observations: Iterable[Observed]) -> list[Kept]:
    """What is kept beside the observations, which are all those of some runs, in order."""
    runs: dict[tuple[str, str], list[Observed]] = {}
    for seen in observations:
        runs.setdefault((seen.slot, seen.run), []).append(seen)
    return [each for _, run in sorted(runs.items()) for each in _kept(run)]


def _kept(run: Sequence[Observed]) -> Iterator[Kept]:
    counting, late = _counting(run, FOREVER), is_late(run)
    reported, keeps = max(seen.last for seen in run), any(seen.keeps for seen in run)
    failed = counting.failed is not None
    stands = counting.static or counting.completed is not None or counting.rank > 0
    for seen in run:
        standing = None if failed or seen is not counting else int(stands)
        yield Kept(seen.slot, seen.run, seen.version, standing, reported, keeps, late)


class Written(NamedTuple):
    """A run wrote with that version of the slot's lineage, some time between ``began`` and ``ended``, under one of the
    ``conditions``.
    """

    slot: str
    version: str
    run: str
    began: int
    ended: int
    conditions: str = NOT_STATED


def writes(
    observations: Iterable[Observed], at: int = FOREVER, corrections: Corrections = NOTHING_ACCEPTED
) -> list[Written]:
    """What runs wrote to the slots, as far as known at the moment.

    A run that failed may have written until then, as a stream or row by row. What was reported of it before a
    correction counts, too.
    """
    of_runs: dict[tuple[str, str], list[Observed]] = {}
    for seen in observations:
        if seen.first <= at and seen.rank:
            of_runs.setdefault((seen.slot, seen.run), []).append(seen)
    return [_write(seen, at) for run in of_runs.values() for seen in _in_force(run, at, corrections)]


def _write(seen: Observed, at: int) -> Written:
    began = seen.first if seen.began is None else min(seen.first, seen.began)
    return Written(seen.slot, seen.version, seen.run, began, _last_seen(seen, at), seen.conditions)


def written_between(written: Iterable[Written]) -> dict[tuple[str, str], tuple[int, int]]:
    """When runs first and last wrote with each (slot, version)."""
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for slot, version, _, began, ended, _ in written:
        first, last = found.get((slot, version), (began, ended))
        found[slot, version] = (min(first, began), max(last, ended))
    return found


def _since_replaced(runs: Iterable[Sequence[Observed]], at: int, corrections: Corrections) -> Standing:
    """What the newest run reported, and the runs before it, to the newest that replaced everything."""
    newest_first = sorted(((_standing(run, at), run) for run in runs), reverse=True, key=itemgetter(0))
    found: list[list[Observed]] = []
    for (stands, *_), run in newest_first:
        if found and not stands:
            break
        found.append(_in_force(run, at, corrections))
        if not any(seen.keeps for seen in run):
            return Standing(found, replaced=True)
    return Standing(found, replaced=False)


def _in_force(run: Sequence[Observed], at: int, corrections: Corrections) -> list[Observed]:
    """The observation that counts of a run's observations of a slot, and what it does not clear."""
    counting = partial(_counting, at=at)
    accepted, covers = corrections.accepted.get(run[0].slot, 0), corrections.covers
    return [counting(run), *reported_before(run, counting, accepted, covers)]


def _counting(run: Sequence[Observed], at: int) -> Observed:
    """The observation that counts of a run's observations of a slot."""
    return max(run, key=lambda seen: (seen.rank, _last_seen(seen, at), seen.version))


def _standing(run: Sequence[Observed], at: int) -> tuple[bool, int, str]:
    """The order of a slot's runs; a run that does not stand has only begun."""
    stands = any(seen.rank > 0 or seen.static or _by(seen.completed, at) for seen in run)
    return (stands, max(_last_seen(seen, at) for seen in run), run[0].run)


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
