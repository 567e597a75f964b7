"""Aggregates that are of one person: those whose group is a person.

A sum of a person's payments is still about that person. So a value that is aggregated in groups, or over windows, by
a path that identifies a person counts as computed from the value. A path identifies a person if an attribute of an
identifying category is there, as a value or a pseudonym; so does an aggregate of one person. Quasi-identifiers, such as
a city or a gender, do so only if there are several different ones. What groups rows is an INDIRECT edge into their
dataset, or into the aggregated path.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Final

from headwater_backend.domain.model import Direction, Fan, JobKey, LineageType, NodeKey
from headwater_backend.ports import Edges
from headwater_backend.privacy.classification.categories import TOGETHER
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.forms import Form, is_grouped
from headwater_backend.privacy.propagation import Grouped, Propagation
from headwater_backend.questions.traversal import Exploration

GROUPS: Final = frozenset({"GROUP_BY", "WINDOW"})
IDENTIFIES: Final = (Form.IDENTITY, Form.TRANSFORMED, Form.PSEUDONYMISED)


def aggregated(found: Exploration) -> set[NodeKey]:
    """The paths into which the exploration found aggregates, and the datasets of whose groups something decided."""
    return {far for fans in found.fans.values() for fan in fans if _aggregates(fan) for far in fan.fars}


def _aggregates(fan: Fan) -> bool:
    return any(is_grouped(kind) and not kind.carries_structure for kind in fan.transformations)


def group_keys(store: Edges, outputs: Collection[NodeKey], as_of: datetime | None) -> Sequence[Fan]:
    """What groups the rows of the outputs: fans from each output, or what is around it, to its keys."""
    indirect = frozenset({LineageType.INDIRECT})
    fans = store.neighbours(sorted(outputs), Direction.BACKWARD, indirect, as_of).fans
    return [fan for fan in fans if any(kind.subtype in GROUPS for kind in fan.transformations)]


def grouped_by_person(keys: Iterable[Fan], found: Propagation, identifying: Collection[Attribute]) -> Grouped:
    """What jobs group by person, by the propagation of what identifies a person, alone or together."""
    by: dict[tuple[JobKey, NodeKey], int] = defaultdict(int)
    for fan in keys:
        for far in fan.fars:
            by[fan.job, fan.near] |= found.held_at(far, IDENTIFIES)
    judge = _Judge(found, identifying)
    return frozenset(group for group, bits in by.items() if judge.tells_one_person(bits))


class _Judge:
    """The attributes that identify persons, as the bits of a propagation."""

    def __init__(self, found: Propagation, identifying: Collection[Attribute]) -> None:
        places = {node: place for place, node in enumerate(found.starts)}
        here = [(1 << places[each.node], each) for each in identifying if each.node in places]
        self._alone = reduce(or_, (bit for bit, each in here if each.identifies_alone), 0)
        self._together: dict[tuple[str, ...], int] = defaultdict(int)
        for bit, each in here:
            if each.identifies_together:
                self._together[each.categories] |= bit

    def tells_one_person(self, bits: int) -> bool:
        """Whether these identify a person, one alone or several different ones together."""
        return (
            bool(bits & self._alone) or sum(bool(bits & each) for each in self._together.values()) >= TOGETHER
        )
