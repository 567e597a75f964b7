"""What an edge does to a value, in words."""

from __future__ import annotations

from headwater_backend.domain.model import Edge, Transformation
from headwater_backend.reports.languages.catalogue import Words
from headwater_facets.kinds import Retains, Subtype


def how(words: Words, edge: Edge) -> str:
    """A description of what the job did: ``computed (parsed, as another type)``."""
    return "; ".join(dict.fromkeys(_kind(words, kind) for kind in edge.transformations))


def _base(kind: Transformation) -> str:
    """The key of what it does at all: what is masked but can be read or tried out is not called masked."""
    if kind.subtype == Subtype.TRANSFORMATION and kind.retains in (Retains.VALUE, Retains.CONTAINS):
        return "READABLE"
    if kind.masking:
        return "SHORT" if kind.retains == Retains.PART else "MASKED"
    return kind.subtype


def _kind(words: Words, kind: Transformation) -> str:
    known = (words.known(f"manipulations.{name}") for name in kind.manipulation)
    detail = [text for text in known if text]
    base = words.of("subtypes", _base(kind))
    return f"{base} ({', '.join(detail)})" if detail else base
