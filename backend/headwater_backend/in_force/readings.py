"""How runs read the paths of a dataset: from rows to ``Reading``.

A run that reads a stored path under another name uses both: the name in its lineage, and the stored path.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from headwater_backend.domain.model import OF_ROWS, JobKey, PathSteps, Reading, RunKey, Transformation
from headwater_backend.domain.moments import moment
from headwater_backend.domain.node_keys import dataset_part, job_of, node_of
from headwater_backend.domain.transformations import transformations_of

K = TypeVar("K")


class ManipulatedRow(NamedTuple):
    """An edge out of the dataset; ``source`` is a node key."""

    version: str
    source: str
    transformations: str


class RunOfRow(NamedTuple):
    """A run that reported a version, and the time of its last event."""

    version: str
    run: str
    run_id: str
    last: int


class AccessedRow(NamedTuple):
    """A ``headwater_access`` facet of a run."""

    run: str
    run_id: str
    last: int
    digest: str
    body: str


class StoredRow(NamedTuple):
    """A job that reads as ``target`` what is stored as ``source``; both are node keys of the dataset."""

    job: str
    source: str
    target: str
    transformations: str


def readings(
    manipulated: Collection[ManipulatedRow],
    runs: Collection[Sequence[Any]],
    facets: Collection[Sequence[Any]],
    stored: Collection[Sequence[Any]],
    most: int,
) -> tuple[list[Reading], bool]:
    """The readings, and whether none of the lists was cut.

    There is one for each version and each form of the facet, and of jobs that read stored paths by other names one for
    each such job. ``runs``, ``facets`` and ``stored`` are the columns of
    ``RunOfRow``, ``AccessedRow`` and ``StoredRow``.
    """
    names = _names_of_jobs(map(StoredRow._make, stored))
    read = (
        *_by_version(manipulated, map(RunOfRow._make, runs)),
        *_by_facet(map(AccessedRow._make, facets)),
    )
    found = [each for reading in read for each in _of_jobs(reading, names)]
    return found, max(map(len, (manipulated, runs, facets, stored))) < most


def _by_version(manipulated: Iterable[ManipulatedRow], runs: Iterable[RunOfRow]) -> Iterable[Reading]:
    ways: dict[str, dict[PathSteps, dict[Transformation, None]]] = defaultdict(lambda: defaultdict(dict))
    for row in manipulated:
        kinds = transformations_of(row.transformations)
        if kinds != OF_ROWS:  # no path is read for that
            ways[row.version][node_of(row.source).path].update(dict.fromkeys(kinds))
    runs_of: dict[str, dict[RunKey, datetime]] = defaultdict(dict)
    for run in runs:
        runs_of[run.version][_run(run.run, run.run_id)] = moment(run.last)
    for version in sorted(ways.keys() & runs_of.keys()):
        yield Reading(
            runs_of[version], manipulated={path: tuple(kinds) for path, kinds in ways[version].items()}
        )


def _by_facet(rows: Iterable[AccessedRow]) -> Iterable[Reading]:
    bodies: dict[str, str] = {}
    runs_of: dict[str, dict[RunKey, datetime]] = defaultdict(dict)
    for row in rows:
        bodies[row.digest] = row.body
        runs_of[row.digest][_run(row.run, row.run_id)] = moment(row.last)
    for digest in sorted(bodies):
        yield Reading(runs_of[digest], accessed=dict(_entries(json.loads(bodies[digest]))))


class _Names:
    """The stored paths behind the names by which a job reads them."""

    def __init__(self) -> None:
        self._at: dict[PathSteps, list[tuple[PathSteps, bool]]] = defaultdict(list)
        self._below: dict[PathSteps, list[PathSteps]] = defaultdict(list)

    def add(self, stored: PathSteps, read: PathSteps, *, same_below: bool) -> None:
        self._at[read].append((stored, same_below))
        for end in range(1, len(read)):
            self._below[read[:end]].append(stored)

    def stored(self, read: PathSteps) -> Iterator[PathSteps]:
        """The stored paths that are read with that path: of its ancestors, of itself, and of its descendants."""
        for end in range(1, len(read) + 1):
            for stored, same_below in self._at.get(read[:end], ()):
                yield stored + read[end:] if same_below else stored
        yield from self._below.get(read, ())


def _names_of_jobs(rows: Iterable[StoredRow]) -> dict[JobKey, _Names]:
    found: dict[JobKey, _Names] = defaultdict(_Names)
    for row in rows:
        same_below = all(each.carries_structure for each in transformations_of(row.transformations))
        stored, read = node_of(row.source).path, node_of(row.target).path
        found[job_of(row.job)].add(stored, read, same_below=same_below)
    return dict(found)


def _of_jobs(reading: Reading, names: Mapping[JobKey, _Names]) -> Iterator[Reading]:
    """The reading with the stored paths, split by the jobs that read them by other names."""
    parts: dict[JobKey | None, dict[RunKey, datetime]] = defaultdict(dict)
    for run, last in reading.runs.items():
        parts[run.job if run.job in names else None][run] = last
    for job, runs in parts.items():
        part = replace(reading, runs=runs)
        if job is not None:
            manipulated = _with_stored(part.manipulated, names[job])
            part = replace(part, manipulated=manipulated, accessed=_with_stored(part.accessed, names[job]))
        yield part


def _with_stored(read: Mapping[PathSteps, tuple[K, ...]], names: _Names) -> dict[PathSteps, tuple[K, ...]]:
    found: dict[PathSteps, dict[K, None]] = defaultdict(dict)
    for path, kinds in read.items():
        for each in (path, *names.stored(path)):
            found[each].update(dict.fromkeys(kinds))
    return {path: tuple(kinds) for path, kinds in found.items()}


def _entries(facet: Any) -> Iterable[tuple[PathSteps, tuple[str, ...]]]:
    """The entries of the facet; anything of another form is skipped."""
    entries = facet.get("paths") if isinstance(facet, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        known = entry if isinstance(entry, dict) else {}
        path, access = _texts(known.get("path")), _texts(known.get("access"))
        if path is not None and access is not None:
            yield path, access


def _texts(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return None
    return tuple(value)


def _run(key: str, run_id: str) -> RunKey:
    return RunKey(job_of(dataset_part(key)), run_id)
