"""The canonical text of an edge's transformations: equal transformations have equal text in every store."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from headwater_backend.domain.model import LineageType, Transformation


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
