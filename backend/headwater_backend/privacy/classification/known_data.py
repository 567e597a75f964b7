"""Datasets that have data, as opposed to names that somebody has only mentioned.

Anybody may name a dataset as an input. A pattern that covers nothing but such names may be misspelt, as one that
covers nothing at all.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from headwater_backend.domain.model import DatasetKey, Use
from headwater_backend.ports import CataloguedGraph
from headwater_backend.privacy.classification.place_patterns import (
    DATASETS_AT_ONCE,
    Covering,
    Idle,
    P,
    covering,
    why_idle,
)


def with_data(store: CataloguedGraph, datasets: Sequence[DatasetKey]) -> Set[DatasetKey]:
    """The datasets that a job wrote, or of which a schema or a lineage names a path."""
    written = store.jobs_with(datasets, Use.OUTPUT)
    others = [key for key in datasets if key not in written]
    return {*written, *(key for key, paths in store.paths(others).items() if any(paths))}


def covering_data(store: CataloguedGraph, covered_by: Covering[P]) -> Set[P]:
    """The patterns that cover a dataset with data."""
    found: set[P] = set()
    covered = [key for key, patterns in covered_by.items() if patterns]
    for start in range(0, len(covered), DATASETS_AT_ONCE):
        some = covered[start : start + DATASETS_AT_ONCE]
        undecided = [key for key in some if not found.issuperset(covered_by[key])]
        for key in with_data(store, undecided):
            found.update(covered_by[key])
    return found


def covering_no_data(store: CataloguedGraph, patterns: Sequence[P]) -> dict[P, Idle]:
    """The patterns that cover no dataset with data, each with why."""
    covered_by = covering(store, patterns)
    known = covering_data(store, covered_by)
    return {each: why_idle(store, each, covered_by) for each in patterns if each not in known}
