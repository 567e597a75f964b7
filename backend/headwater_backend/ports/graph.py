"""The port of that name: PathGraph."""

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
    """Edges between paths, and what is known not to be known of them."""

    def apply(self, batch: Batch) -> None:
        """Store all records of the batch, durably and in one transaction; the same batch twice is once. Its notes
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
        Datasets are named canonically, and the frontier may use any name under which events told of a
        dataset (names that are known from symlinks alone are resolved by ``dataset``). With ``as_of``, what
        was current then. One batched query; the caller never loops over single nodes. A store for which each
        call is dear may answer for nodes that come next as well, as far ``ahead`` as the caller says.
        """
        ...

    def paths(self, datasets: Sequence[DatasetKey]) -> Mapping[DatasetKey, Sequence[PathSteps]]:
        """All known paths of each dataset (schema and edges, inner nodes included), sorted, by the key asked for."""
        ...

    def incomplete(
        self, datasets: Sequence[DatasetKey], as_of: datetime | None = None
    ) -> Sequence[Incomplete]:
        """What is known not to be known about the current lineage into the given datasets. With ``as_of``, about what
        was current then; where schemas do not fit, that is of now.
        """
        ...

    def possible_outputs(
        self, datasets: Sequence[DatasetKey], as_of: datetime | None = None
    ) -> Mapping[DatasetKey, Sequence[Incomplete]]:
        """Of each dataset, by the key asked for, where what is made of it may be: outputs, and paths of outputs, whose
        run read the dataset and of whose current lineage nothing was told, or not what was read
        (``domain.records.unlisted``). Datasets without any are left out. With ``as_of``, as in ``incomplete``.
        """
        ...

    def drifts(self) -> Sequence[Drift]:
        """Where the schemas of writers and readers do not fit together now, by dataset, job and path."""
        ...

    def readings(
        self, dataset: DatasetKey, since: datetime, until: datetime, most: int
    ) -> tuple[Sequence[Reading], bool]:
        """How runs that spoke of the dataset from ``since`` until before ``until`` read its paths, and whether these
        are all: each of the store's lists ends after ``most`` rows.
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
        dataset, and for which no deciding run read another. With ``among``, those of these, by canonical names. With
        ``as_of``, by what was current then and told by then; that chooses among all that was ever told of ``among``.
        """
        ...

    def existing(self, keys: Sequence[DatasetKey], as_of: datetime | None = None) -> Set[DatasetKey]:
        """Those of the datasets that are there, or were at that moment: told of by then, and not dropped since the last
        that was written to them.
        """
        ...

    def unused(self, since: datetime, first: int = 50, after: DatasetKey | None = None) -> Sequence[Unused]:
        """Datasets that no run named as an input from that moment on, in key order. What job events declare is no
        use.
        """
        ...
