"""What a change alters downstream: the paths to which the values go on from its place, and the jobs that bring them."""

from __future__ import annotations

from dataclasses import dataclass

from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey
from headwater_backend.privacy.propagation import Propagation


@dataclass(frozen=True, slots=True)
class Downstream:
    """The paths that hold something of a path's values, without itself: how many, of which datasets, by which jobs.

    Datasets and jobs are in the order in which values arrive, then by name. A change alters, or empties, what is there.
    """

    paths: int
    datasets: tuple[DatasetKey, ...]
    jobs: tuple[JobKey, ...]


def downstream(propagation: Propagation, node: NodeKey) -> Downstream:
    """What is downstream of a path that values reach."""
    found: dict[NodeKey, None] = {}
    jobs: dict[JobKey, None] = {}
    level = [node]
    while level:
        fans = [fan for each in level for fan in propagation.leaving(each, None)]
        jobs.update(dict.fromkeys(sorted({fan.job for fan in fans})))
        level = sorted({far for fan in fans for far in fan.fars if far != node and far not in found})
        found.update(dict.fromkeys(level))
    return Downstream(len(found), tuple(dict.fromkeys(far.dataset for far in found)), tuple(jobs))
