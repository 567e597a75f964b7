"""Pruning: which old runs can be deleted, because no question needs them.

A run can be deleted when its last event is before the moment, and

1. it decides no output's lineage, neither now nor at any moment from then on: of the old runs of a slot
   (``current``) those that were current just before the moment stay, because they are so until newer ones are, and of
   those that kept what was there, the newest with each of the conditions (``making``);
2. it is not the newest of its job,
3. it is not the newest that read one of its inputs: so that unused datasets stay known, and
4. it does not show that data may be left somewhere which a job brought earlier (``copies``): it is neither the
   first nor the last that wrote with a version of lineage whose data may be left, under the same conditions, nor the
   first or the last that copied them to where they are, nor the one that ended them where they were.

With it are deleted its facets, its inputs and outputs, and the versions of lineage that no other run has. Datasets,
jobs, paths and their facets stay, and so do job events, other names, and the creation, renaming and dropping of
datasets. Questions about earlier moments are answered from what is left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from headwater_backend.domain.node_keys import slot_parts
from headwater_backend.in_force.copies import Copies, Route, Window
from headwater_backend.in_force.current import Closed, Written, standing, writes, written_between
from headwater_backend.in_force.observed import Observed

RUNS_AT_ONCE: Final = 500


class OfJob(NamedTuple):
    """A run of a job, and when it was first seen."""

    run: str
    job: str
    first: int


class ReadBy(NamedTuple):
    """A run read the dataset, last at that moment."""

    dataset: str
    run: str
    last: int


def newest_of_jobs(runs: Iterable[OfJob]) -> set[str]:
    """The newest run of each job (rule 2), of those that were first seen last."""
    newest: dict[str, tuple[int, str]] = {}
    for each in runs:
        newest[each.job] = max(newest.get(each.job, (each.first, each.run)), (each.first, each.run))
    return {run for _, run in newest.values()}


def newest_readers(reads: Iterable[ReadBy]) -> set[str]:
    """The newest run that read each dataset (rule 3), of those that read it last."""
    newest: dict[str, tuple[int, str]] = {}
    for each in reads:
        newest[each.dataset] = max(newest.get(each.dataset, (each.last, each.run)), (each.last, each.run))
    return {run for _, run in newest.values()}


def needed(
    observations: Iterable[Observed],
    recent: Collection[str],
    before: int,
    closed: Mapping[str, Sequence[Closed]],
) -> set[str]:
    """The old runs that decide a slot at a moment from ``before`` on; ``recent`` are runs with events since then."""
    old = (seen for seen in observations if not seen.static and seen.run not in recent)
    kept: set[str] = set()
    for runs, replaced in standing(old, before - 1, closed).values():
        newest: dict[tuple[str, str], str] = {}
        for seen in chain.from_iterable(runs):
            newest.setdefault((seen.version, seen.conditions), seen.run)
        kept.update(newest.values(), (seen.run for seen in runs[-1] if replaced))
    return kept


def first_and_last(runs: Iterable[Written]) -> set[str]:
    """The run that began first, and the one that ended last."""
    written = list(runs)
    if not written:
        return set()
    first = min(written, key=lambda write: (write.began, write.run))
    last = max(written, key=lambda write: (write.ended, write.run))
    return {first.run, last.run}


def showing(
    observations: Iterable[Observed],
    before: int,
    copies: Copies,
    copying: Callable[[Route], Iterable[Written]],
) -> set[str]:
    """The runs by which it is known what may be left at the moment of data that were written to the slots (rule 4);
    ``copying`` returns the runs that copied data on a route.
    """
    written = writes(observations, before - 1)
    alike: dict[tuple[str, str, str], list[Written]] = defaultdict(list)
    for write in written:
        alike[write.slot, write.version, write.conditions].append(write)
    kept: set[str] = set()
    known: dict[tuple[Window, str], Route] = {}
    for (slot, *_), some in alike.items():
        (span,) = written_between(some).values()
        routes = copies.routes(slot_parts(slot)[1], *span)
        if routes is not None:
            kept |= first_and_last(some)
            known.update(((route.window, route.output), route) for route in routes)
    return kept.union(*(first_and_last(copying(route)) | {route.ended_by} for route in known.values()))
