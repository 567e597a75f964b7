"""One mapping of a lineage facet of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from headwater_backend.domain.model import PACKED, NodeKey, PathSteps, Transformation

UNSPECIFIED = Transformation()
"""The transformation of an input field without any: DIRECT, and not identical for subtrees."""


class Mapped(NamedTuple):
    """A mapping from an input path to an output path."""

    source: NodeKey
    target: PathSteps
    transformations: tuple[Transformation, ...]
    identical: bool
    """Whether the facet itself has the transformations, so that they hold for each subpath."""


def packed_at(path: PathSteps, names: Sequence[str] | None) -> PathSteps:
    """The path of what is packed under the names in the text at the path; without names, the text."""
    return (*path, PACKED, *names) if names else path


@lru_cache(maxsize=16_384)
def shared(*parts: Any) -> Transformation:
    """A transformation, the same object for the same parts: an event repeats a few of them for all its paths."""
    return Transformation(*parts)
