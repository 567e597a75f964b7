"""The port to the graph of paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from typing import Protocol

from headwater_backend.domain.model import (
    Ahead,
    DatasetKey,
    Direction,
    Drift,
    Incomplete,
    LineageType,
    Neighbours,
    NodeKey,
    PathSteps,
    Reading,
    Unused,
)
from headwater_backend.domain.records import Batch

NOTHING_AHEAD = Ahead(hops=0, nodes=0)


class PathGraph(Protocol):
    """Edges between paths, and where they are known to be incomplete."""

    def apply(self, batch: Batch) -> None:
        """Store all records of the batch, durably and in one transaction; applying it again changes nothing. Its notes
        are appended to the audit log in the same transaction, each time.
        """
        ...

    def neighbours(
        self,
        frontier: Sequence[NodeKey],
        direction: Direction,
        types: frozenset[LineageType],
        as_of: datetime | None = None,
        ahead: Ahead = NOTHING_AHEAD,
    ) -> Neighbours:
        """The current edges of the given types whose near end (target for BACKWARD, source for FORWARD)
        is comparable with a frontier node: the same path, an ancestor of it (the empty path is an ancestor
        of all), or a descendant. Edges are returned as stored, each in one fan, transformations filtered by type.
        Datasets are named canonically, and the frontier may use any name under which events reported a
        dataset (names that are known from symlinks alone are resolved by ``get_datasets``). With ``as_of``, what
        was current then. One batched query; the caller never loops over single nodes. A store for which each
        call is expensive may also answer for nodes that come next, at most as far ``ahead`` as given.
        """
        ...

    def paths(self, datasets: Sequence[DatasetKey]) -> Mapping[DatasetKey, Sequence[PathSteps]]:
        """All known paths of each dataset (schema and edges, inner nodes included), sorted, by the key asked for."""
        ...

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

    def readings(
        self, dataset: DatasetKey, since: datetime, until: datetime, most: int
    ) -> tuple[Sequence[Reading], bool]:
        """How runs with events about the dataset from ``since`` until before ``until`` read its paths, and whether
        the list is complete: each of the store's lists ends after ``most`` rows.
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

    def existing(self, keys: Sequence[DatasetKey], as_of: datetime | None = None) -> Set[DatasetKey]:
        """The datasets that exist, or existed at that moment: known by then, and not dropped after the last write to
        them.
        """
        ...

    def unused(self, since: datetime, first: int = 50, after: DatasetKey | None = None) -> Sequence[Unused]:
        """Datasets that no run had as an input from that moment on, in key order. Inputs that only job events declare
        do not count.
        """
        ...
