"""The port to the names of datasets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from headwater_backend.domain.model import Claim, ClaimPlace, DatasetKey, Renamed
from headwater_backend.domain.records import Batch, DecisionMade


class Names(Protocol):
    """Names of datasets: which of them are names of the same dataset, and claims of callers without that right."""

    def names(self) -> Mapping[DatasetKey, DatasetKey]:
        """Every known name of a dataset with its canonical name, in key order."""
        ...

    def decide(
        self, decisions: Callable[[Sequence[DecisionMade]], Batch], *, dry_run: bool = False
    ) -> Sequence[Renamed]:
        """Store what ``decisions`` returns for all previous decisions, in one transaction, and return the
        names that became another dataset's. With ``dry_run``, nothing is stored. ``decisions`` may be called more than
        once.
        """
        ...

    def claims(
        self, first: int = 50, after: ClaimPlace | None = None, among: Sequence[DatasetKey] | None = None
    ) -> Sequence[Claim]:
        """Facets from callers about datasets of others (``ingest.claims``), in key order. With ``among``, about these
        datasets only, by the names in the events.
        """
        ...
