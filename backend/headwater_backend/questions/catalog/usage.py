"""Usage: datasets that nobody reads any more, and how the columns of a dataset are used.

A run *uses* a dataset when it has it as an input; the last such time counts, whatever the end of the run. A job event
declares what a program reads, and is no use.

A run uses a path according to its lineage, when that has an edge from the path, or to the ``headwater_access`` facet
of an input, which also lists paths that reached no output. How it was *accessed* are the kinds of access (FILTER,
JOIN, GROUP_BY, PROJECT, …) and the influences; how it was *manipulated* are the manipulations of its direct edges
(COPY, EXTRACT, COMPUTE, …), or OpenLineage's subtypes, where an agent reports no manipulation. Two paths are *used
together* when one run uses both. The empty path stands for a dataset as a whole. Where a run reads a stored path by
another name, both names are used.

A path without known use may be used nevertheless: where a job reads the dataset by a schema that does not fit
(SCHEMA_DRIFT), such paths are not listed as unused; where a job does not list what it read (UNTRACED), any may be
used.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import NamedTuple

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import (
    SCHEMA_DRIFT,
    DatasetKey,
    JobKey,
    LineageType,
    NodeKey,
    PathSteps,
    Reading,
    RunKey,
    Transformation,
    Unused,
)
from headwater_backend.domain.moments import micros
from headwater_backend.domain.pages import Page, page, read_cursor, size
from headwater_backend.ports import CataloguedGraph, Presence
from headwater_backend.questions.origins import existing
from headwater_backend.questions.resolving import labels, resolve_dataset

MOST_ROWS = 200_000
PAIRED = 100
"""Pairs are made of the paths that most runs used, up to this many."""

PATHS = 200
PAIRS = 50
MOST = 10_000


class Count(NamedTuple):
    """The number of runs that did something, such as FILTER."""

    what: str
    runs: int


@dataclass(frozen=True, slots=True)
class PathUse:
    """How a path was used; ``last`` is the time of the last event of a run that uses it."""

    path: PathSteps
    label: str
    runs: int
    jobs: int
    last: datetime
    accessed: tuple[Count, ...]
    manipulated: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class UsedTogether:
    """Two paths that the same runs used."""

    one: PathSteps
    other: PathSteps
    labels: tuple[str, str]
    runs: int
    jobs: int


@dataclass(frozen=True, slots=True)
class ColumnUsage:
    """The paths of a dataset by how many runs used them, and the pairs that were used together, likewise.

    ``unused`` are known paths that no run used, nor their ancestors or descendants. ``cut`` has the reasons why the
    answer is not complete: ROWS for a limit of the store, PATHS, PAIRS and PAIRED for limits of the answer,
    SCHEMA_DRIFT and UNTRACED for unknown use.
    """

    dataset: DatasetKey
    runs: int
    paths: tuple[PathUse, ...]
    pairs: tuple[UsedTogether, ...]
    unused: tuple[PathSteps, ...]
    cut: tuple[str, ...]

    @property
    def complete(self) -> bool:
        return not self.cut


def unused(
    store: Presence, since: datetime, first: int | None = None, after: str | None = None
) -> Page[Unused]:
    """A page of datasets that no run used from that moment on and that still exist, in key order."""
    wanted, place = size(first, "datasets"), DatasetKey(*read_cursor(after, (str, str))) if after else None
    found = existing(
        store,
        wanted + 1,
        place,
        lambda count, behind: store.unused(since, count, behind),
        lambda each: each.key,
    )
    return page(found, wanted)


def column_usage(
    store: CataloguedGraph,
    key: DatasetKey,
    since: datetime,
    until: datetime,
    *,
    paths: int = PATHS,
    pairs: int = PAIRS,
) -> ColumnUsage:
    """How the dataset's paths were used from ``since`` until before ``until``.

    Raises ``UnknownDataset``, and ``BadQuestion`` for an empty window and for limits out of range.
    """
    if micros(until) <= micros(since):
        raise BadQuestion("the window ends before it begins", "since is before until")
    for name, limit in (("paths", paths), ("pairs", pairs)):
        if not 0 <= limit <= MOST:
            raise BadQuestion(f"{name} is {limit}", f"{name} is from 0 to {MOST}")
    own = resolve_dataset(store, key).key
    readings, whole = store.readings(own, since, until, MOST_ROWS)
    tally = _Tally(readings)
    used = tally.uses()
    names = {node.path: text for node, text in labels(store, (NodeKey(own, path) for path in used)).items()}
    together = tally.pairs(used)
    unread = store.possible_outputs([own], until).get(own, ())
    drifted = [gap.path for gap in unread if gap.reason == SCHEMA_DRIFT]
    cuts = (
        ("ROWS", not whole),
        ("PATHS", len(used) > paths),
        ("PAIRED", len(used) > PAIRED),
        ("PAIRS", len(together) > pairs),
        ("SCHEMA_DRIFT", bool(drifted)),
        ("UNTRACED", len(unread) > len(drifted)),
    )
    known = store.paths([own])[own]
    return ColumnUsage(
        dataset=own,
        runs=len(tally.readings_of_run),
        paths=tuple(tally.path_use(path, names[path]) for path in used[:paths]),
        pairs=tuple(
            UsedTogether(one, other, (names[one], names[other]), *counts)
            for (one, other), counts in together[:pairs]
        ),
        unused=tuple(_untouched(known, [*used, *drifted])),
        cut=tuple(name for name, is_cut in cuts if is_cut),
    )


class _Tally:
    """Counts of runs by what they did. Runs with the same readings are counted together."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self._readings = readings
        self._paths = [frozenset({*reading.manipulated, *reading.accessed}) for reading in readings]
        self.readings_of_run: dict[RunKey, list[int]] = defaultdict(list)
        for number, reading in enumerate(readings):
            for run in reading.runs:
                self.readings_of_run[run].append(number)
        self._alike: dict[tuple[int, ...], list[RunKey]] = defaultdict(list)
        for run, numbers in self.readings_of_run.items():
            self._alike[tuple(numbers)].append(run)

    def uses(self) -> list[PathSteps]:
        """The used paths, those of most runs first."""
        runs: Counter[PathSteps] = Counter()
        for numbers, alike in self._alike.items():
            for path in self._union(numbers):
                runs[path] += len(alike)
        return sorted(runs, key=lambda path: (-runs[path], path))

    def path_use(self, path: PathSteps, label: str) -> PathUse:
        """The use of a path."""
        accessed: Counter[str] = Counter()
        manipulated: Counter[str] = Counter()
        runs, jobs, last = 0, set[JobKey](), []
        for numbers, alike in self._alike.items():
            using = [self._readings[number] for number in numbers if path in self._paths[number]]
            if not using:
                continue
            runs += len(alike)
            jobs.update(run.job for run in alike)
            last.append(max(reading.runs[run] for reading in using for run in alike))
            for names, counter in (
                (_accessed(using, path), accessed),
                (_manipulated(using, path), manipulated),
            ):
                counter.update(dict.fromkeys(names, len(alike)))
        return PathUse(path, label, runs, len(jobs), max(last), _counts(accessed), _counts(manipulated))

    def pairs(self, used: Sequence[PathSteps]) -> list[tuple[tuple[PathSteps, PathSteps], tuple[int, int]]]:
        """The pairs of the most used paths with how many runs and jobs used both, those of most runs first."""
        runs: Counter[tuple[PathSteps, PathSteps]] = Counter()
        jobs: dict[tuple[PathSteps, PathSteps], set[JobKey]] = defaultdict(set)
        most = set(used[:PAIRED])
        for numbers, alike in self._alike.items():
            by = {run.job for run in alike}
            for pair in combinations(sorted(self._union(numbers) & most), 2):
                runs[pair] += len(alike)
                jobs[pair] |= by
        ordered = sorted(runs, key=lambda pair: (-runs[pair], pair))
        return [(pair, (runs[pair], len(jobs[pair]))) for pair in ordered]

    def _union(self, numbers: Iterable[int]) -> set[PathSteps]:
        return {path for number in numbers for path in self._paths[number]}


