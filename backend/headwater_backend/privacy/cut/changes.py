"""Changes of jobs, and what they cost: what their kind does, times the job's factor, times its owners'."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

from headwater_backend.domain.model import JobKey, NodeKey
from headwater_backend.domain.patterns import Pattern
from headwater_backend.privacy.forms import Arrival, Form, weakest

NEVER: Final = math.inf


class Kind(str, Enum):
    """What a change does with a value that a job writes."""

    MASK = "MASK"
    AGGREGATE = "AGGREGATE"
    DROP = "DROP"


_FORMS: Final = {Kind.MASK: Arrival(Form.MASKED), Kind.AGGREGATE: Arrival(Form.AGGREGATED)}


class Place(NamedTuple):
    """A path that a job writes."""

    job: JobKey
    node: NodeKey


class Change(NamedTuple):
    """A change of what a job writes at a path."""

    place: Place
    kind: Kind


def changed(arrival: Arrival, kind: Kind, node: NodeKey) -> Arrival | None:
    """The form in which a value arrives at the node after a change there; None if it does not arrive.

    What only decides which rows there are, or arrived at a whole dataset, is ended by nothing but leaving it out.
    """
    if kind is Kind.DROP:
        return None
    return weakest(arrival, _FORMS[kind]) if node.path else arrival


KINDS: Final[Mapping[Kind, float]] = {Kind.MASK: 1.0, Kind.AGGREGATE: 2.0, Kind.DROP: 3.0}
"""What each kind costs where nothing else is stated."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What changes cost: of kinds, with factors of jobs and of owners."""

    kinds: Mapping[Kind, float] = field(default_factory=lambda: KINDS)
    jobs: tuple[tuple[Pattern, float], ...] = ()
    owners: Mapping[str, float] = field(default_factory=dict)

    def of(self, change: Change, owners: Collection[str] = ()) -> float:
        """What the change costs, if these own its job; ``NEVER`` if it may not be proposed."""
        job = change.place.job
        name = f"{job.namespace} {job.name}"
        factor = next((factor for pattern, factor in self.jobs if pattern.fullmatch(name)), 1.0)
        return (
            self.kinds[change.kind]
            * factor
            * max((self.owners.get(each, 1.0) for each in owners), default=1.0)
        )


NO_COSTS: Final = Costs()
