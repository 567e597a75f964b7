"""The port of that name: Names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from headwater_backend.domain.model import Claim, ClaimPlace, DatasetKey, Renamed
from headwater_backend.domain.records import Batch, DecisionMade


class Names(Protocol):
    """Names of datasets: which of them mean the same one, and what callers claim without the right to decide it."""

    def names(self) -> Mapping[DatasetKey, DatasetKey]:
        """Every known name of a dataset with its canonical name, in key order."""
        ...

    def decide(
        self, decisions: Callable[[Sequence[DecisionMade]], Batch], *, dry_run: bool = False
    ) -> Sequence[Renamed]:
        """Store what ``decisions`` makes of all decisions about names that were made so far, in one transaction; the
        names that are another dataset's by then. With ``dry_run``, nothing is kept. It may be called more than once.
        """
        ...

    def claims(
        self, first: int = 50, after: ClaimPlace | None = None, among: Sequence[DatasetKey] | None = None
    ) -> Sequence[Claim]:
        """What callers said of datasets that are not theirs (``ingest.claims``), in key order. With ``among``, of these
        datasets, by the names that the events gave them.
        """
        ...
