"""The ports to the history of jobs and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from headwater_backend.domain.model import DatasetKey, Job, JobKey, Run, RunKey, RunPlace, Use, Used


class Runs(Protocol):
    """Runs of jobs, and the runs below them."""

    def runs(self, job: JobKey, first: int = 50, after: RunPlace | None = None) -> Sequence[Run]:
        """The job's runs after that place, newest first: by the time they were first seen, then by key."""
        ...

    def newest_runs(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Run]:
        """The newest run of each job, in the order of ``runs``; jobs without a run are left out."""
        ...

    def get_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        """Each run, by the key asked for; unknown ones are left out."""
        ...

    def child_runs(self, run_id: str, first: int = 50, after: RunPlace | None = None) -> Sequence[Run]:
        """The runs whose ``parent`` facet names that run, in the order of ``runs``."""
        ...

    def runs_below(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[RunKey]]:
        """The runs that each run started, those that they started, and so on, in key order; runs without any are left
        out.
        """
        ...


class Jobs(Protocol):
    """Jobs, and the jobs below them."""

    def get_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Job]:
        """Each job with its facets (ownership, documentation, sql, …), by key; unknown ones are left out."""
        ...

    def jobs_below(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[JobKey]]:
        """The jobs of the runs below any run of each job, in key order; jobs without any are left out."""
        ...


class RunUse(Protocol):
    """What runs read and wrote."""

    def runs_with(
        self,
        datasets: Sequence[DatasetKey],
        use: Use | None = None,
        first: int = 50,
        after: RunPlace | None = None,
    ) -> Mapping[DatasetKey, Sequence[Run]]:
        """For each dataset up to ``first`` runs that read it under any of its names, or wrote it (``use``), in the
        order of ``runs``; datasets without any are left out.
        """
        ...

    def used_by_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[Used]]:
        """The datasets that each run read and wrote, inputs first, in key order, with their input and output facets."""
        ...
