"""Searchable text of names and paths, and the facets that label datasets and jobs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from headwater_backend.domain.model import DatasetKey, JobKey
from headwater_backend.domain.node_keys import dataset_of, dataset_part, escape, job_of, unescape
from headwater_backend.in_force.datasets.facets import FacetRow, newest

NUL = "\0"


def names_searched(key: str) -> str:
    """The searchable text of a dataset's or a job's key: namespace and name, in lower case."""
    return unescape(key[:-1].replace("/", "\n")).lower()


def steps_searched(key: str) -> str:
    """The searchable text of a node's key: its steps with dots between them, in lower case."""
    return unescape(key[len(dataset_part(key)) : -1].replace("/", ".")).lower()


def in_the_key(text: str) -> str:
    """A part of the text, in lower case, that every node's key contains whose steps contain the text."""
    return max(escape(text).lower().split("."), key=len)


def of_datasets(rows: Iterable[FacetRow], own: Mapping[str, str]) -> dict[DatasetKey, dict[str, Any]]:
    """The newest facets of each dataset by its canonical name; ``own`` leads from other names to it."""
    found: dict[str, list[FacetRow]] = {}
    for row in rows:
        key = row.owner.removeprefix("dataset ")
        found.setdefault(own.get(key, key), []).append(row)
    return {dataset_of(key): dict(newest(facets)) for key, facets in sorted(found.items())}


def of_jobs(rows: Iterable[FacetRow]) -> dict[JobKey, dict[str, Any]]:
    """The facets of each job."""
    found: dict[str, list[FacetRow]] = {}
    for row in rows:
        found.setdefault(row.owner.removeprefix("job "), []).append(row)
    return {job_of(key): dict(newest(facets)) for key, facets in sorted(found.items())}
