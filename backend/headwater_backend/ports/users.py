"""The port to those who use datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from headwater_backend.domain.model import DatasetKey, JobKey, Use


class DatasetUsers(Protocol):
    """The jobs that read and write datasets, however often each did."""

    def jobs_with(self, datasets: Sequence[DatasetKey], use: Use) -> Mapping[DatasetKey, Sequence[JobKey]]:
        """All jobs of which any run or job event used each dataset so, under any of its names, in key order; datasets
        without any are left out.
        """
        ...
