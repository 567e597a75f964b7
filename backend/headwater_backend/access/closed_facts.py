"""What a reader of some namespaces is shown of single things: no fact of closed ones, and of open ones none that may
name a closed one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from headwater_backend.access.closed_names import ClosedNames
from headwater_backend.domain.model import (
    Dataset,
    DatasetKey,
    Fan,
    Incomplete,
    Job,
    Reading,
    Run,
    RunKey,
    RunPlace,
    StateChange,
    Used,
)

FACETS: Final = frozenset(
    {
        "schema", "documentation", "ownership", "tags", "version", "jobType", "nominalTime",
        "dataQualityMetrics", "dataQualityAssertions", "inputStatistics", "outputStatistics",
    }
)  # fmt: skip
"""The facets of open things that name no other dataset or job, and are shown."""


class ClosedFacts(ClosedNames):
    """Datasets, jobs, runs, edges and gaps as a caller sees them. Details of gaps are left out, as they name things."""

    def fan(self, fan: Fan) -> Fan:
        return Fan(
            self.node(fan.near),
            tuple(map(self.node, fan.fars)),
            self.job(fan.job),
            fan.transformations,
            fan.version,
        )

    def gaps(self, gaps: Sequence[Incomplete]) -> list[Incomplete]:
        return [
            replace(
                gap,
                dataset=self.dataset(gap.dataset),
                path=self.path(gap.dataset, gap.path),
                job=self.job(gap.job) if gap.job else None,
                detail="",
            )
            for gap in gaps
        ]

    def reading(self, dataset: DatasetKey, reading: Reading) -> Reading:
        return Reading(
            runs={self.run_key(run): at for run, at in reading.runs.items()},
            manipulated={self.path(dataset, path): how for path, how in reading.manipulated.items()},
            accessed={self.path(dataset, path): how for path, how in reading.accessed.items()},
        )

    def described(self, dataset: Dataset) -> Dataset:
        if not self.sees(dataset.key.namespace):
            return Dataset(self.dataset(dataset.key), dropped_at=dataset.dropped_at)
        return replace(
            dataset,
            facets=_harmless(dataset.facets),
            names=tuple(map(self.dataset, dataset.names)),
            changes=tuple(map(self.change, dataset.changes)),
        )

    def change(self, change: StateChange) -> StateChange:
        return replace(
            change,
            dataset=self.dataset(change.dataset),
            previous=self.dataset(change.previous) if change.previous else None,
            job=self.job(change.job) if change.job else None,
        )

    def job_facts(self, job: Job) -> Job:
        facets = _harmless(job.facets) if self.sees(job.key.namespace) else {}
        return replace(job, key=self.job(job.key), facets=facets)

    def runs(self, runs: Sequence[Run]) -> list[Run]:
        return [self.run(run) for run in runs]

    def run(self, run: Run) -> Run:
        return replace(
            run,
            job=self.job(run.job),
            facets=_harmless(run.facets) if self.sees(run.job.namespace) else {},
            parent=self.run_key(run.parent) if run.parent else None,
            root=self.run_key(run.root) if run.root else None,
            claimed_parent=self.run_key(run.claimed_parent) if run.claimed_parent else None,
        )

    def used(self, used: Used) -> Used:
        facets = _harmless(used.facets) if self.sees(used.dataset.namespace) else {}
        return replace(used, dataset=self.dataset(used.dataset), facets=facets)

    def run_key(self, key: RunKey) -> RunKey:
        return RunKey(self.job(key.job), key.run_id)

    def real_run(self, key: RunKey) -> RunKey:
        return RunKey(self.real_job(key.job), key.run_id)

    def real_place(self, place: RunPlace | None) -> RunPlace | None:
        return RunPlace(place.first_seen, self.real_run(place.key)) if place else None


def _harmless(facets: Mapping[str, Any]) -> dict[str, Any]:
    return {name: body for name, body in facets.items() if name in FACETS}
