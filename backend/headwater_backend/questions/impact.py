"""The impact of changing or dropping a path: affected outputs, jobs, and their owners.

That is everything that the path flows into or decides on, at any distance, by the forward closure over all types. A
job that ``reads`` the path itself fails or changes when it is dropped; the others are affected by what those write.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from headwater_backend.domain import facet_readers
from headwater_backend.domain.facet_readers import Owner
from headwater_backend.domain.model import DatasetKey, Direction, Incomplete, JobKey, NodeKey
from headwater_backend.ports import Datasets, Jobs, LineageAndRuns
from headwater_backend.questions.closure import LineageNode, Reach, lineage
from headwater_backend.questions.levels import LineageJob, jobs_of
from headwater_backend.questions.traversal import ALL_TYPES, Bounds

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class TouchedDataset:
    """A dataset with affected paths, the nearest first; DIRECT when a value arrives at one of them."""

    key: DatasetKey
    distance: int
    reach: Reach
    paths: tuple[LineageNode, ...]
    owners: tuple[Owner, ...]


@dataclass(frozen=True, slots=True)
class TouchedJob:
    """A job that reads the path (``reads``), or what was made of it."""

    key: JobKey
    distance: int
    reach: Reach
    reads: bool
    owners: tuple[Owner, ...]


@dataclass(frozen=True, slots=True)
class AffectedOwner:
    """An owner to inform, with the affected datasets and jobs."""

    owner: Owner
    datasets: tuple[DatasetKey, ...]
    jobs: tuple[JobKey, ...]


@dataclass(frozen=True, slots=True)
class Impact:
    """Everything that a change of the node affects, the nearest first; owners by name."""

    node: NodeKey
    label: str
    outputs: tuple[TouchedDataset, ...]
    jobs: tuple[TouchedJob, ...]
    owners: tuple[AffectedOwner, ...]
    incomplete: tuple[Incomplete, ...]

    @property
    def complete(self) -> bool:
        return not self.incomplete


def impact(store: LineageAndRuns, node: NodeKey, bounds: Bounds | None = None) -> Impact:
    """The impact of the node. Raises ``UnknownDataset``, ``UnknownPath``, ``StoreUnavailable``."""
    graph = lineage(store, node, Direction.FORWARD, ALL_TYPES, bounds)
    outputs = _outputs(store, graph.nodes)
    jobs = _jobs(store, jobs_of(graph, Direction.FORWARD).jobs)
    start = graph.nodes[0]
    return Impact(start.key, start.label, outputs, jobs, _owners(outputs, jobs), graph.incomplete)


def _outputs(store: Datasets, nodes: tuple[LineageNode, ...]) -> tuple[TouchedDataset, ...]:
    by_dataset: dict[DatasetKey, list[LineageNode]] = defaultdict(list)
    for node in nodes:
        if node.distance:
            by_dataset[node.key.dataset].append(node)
    described = store.get_datasets(list(by_dataset))
    touched = [
        TouchedDataset(
            key,
            min(node.distance for node in paths),
            Reach.DIRECT if any(node.reach is Reach.DIRECT for node in paths) else Reach.INFLUENCED,
            tuple(paths),
            facet_readers.owners(described[key].facets) if key in described else (),
        )
        for key, paths in by_dataset.items()
    ]
    return tuple(sorted(touched, key=lambda each: (each.distance, each.key)))


def _jobs(store: Jobs, jobs: tuple[LineageJob, ...]) -> tuple[TouchedJob, ...]:
    described = store.get_jobs([job.key for job in jobs])
    owners = {key: facet_readers.owners(found.facets) for key, found in described.items()}
    return tuple(
        TouchedJob(job.key, job.distance, job.reach, job.distance == 1, owners.get(job.key, ()))
        for job in jobs
    )


def _owners(outputs: tuple[TouchedDataset, ...], jobs: tuple[TouchedJob, ...]) -> tuple[AffectedOwner, ...]:
    datasets = _by_owner({each.key: each.owners for each in outputs})
    of_jobs = _by_owner({each.key: each.owners for each in jobs})
    return tuple(
        AffectedOwner(owner, tuple(datasets.get(owner, ())), tuple(of_jobs.get(owner, ())))
        for owner in sorted({*datasets, *of_jobs}, key=lambda owner: (owner.name, owner.type or ""))
    )


def _by_owner(owned: Mapping[K, tuple[Owner, ...]]) -> dict[Owner, list[K]]:
    found: dict[Owner, list[K]] = defaultdict(list)
    for key, owners in owned.items():
        for owner in dict.fromkeys(owners):
            found[owner].append(key)
    return found
