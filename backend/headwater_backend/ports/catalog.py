"""The ports to the catalog of datasets and jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from headwater_backend.domain.model import Dataset, DatasetKey, DatasetPage, JobKey, NodeKey
from headwater_backend.ports.decisions import Decisions


class Datasets(Protocol):
    """Known datasets."""

    def get_datasets(self, keys: Sequence[DatasetKey]) -> Mapping[DatasetKey, Dataset]:
        """Each dataset, by the key asked for, also found under another of its names; unknown ones are left out."""
        ...

    def datasets(self, search: str | None = None, first: int = 50, after: str | None = None) -> DatasetPage:
        """Datasets in key order; ``search`` is a case-insensitive substring of namespace or name. Without
        any (``first=0``), only their number is read.
        """
        ...

    def dataset_keys(self) -> Sequence[DatasetKey]:
        """All dataset keys, by their canonical names, in key order."""
        ...


class Searches(Protocol):
    """Searches for a part of a name or a path."""

    def datasets_like(
        self, text: str, first: int = 50, after: DatasetKey | None = None
    ) -> Sequence[DatasetKey]:
        """Datasets one of whose names contains the text, whatever its case, by their canonical names, in key order."""
        ...

    def paths_like(self, text: str, first: int = 50, after: NodeKey | None = None) -> Sequence[NodeKey]:
        """Paths whose steps, with dots between them, contain the text, whatever its case, in the order of their text
        keys (``headwater_backend.domain.node_keys``), datasets by their canonical names.
        """
        ...

    def jobs_like(self, text: str, first: int = 50, after: JobKey | None = None) -> Sequence[JobKey]:
        """Jobs whose namespace or name contains the text, whatever its case, in key order."""
        ...


class Labels(Protocol):
    """What labels datasets, their fields, and jobs."""

    def labelled_datasets(self) -> Mapping[DatasetKey, Mapping[str, Any]]:
        """The ``tags`` and ``ownership`` facets of every dataset that has any, by its canonical name."""
        ...

    def labelled_jobs(self) -> Mapping[JobKey, Mapping[str, Any]]:
        """The ``tags`` and ``ownership`` facets of every job that has any."""
        ...

    def tagged_fields(self) -> Sequence[tuple[NodeKey, str, str]]:
        """Every field tag of the standard ``tags`` facet: (node, tag key, tag value)."""
        ...


class StewardDecisions(Protocol):
    """The decisions of stewards."""

    def decisions(self) -> Decisions:
        """All decisions, about names and about personal data, oldest first, as they are stored now."""
        ...
