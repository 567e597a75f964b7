"""The lineage that a job had earlier, and whose data may be left where they were brought, or in copies.

A value is brought by each edge that may carry something of it: also by a decision, and by a filter or a join that tells
it of all rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from headwater_backend.domain.carrying import may_carry
from headwater_backend.domain.node_keys import slot_parts
from headwater_backend.domain.transformations import transformations_of
from headwater_backend.in_force.copies import Copies, End
from headwater_backend.in_force.current import (
    NOTHING_ACCEPTED,
    Closed,
    Corrections,
    chosen,
    writes,
    written_between,
)
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


def left_of_earlier(  # noqa: PLR0917 - records of one question
    observed: Collection[Observed],
    edges: Iterable[EdgeOfSlot],
    closed: Mapping[str, Sequence[Closed]],
    copies: Copies,
    at: int,
    corrections: Corrections = NOTHING_ACCEPTED,
) -> list[LeftEdge]:
    """The edges that carry values, of versions that are not current at the moment, and whose data may be left, without
    those that current versions have as well. ``edges`` are those of all observed versions.
    """
    current = chosen(observed, at, closed, corrections).values()
    now = {(seen.slot, seen.version) for each in current for seen in each}
    of_versions: dict[tuple[str, str], list[EdgeOfSlot]] = defaultdict(list)
    for edge in filter(_carries, edges):
        of_versions[edge.slot, edge.version].append(edge)
    kept = {(key[0], *edge[2:]) for key in now for edge in of_versions[key]}
    return [
        LeftEdge(edge, left.late)
        for (slot, version), span in written_between(writes(observed, at, corrections)).items()
        if (slot, version) not in now and (left := copies.left(slot_parts(slot)[1], *span))
        for edge in of_versions[slot, version]
        if (slot, *edge[2:]) not in kept
    ]


def _carries(edge: EdgeOfSlot) -> bool:
    return any(map(may_carry, transformations_of(edge.transformations)))
