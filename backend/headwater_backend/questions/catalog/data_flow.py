"""The data flow between all datasets: which jobs read and write them.

This is the whole store at a glance, by what runs and job events declare, and by what lineage says was handed over to
programs. It says nothing about paths, and it is the present state; the lineage of a node has both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Protocol

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.facet_readers import Owner, owners
from headwater_backend.domain.model import (
    DRIVER_NAMESPACE,
    DatasetKey,
    Direction,
    JobKey,
    NodeKey,
    Use,
    Used,
)
from headwater_backend.domain.patterns import DatasetPattern, any_names
from headwater_backend.ports import Catalog, PathGraph, RunHistory
from headwater_backend.questions.traversal import ALL_TYPES, Bounds, explore

MOST: Final = 5_000
"""The largest number of datasets in one answer."""
_JOBS: Final = 1_000
_MAX_NODES: Final = 1_000_000


class FlowStore(Catalog, PathGraph, RunHistory, Protocol):
    """The ports that the data flow is read from."""


@dataclass(frozen=True, slots=True)
class FlowDataset:
    """A dataset; ``gaps`` is the number of known gaps in the lineage into it."""

    key: DatasetKey
    owners: tuple[Owner, ...]
    gaps: int


@dataclass(frozen=True, slots=True)
class Flow:
    """A dataset that a job read or wrote."""

    dataset: DatasetKey
    job: JobKey
    use: Use


@dataclass(frozen=True, slots=True)
class DataFlow:
    """Datasets in key order, the jobs next to them, and the flows between both; ``total`` also counts what ``first``
    left out, and ``gap_count`` the known gaps in the lineage into all of these.
    """

    datasets: tuple[FlowDataset, ...]
    jobs: tuple[JobKey, ...]
    flows: tuple[Flow, ...]
    total: int
    gap_count: int


def data_flow(store: FlowStore, within: Sequence[DatasetPattern] = (), first: int = 1_000) -> DataFlow:
    """The data flow between the first datasets that match one of the patterns, or all; raises ``BadQuestion``."""
    if not 0 < first <= MOST:
        raise BadQuestion(f"a data flow of {first} datasets", f"first is from 1 to {MOST}")
    known = store.dataset_keys()
    keys = sorted(key for key in store.existing(known) if not within or any_names(within, key))
    shown = keys[:first]
    flows = _flows(store, frozenset(known), frozenset(shown))
    gaps = Counter(entry.dataset for entry in store.incomplete(keys))
    labels = store.labelled_datasets()
    return DataFlow(
        datasets=tuple(FlowDataset(key, owners(labels.get(key, {})), gaps[key]) for key in shown),
        jobs=tuple(sorted({flow.job for flow in flows})),
        flows=flows,
        total=len(keys),
        gap_count=gaps.total(),
    )


def _flows(store: FlowStore, known: frozenset[DatasetKey], shown: frozenset[DatasetKey]) -> tuple[Flow, ...]:
    used: dict[JobKey, Sequence[Used]] = {}
    place: JobKey | None = None
    while jobs := store.jobs_like("", _JOBS, place):
        used.update(store.used_by_jobs(jobs))
        place = jobs[-1]
    others = {each.dataset for uses in used.values() for each in uses} - known
    canonical = {name: dataset.key for name, dataset in store.get_datasets(sorted(others)).items()}
    flows = {
        Flow(key, job, each.use)
        for job, uses in used.items()
        for each in uses
        if (key := canonical.get(each.dataset, each.dataset)) in shown
    }
    flows.update(_handed_over(store, shown))
    return tuple(sorted(flows, key=lambda flow: (flow.job, flow.dataset, flow.use.value)))


def _handed_over(store: FlowStore, shown: frozenset[DatasetKey]) -> Iterator[Flow]:
    """From jobs to the programs that collected what they read, which no event declares as written."""
    drivers = [NodeKey(key, ()) for key in sorted(shown) if key.namespace.startswith(DRIVER_NAMESPACE)]
    found = explore(store, drivers, Direction.BACKWARD, ALL_TYPES, Bounds(depth=1, nodes=_MAX_NODES))
    for fan in chain.from_iterable(found.fans.values()):
        yield Flow(fan.near.dataset, fan.job, Use.OUTPUT)
