"""Which edges may carry something of a value: those by which its target may tell more than that it had an influence."""

from __future__ import annotations

from typing import Final

from headwater_backend.domain.model import LineageType, Transformation
from headwater_facets.kinds import Access, Subtype

DRIVER = "DRIVER"
"""The access to data that an application collected before it made its output."""


def may_carry(transformation: Transformation) -> bool:
    """Whether the target may hold something of the value."""
    t = transformation
    return t.type is LineageType.DIRECT or t.retains is not None or may_stand(t) or decides(t)


def may_stand(transformation: Transformation) -> bool:
    """Whether a value that a program collected may itself be in the target."""
    return transformation.access == DRIVER and "OPAQUE" in transformation.manipulation


def decides(transformation: Transformation) -> bool:
    """Whether the value decides, for each record, what the target is."""
    t = transformation
    return (
        t.type is LineageType.INDIRECT and t.subtype == Subtype.CONDITIONAL and t.access not in _NOT_BY_VALUE
    )


_NOT_BY_VALUE: Final = (DRIVER, Access.NULL_TEST, Access.FILTER)
"""Accesses of decisions that do not tell the value: of a program's constants, by whether it is null, about rows."""
