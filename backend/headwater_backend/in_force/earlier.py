"""The lineage that a job had earlier, and whose data may be left where they were brought, or in copies.

A value is brought by each edge that may carry something of it: also by a decision, and by a filter or a join that tells
it of all rows.

So it is by an earlier *reading*: a job read a path of a dataset under another name (``drift``), which it does no more,
because it reads with another layout now, or because what was written so has been replaced. What it made of that may be
left in its outputs, or in what was made of these.

What was not known of an earlier version is not known of what is left of it, either.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from headwater_backend.domain.node_keys import dataset_part, slot_parts
from headwater_backend.domain.transformations import may_carry, transformations_of
from headwater_backend.in_force.copies import Copies, End, Left
from headwater_backend.in_force.current import (
    NOTHING_ACCEPTED,
    Closed,
    Corrections,
    chosen,
    writes,
    written_between,
)
from headwater_backend.in_force.drift import ReadAsRow
from headwater_backend.in_force.observed import Observed


class EdgeOfSlot(NamedTuple):
    """An edge of a version of a slot; both ends are node keys."""

    slot: str
    version: str
    source: str
    target: str
    transformations: str


class LeftEdge(NamedTuple):
    """An edge whose data may be left; with ``late``, only because that end was received afterwards."""

    edge: EdgeOfSlot
    late: End | None = None


class Earlier(NamedTuple):
    """Versions, each as slot and version: those that are current, and earlier ones whose data may be left."""

    current: Set[tuple[str, str]]
    left: Mapping[tuple[str, str], Left]


def earlier_versions(
    observed: Collection[Observed],
    closed: Mapping[str, Sequence[Closed]],
    copies: Copies,
    at: int,
    corrections: Corrections = NOTHING_ACCEPTED,
) -> Earlier:
    """The versions of the observed slots at the moment."""
    current = chosen(observed, at, closed, corrections).values()
    now = {(seen.slot, seen.version) for each in current for seen in each}
    return Earlier(
        now,
        {
            (slot, version): left
            for (slot, version), span in written_between(writes(observed, at, corrections)).items()
            if (slot, version) not in now and (left := copies.left(slot_parts(slot)[1], *span))
        },
    )


def left_of_earlier(edges: Iterable[EdgeOfSlot], earlier: Earlier) -> list[LeftEdge]:
    """The edges that carry values, of versions whose data may be left, without those that current versions have as
    well. ``edges`` are those of all versions.
    """
    of_versions: dict[tuple[str, str], list[EdgeOfSlot]] = defaultdict(list)
    for edge in filter(_carries, edges):
        of_versions[edge.slot, edge.version].append(edge)
    kept = {(key[0], *edge[2:]) for key in earlier.current for edge in of_versions[key]}
    return [
        LeftEdge(edge, left.late)
        for key, left in earlier.left.items()
        for edge in of_versions[key]
        if (key[0], *edge[2:]) not in kept
    ]


class Reading(NamedTuple):
    """A run of ``job`` first reported at ``read`` to read ``dataset``, and wrote ``output`` while it was under way."""

    dataset: str
    job: str
    read: int
    output: str
    began: int
    ended: int


class LeftReading(NamedTuple):
    """A way by which a job no longer reads, whose data may be left; ``late`` is as in ``LeftEdge``."""

    way: ReadAsRow
    late: End | None = None


def left_of_readings(
    ways: Iterable[ReadAsRow],
    readings: Iterable[Reading],
    anew: Mapping[tuple[str, str], int],
    copies: Copies,
) -> list[LeftReading]:
    """The ways that are not current, and whose data may be left in what the job made of them. ``readings`` are those of
    the ways' datasets and jobs, ``anew`` is since when the job reads the dataset with its newest layout.
    """
    spans: dict[tuple[str, str], dict[str, tuple[int, int]]] = defaultdict(dict)
    for each in readings:
        key = (each.dataset, each.job)
        if each.read < max(anew.get(key, 0), copies.ended(each.dataset)):
            first, last = spans[key].get(each.output, (each.began, each.ended))
            spans[key][each.output] = (min(first, each.began), max(last, each.ended))
    found: dict[tuple[str, str], Left | None] = {}
    for key, outputs in spans.items():
        found[key] = _any_left(copies.left(output, *span) for output, span in outputs.items())
    return [
        LeftReading(way, left.late)
        for way in ways
        if not way.current and (left := found.get((dataset_part(way.target), way.job)))
    ]


def _any_left(outputs: Iterable[Left | None]) -> Left | None:
    """The reason that holds for certain, if there is one."""
    known = [each for each in outputs if each is not None]
    return next((each for each in known if each.late is None), known[0] if known else None)


def _carries(edge: EdgeOfSlot) -> bool:
    return any(map(may_carry, transformations_of(edge.transformations)))
