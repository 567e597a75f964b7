"""How runs read the paths of a dataset: from rows to ``Reading``."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from headwater_backend.keys import dataset_part, job_of, node_of
from headwater_backend.model import PathSteps, Reading, RunKey, Transformation
from headwater_backend.moments import moment
from headwater_backend.transformations import transformations_of


class MovedRow(NamedTuple):
    """An edge out of the dataset; ``source`` is a node key."""

    version: str
    source: str
    transformations: str


class RunOfRow(NamedTuple):
    """A run that told a version, and when it was heard of last."""

    version: str
    run: str
    run_id: str
    last: int


class LookedAtRow(NamedTuple):
    """A ``headwater_access`` facet of a run."""

    run: str
    run_id: str
    last: int
    digest: str
    body: str


def readings(
    moved: Collection[MovedRow], runs: Collection[RunOfRow], facets: Collection[LookedAtRow], most: int
) -> tuple[list[Reading], bool]:
    """The readings, one for each version and each form of the facet; whether none of the lists was cut."""
    found = [*_by_version(moved, runs), *_by_facet(facets)]
    return found, max(len(moved), len(runs), len(facets)) < most


def _by_version(moved: Iterable[MovedRow], runs: Iterable[RunOfRow]) -> Iterable[Reading]:
    ways: dict[str, dict[PathSteps, dict[Transformation, None]]] = defaultdict(lambda: defaultdict(dict))
    for row in moved:
        ways[row.version][node_of(row.source).path].update(
            dict.fromkeys(transformations_of(row.transformations))
        )
    told: dict[str, dict[RunKey, datetime]] = defaultdict(dict)
    for run in runs:
        told[run.version][_run(run.run, run.run_id)] = moment(run.last)
    for version in sorted(ways.keys() & told.keys()):
        yield Reading(told[version], moved={path: tuple(kinds) for path, kinds in ways[version].items()})


def _by_facet(rows: Iterable[LookedAtRow]) -> Iterable[Reading]:
    bodies: dict[str, str] = {}
    told: dict[str, dict[RunKey, datetime]] = defaultdict(dict)
    for row in rows:
        bodies[row.digest] = row.body
        told[row.digest][_run(row.run, row.run_id)] = moment(row.last)
    for digest in sorted(bodies):
        yield Reading(told[digest], looked_at=dict(_entries(json.loads(bodies[digest]))))


def _entries(facet: Any) -> Iterable[tuple[PathSteps, tuple[str, ...]]]:
    """What is said in the facet's own form; anything else says nothing."""
    entries = facet.get("paths") if isinstance(facet, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        told = entry if isinstance(entry, dict) else {}
        path, access = _texts(told.get("path")), _texts(told.get("access"))
        if path is not None and access is not None:
            yield path, access


def _texts(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return None
    return tuple(value)


def _run(key: str, run_id: str) -> RunKey:
    return RunKey(job_of(dataset_part(key)), run_id)
