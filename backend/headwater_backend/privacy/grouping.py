"""Aggregates that are of one person: those whose group is a person.

A sum of a person's payments is still about that person. So a value that is aggregated in groups, or over windows, by
a path that identifies a person counts as computed from the value. A path identifies a person if an attribute of an
identifying category is there, as a value or a pseudonym; so does an aggregate of one person. What groups rows is an
INDIRECT edge into their dataset, or into the aggregated path.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final

from headwater_backend.domain.model import Direction, Fan, LineageType, NodeKey
from headwater_backend.ports import PathGraph
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.propagation import Grouped, Propagation
from headwater_backend.questions.traversal import Exploration

GROUPS: Final = frozenset({"GROUP_BY", "WINDOW"})
IDENTIFIES: Final = (Form.IDENTITY, Form.TRANSFORMED, Form.PSEUDONYMISED)


def aggregated(found: Exploration) -> set[NodeKey]:
    """The paths into which the exploration found aggregates."""
    return {far for fans in found.fans.values() for fan in fans if _aggregates(fan) for far in fan.fars}


def _aggregates(fan: Fan) -> bool:
    return any(kind.subtype == "AGGREGATION" and not kind.carries_structure for kind in fan.transformations)


def group_keys(store: PathGraph, outputs: Collection[NodeKey], as_of: datetime | None) -> Sequence[Fan]:
    """What groups the rows of the outputs: fans from each output, or what is around it, to its keys."""
    indirect = frozenset({LineageType.INDIRECT})
    fans = store.neighbours(sorted(outputs), Direction.BACKWARD, indirect, as_of).fans
    return [fan for fan in fans if any(kind.subtype in GROUPS for kind in fan.transformations)]


def grouped_by_person(keys: Iterable[Fan], identifying: Propagation, starts: Collection[NodeKey]) -> Grouped:
    """What jobs group by person; ``starts`` are the attributes that identify a person."""
    named = frozenset(starts)
    bits = sum(1 << place for place, node in enumerate(identifying.starts) if node in named)
    return frozenset(
        (fan.job, fan.near)
        for fan in keys
        if any(identifying.held_at(far, IDENTIFIES) & bits for far in fan.fars)
    )
