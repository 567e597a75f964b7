"""Transformations of edges: their canonical text, and which of them may carry something of a value.

Equal transformations have equal text in every store. One carries a value if its target may tell more of it than that it
had an influence.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from headwater_backend.domain.model import LineageType, Transformation
from headwater_facets.kinds import Access, Subtype

DRIVER = "DRIVER"
"""The access to data that an application collected before it made its output."""


def text_of(transformations: Iterable[Transformation]) -> str:
    """The canonical text: sorted, without repetitions, defaults left out."""
    return _cached_text(tuple(transformations))


@lru_cache(maxsize=16_384)
def _cached_text(transformations: tuple[Transformation, ...]) -> str:
    return "[" + ",".join(sorted({_canonical(t) for t in transformations})) + "]"


def _canonical(t: Transformation) -> str:
    entry: dict[str, Any] = {"type": t.type.value, "subtype": t.subtype}
    if t.masking:
        entry["masking"] = True
    if t.manipulation:
        entry["manipulation"] = t.manipulation
    if t.access is not None:
        entry["access"] = t.access
    if t.at:
        entry["at"] = t.at
    if t.functions:
        entry["functions"] = t.functions
    if t.operators:
        entry["operators"] = t.operators
    if t.retains is not None:
        entry["retains"] = t.retains
    return json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@lru_cache(maxsize=16_384)
def transformations_of(text: str) -> tuple[Transformation, ...]:
    """The inverse of ``text_of``."""
    return tuple(
        Transformation(
            type=LineageType(entry["type"]),
            subtype=entry["subtype"],
            masking=entry.get("masking", False),
            manipulation=tuple(entry.get("manipulation", ())),
            access=entry.get("access"),
            at=tuple(entry.get("at", ())),
            functions=tuple(entry.get("functions", ())),
            operators=tuple(entry.get("operators", ())),
            retains=entry.get("retains"),
        )
        for entry in json.loads(text)
    )


@lru_cache(maxsize=16_384)
def of_types(text: str, types: frozenset[LineageType]) -> tuple[Transformation, ...]:
    """The transformations of the given types, out of their canonical text."""
    return tuple(t for t in transformations_of(text) if t.type in types)


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
