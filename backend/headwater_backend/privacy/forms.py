"""The forms in which a value arrives, and the effect of each edge on the form.

A route's form is the weakest on it, in this order:

IDENTITY
    the value itself: moved, renamed, nested in a list, or picked out of several;
TRANSFORMED
    computed from it: a substring, a cast, a UDF, a decrypted value;
PSEUDONYMISED
    a hash, a digest, an encrypted value: equal values stay equal, and whoever has the key or a list of values finds
    the person again. Still personal data (recital 26 of the GDPR);
AGGREGATED
    computed from many such values: a sum, an average, a count;
MASKED
    characters of it replaced, or the number of its elements;
POSSIBLE
    perhaps the value: a program collected it, and later used a constant, a row or a function here
    (access ``DRIVER``, ``OPAQUE``); where such a constant only decides, it is INFLUENCED;
INFLUENCED
    not the value, but it decided which rows are there, or where: FILTER, JOIN, GROUP_BY, …

``collect_list`` and ``max`` are aggregations in OpenLineage's terms, but one person's value survives them
unchanged: what only NESTs or PICKs counts as IDENTITY here, and as TRANSFORMED after something was computed from it.
Masking by a function that is not known, or that a producer does not name, counts as PSEUDONYMISED, the stronger of the
two. From the first INDIRECT edge on, a route is POSSIBLE or
INFLUENCED, with that edge's subtype as its *kind*, whatever follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from headwater_backend.domain.model import LineageType, Transformation

DRIVER = "DRIVER"
"""The access to data that an application collected before it made its output."""
_REPLACING = frozenset({"mask"})
"""Functions that replace characters."""
_RESTORING = frozenset({"aes_decrypt", "try_aes_decrypt"})
"""Functions that undo a pseudonym."""


class Form(IntEnum):
    """The form in which a value arrives; the lower, the stronger."""

    IDENTITY = 0
    TRANSFORMED = 1
    PSEUDONYMISED = 2
    AGGREGATED = 3
    MASKED = 4
    POSSIBLE = 5
    INFLUENCED = 6


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
    if t.carries_structure and not t.masking:
        return Arrival(Form.IDENTITY)
    if restores(t):
        return Arrival(Form.TRANSFORMED)
    return Arrival(max(_steps(t), default=Form.TRANSFORMED))


def restores(transformation: Transformation) -> bool:
    """Whether a pseudonym may become a readable value again."""
    return not _RESTORING.isdisjoint(transformation.functions)


def _steps(t: Transformation) -> Iterator[Form]:
    """The forms that the steps of a transformation give a value, apart from those that move it or compute from it."""
    if "AGGREGATE" in t.manipulation or (t.subtype == "AGGREGATION" and not t.manipulation):
        yield Form.AGGREGATED
    if "COUNT" in t.manipulation:
        yield Form.AGGREGATED if t.subtype == "AGGREGATION" else Form.MASKED
    if "MASK" in t.manipulation or (t.masking and not t.manipulation):
        yield Form.PSEUDONYMISED if _REPLACING.isdisjoint(t.functions) else Form.MASKED


def weakest(before: Arrival, after: Arrival) -> Arrival:
    """The form of a route after another step; an influence keeps the kind with which it began."""
    return before if before.form >= after.form else after


@lru_cache(maxsize=65_536)
def onward(before: Arrival, kinds: tuple[Transformation, ...]) -> tuple[Arrival, ...]:
    """The forms in which a value leaves an edge, the strongest first."""
    return tuple(sorted({_after(before, kind) for kind in kinds}))


def _after(before: Arrival, transformation: Transformation) -> Arrival:
    if before.form is Form.PSEUDONYMISED and restores(transformation):
        return arrival(transformation)
    return weakest(before, arrival(transformation))