def _accessed(using: Iterable[Reading], path: PathSteps) -> set[str]:
    facets = {kind for reading in using for kind in reading.accessed.get(path, ())}
    kinds = _kinds(using, path, LineageType.INDIRECT)
    return facets | {kind.access or kind.subtype for kind in kinds}


def _manipulated(using: Iterable[Reading], path: PathSteps) -> set[str]:
    kinds = _kinds(using, path, LineageType.DIRECT)
    return {name for kind in kinds for name in kind.manipulation or (kind.subtype,)}


def _kinds(using: Iterable[Reading], path: PathSteps, type_: LineageType) -> list[Transformation]:
    return [kind for reading in using for kind in reading.manipulated.get(path, ()) if kind.type is type_]


def _counts(counter: Mapping[str, int]) -> tuple[Count, ...]:
    return tuple(
        Count(what, runs) for what, runs in sorted(counter.items(), key=lambda each: (-each[1], each[0]))
    )


def _untouched(known: Iterable[PathSteps], used: Iterable[PathSteps]) -> Iterable[PathSteps]:
    """The known paths that are not used, nor any ancestor or descendant of them."""
    touched = set(used)
    holding = {path[:end] for path in touched for end in range(len(path) + 1)}
    for path in known:
        above = (path[:end] for end in range(len(path) + 1))
        if path not in holding and touched.isdisjoint(above):
            yield path
