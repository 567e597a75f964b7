"""The names of datasets, paths, jobs and reports in RDF: URNs, whose parts are percent-encoded."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from headwater_backend.reports.document.model import Place

BASE: Final = "urn:headwater:"


def place_name(place: Place) -> str:
    """The name of a dataset or of a path of it, below the base."""
    parts = ("path", place.namespace, place.name, place.path)
    return _joined(*(parts if place.path else ("dataset", place.namespace, place.name)))


def job_name(namespace: str, name: str) -> str:
    """The name of a job, below the base."""
    return _joined("job", namespace, name)


def local_name(kind: str, *parts: str) -> str:
    """The name of something else, below the base."""
    return _joined(kind, *parts)


def _joined(kind: str, *parts: str) -> str:
    return ":".join([kind, *(quote(part, safe="", errors="replace") for part in parts)])
