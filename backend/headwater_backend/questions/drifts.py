"""Readers whose schemas do not fit what is written, so that lineage stops between a writer and a reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from headwater_backend.domain.model import DatasetKey, Drift, JobKey, NodeKey
from headwater_backend.ports import CataloguedGraph
from headwater_backend.questions.resolving import labels


@dataclass(frozen=True, slots=True)
class UnfitReader:
    """A job that reads the ``unwritten`` paths of the dataset, which nobody writes; the ``unread`` ones are written,
    and may be what it reads. ``detail`` describes both schemas.
    """

    dataset: DatasetKey
    job: JobKey
    detail: str
    unwritten: tuple[str, ...]
    unread: tuple[str, ...]


def unfit_readers(store: CataloguedGraph) -> list[UnfitReader]:
    """All such readers at present, by dataset and job. Raises ``StoreUnavailable``."""
    drifts = sorted(store.drifts(), key=_reader)
    names = labels(store, [NodeKey(each.dataset, each.path) for each in drifts])
    return [
        UnfitReader(*reader, _labels(some, names, written=False), _labels(some, names, written=True))
        for reader, found in groupby(drifts, key=_reader)
        for some in [list(found)]
    ]


def _reader(drift: Drift) -> tuple[DatasetKey, JobKey, str]:
    return drift.dataset, drift.job, drift.detail


def _labels(drifts: Sequence[Drift], names: dict[NodeKey, str], *, written: bool) -> tuple[str, ...]:
    return tuple(names[NodeKey(each.dataset, each.path)] for each in drifts if each.written is written)
