"""The port to what there is of datasets."""

from __future__ import annotations

from collections.abc import Sequence, Set
from datetime import datetime
from typing import Protocol

from headwater_backend.domain.model import DatasetKey, Reading, Unused


class Presence(Protocol):
    """Which datasets exist, come from nowhere, and are used."""

    def existing(self, keys: Sequence[DatasetKey], as_of: datetime | None = None) -> Set[DatasetKey]:
        """The datasets that exist, or existed at that moment: known by then, and not dropped after the last write to
        them.
        """
        ...

    def sources(
        self,
        first: int = 50,
        after: DatasetKey | None = None,
        among: Sequence[DatasetKey] | None = None,
        as_of: datetime | None = None,
    ) -> Sequence[DatasetKey]:
        """Datasets without inputs of their own, in key order: into which no current lineage leads from another
        dataset, and for which no deciding run read another. With ``among``, only those of these, by canonical names.
        With ``as_of``, by what was current and known at that moment, among all records about ``among``.
        """
        ...

    def unused(self, since: datetime, first: int = 50, after: DatasetKey | None = None) -> Sequence[Unused]:
        """Datasets that no run had as an input from that moment on, in key order. Inputs that only job events declare
        do not count.
        """
        ...

    def readings(
        self, dataset: DatasetKey, since: datetime, until: datetime, most: int
    ) -> tuple[Sequence[Reading], bool]:
        """How runs with events about the dataset from ``since`` until before ``until`` read its paths, and whether
        the list is complete: each of the store's lists ends after ``most`` rows.
        """
        ...
