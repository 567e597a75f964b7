"""One statement of a lineage facet, whichever facet said it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from headwater_backend.domain.model import NodeKey, PathSteps, Transformation

UNSAID = Transformation()
"""What an input field without transformations counts as: DIRECT, and no claim about subtrees."""


class Mapped(NamedTuple):
    """This input path is in that output path, so."""

    source: NodeKey
    target: PathSteps
    transformations: tuple[Transformation, ...]
    identical: bool
    """Whether the facet said itself how, so that it can be believed of each subpath."""


@lru_cache(maxsize=16_384)
def shared(*parts: Any) -> Transformation:
    """The same object for the same parts: an event repeats a few transformations for all its paths."""
    return Transformation(*parts)
