"""Who states Headwater's events and facets, on the wire."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Final


def _version() -> str:
    try:
        return version("headwater")
    except PackageNotFoundError:  # the source tree is on the path, nothing is installed
        return "0"


VERSION: Final = _version()
FACET_PRODUCER: Final = "https://headwater.dev"
"""The ``_producer`` of each facet. The version is only in the event's own producer, to keep events small."""
