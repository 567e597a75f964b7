"""The forms in which a value arrives, and the effect of each edge on the form.

A route's form is the weakest on it, in this order:

IDENTITY
    the value itself: moved, renamed, nested in a list, or picked out of several;
TRANSFORMED
    computed from it: a substring, a cast, a UDF;
AGGREGATED
    computed from many such values: a sum, an average;
MASKED
    a hash, a digest, a mask, a count: OpenLineage's ``masking``;
POSSIBLE
    perhaps the value: a program collected it, and later used a constant, a row or a function here
    (access ``DRIVER``, ``OPAQUE``); where such a constant only decides, it is INFLUENCED;
INFLUENCED
    not the value, but it decided which rows are there, or where: FILTER, JOIN, GROUP_BY, …

``collect_list`` and ``max`` are aggregations in OpenLineage's terms, but one person's value survives them
unchanged: what only NESTs or PICKs counts as IDENTITY here. From the first INDIRECT edge on, a route is POSSIBLE or
INFLUENCED, with that edge's subtype as its *kind*, whatever follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from headwater_backend.domain.model import LineageType, Transformation

DRIVER = "DRIVER"
"""The access to data that an application collected before it made its output."""


class Form(IntEnum):
    """The form in which a value arrives; the lower, the stronger."""

    IDENTITY = 0
    TRANSFORMED = 1
    AGGREGATED = 2
    MASKED = 3
    POSSIBLE = 4
    INFLUENCED = 5


@dataclass(frozen=True, slots=True, order=True)
class Arrival:
    """A form; ``kind`` is the subtype or access of the influence with which it began, else empty."""

    form: Form
    kind: str = ""


WHOLE = Arrival(Form.IDENTITY)


def may_carry(transformation: Transformation) -> bool:
    """Whether the target may hold something of the value."""
    return transformation.type is LineageType.DIRECT or _may_stand(transformation)


def _may_stand(transformation: Transformation) -> bool:
    """Whether a value that a program collected may itself be in the target."""
    return transformation.access == DRIVER and "OPAQUE" in transformation.manipulation


@lru_cache(maxsize=65_536)
def carrying(kinds: tuple[Transformation, ...]) -> tuple[Transformation, ...]:
    """The transformations that may carry something of the value."""
    return tuple(filter(may_carry, kinds))


def arrival(transformation: Transformation) -> Arrival:
    """The form in which a value comes out of one transformation."""
    t = transformation
    if t.type is LineageType.INDIRECT:
        return Arrival(Form.POSSIBLE, DRIVER) if _may_stand(t) else Arrival(Form.INFLUENCED, t.subtype)
    if t.masking:
        return Arrival(Form.MASKED)
    if t.carries_structure:
        return Arrival(Form.IDENTITY)
    return Arrival(Form.AGGREGATED if t.subtype == "AGGREGATION" else Form.TRANSFORMED)


def weakest(before: Arrival, after: Arrival) -> Arrival:
    """The form of a route after another step; an influence keeps the kind with which it began."""
    return before if before.form >= after.form else after


@lru_cache(maxsize=65_536)
def onward(before: Arrival, kinds: tuple[Transformation, ...]) -> tuple[Arrival, ...]:
    """The forms in which a value leaves an edge, the strongest first."""
    return tuple(sorted({weakest(before, arrival(kind)) for kind in kinds}))
