"""The ports to gaps of lineage, and to what was corrected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from headwater_backend.domain.model import Correction, DatasetKey, Drift, Incomplete


class Gaps(Protocol):
    """Where lineage is known to be incomplete."""

    def incomplete(
        self,
        datasets: Sequence[DatasetKey],
        as_of: datetime | None = None,
        *,
        earlier: bool = False,
        only: str | None = None,
    ) -> Sequence[Incomplete]:
        """The gaps of the current lineage into the given datasets. With ``as_of``, those of what was current then;
        schema drifts are always the present ones. With ``earlier``, also the paths into which an earlier run wrote what
        its job no longer writes, and which nothing certainly replaced since (EARLIER_LINEAGE), and what was not known
        of where that came from. ``only`` is the one reason that is asked for.
        """
        ...

    def possible_outputs(
        self, datasets: Sequence[DatasetKey], as_of: datetime | None = None, *, earlier: bool = False
    ) -> Mapping[DatasetKey, Sequence[Incomplete]]:
        """Of each dataset, by the key asked for, the outputs and paths of outputs that may hold its data: their run
        read the dataset, and their current lineage is missing or does not list what was read
        (``domain.records.unlisted``). Datasets without any are left out. ``as_of`` is as in ``incomplete``; with
        ``earlier``, also the paths of the dataset itself that an earlier run took to such a place.
        """
        ...

    def drifts(self) -> Sequence[Drift]:
        """The places where the current schemas of writers and readers do not fit, by dataset, job and path."""
        ...


class Corrections(Protocol):
    """What was reported again about runs that had ended."""

    def corrections(self) -> Sequence[Correction]:
        """All that nobody has accepted, by dataset, job and moment."""
        ...
