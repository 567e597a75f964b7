"""Who states Headwater's events and facets, on the wire."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from openlineage.client.facet_v2 import BaseFacet

F = TypeVar("F", bound="BaseFacet")


def _version() -> str:
    try:
        return version("headwater")
    except PackageNotFoundError:  # the source tree is on the path, nothing is installed
        return "0"


VERSION: Final = _version()
FACET_PRODUCER: Final = "https://headwater.dev"
"""The ``_producer`` of each facet. The version is only in the event's own producer, to keep events small."""


def stated(facet: F) -> F:
    """The facet, as one that Headwater states."""
    facet._producer = FACET_PRODUCER
    return facet
