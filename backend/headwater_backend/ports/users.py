"""The port to those who use datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from headwater_backend.domain.layouts import Layout
from headwater_backend.domain.model import Alike, DatasetKey, JobKey, Use, Used


class DatasetUsers(Protocol):
    """The jobs that read and write datasets, however often each did."""

    def jobs_with(self, datasets: Sequence[DatasetKey], use: Use) -> Mapping[DatasetKey, Sequence[JobKey]]:
        """All jobs of which any run or job event used each dataset so, under any of its names, in key order; datasets
        without any are left out.
        """
        ...

    def used_by_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[Used]]:
        """The datasets that any run or job event of each job read and wrote, inputs first, in key order; without
        facets.
        """
        ...

    def counted_alike(self, datasets: Sequence[DatasetKey], use: Use) -> Sequence[Alike]:
        """What runs that read the datasets (``use``), or wrote them, counted of one of them as others did of another
        dataset that they wrote, or read: sizes and numbers of rows other than 0, sorted. Datasets are named as in the
        events, but those asked for by the key asked for.
        """
        ...

    def found_there(
        self, among: Sequence[DatasetKey] | None = None, as_of: datetime | None = None
    ) -> Mapping[DatasetKey, Sequence[Layout]]:
        """The datasets, if not None among some of canonical names, that were read before anybody is known to have
        written them, or in which a run that wrote there found data that nobody is known to have written, and of whose
        data of then something may be left: with the layouts by which they were ever read.
        """
        ...
