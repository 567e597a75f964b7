"""What an edge does to a value, in words."""

from __future__ import annotations

from headwater_backend.domain.model import Edge, Transformation
from headwater_backend.reports.languages.catalogue import Words


def how(words: Words, edge: Edge) -> str:
    """A description of what the job did: ``computed (parsed, as another type)``."""
    return "; ".join(dict.fromkeys(_kind(words, kind) for kind in edge.transformations))


def _kind(words: Words, kind: Transformation) -> str:
    known = (words.known(f"manipulations.{name}") for name in kind.manipulation)
    detail = [text for text in known if text]
    base = words("subtypes.MASKED") if kind.masking else words.of("subtypes", kind.subtype)
    return f"{base} ({', '.join(detail)})" if detail else base
