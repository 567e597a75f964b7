"""The ports to the edges between paths, and to their conditions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from headwater_backend.domain.model import (
    Ahead,
    DatasetKey,
    Direction,
    LineageType,
    Making,
    Neighbours,
    NodeKey,
    PathSteps,
    Writer,
)

NOTHING_AHEAD = Ahead(hops=0, nodes=0)


class Edges(Protocol):
    """Edges between paths."""

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


class Conditions(Protocol):
    """The predicates under which versions of lineage were made."""

    def writers(self, datasets: Sequence[DatasetKey], as_of: datetime | None = None) -> Sequence[Writer]:
        """Of all edges into any path of the datasets, the jobs and the versions (``Fan.version``), each once, now or at
        the moment. Outputs are named as they were asked for. One batched query.
        """
        ...

    def conditions(
        self, versions: Collection[str], as_of: datetime | None = None
    ) -> Mapping[str, Sequence[Making]]:
        """The conditions under which runs made what the output of each version (``Fan.version``) may hold now, or held
        at that moment, each once: at least one for each version, without conditions where these are not known. The
        predicates of one making hold together; which of the makings something was made under is not known. Operators
        in the predicates are those in the version's transformations. One batched query for all versions.
        """
        ...
