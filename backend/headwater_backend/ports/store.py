"""The whole store: all ports at once, as both stores implement them."""

from __future__ import annotations

from typing import Protocol

from headwater_backend.domain.model import Dataset, DatasetKey
from headwater_backend.ports.audit import AuditLog
from headwater_backend.ports.catalog import Catalog
from headwater_backend.ports.copying import Contents
from headwater_backend.ports.dead_letters import DeadLetters
from headwater_backend.ports.graph import PathGraph
from headwater_backend.ports.names import Names
from headwater_backend.ports.runs import RunHistory


class Answering(Protocol):
    """Something that may be away."""

    def ping(self) -> None:
        """Raise ``StoreUnavailable`` unless the store answers."""
        ...


class CataloguedGraph(PathGraph, Catalog, Protocol):
    """What most questions about lineage need: the edges, and what the datasets at their ends are."""


class CataloguedRuns(RunHistory, Catalog, Protocol):
    """What questions about jobs need: their runs, and how jobs and datasets are found."""


class EventStore(PathGraph, DeadLetters, Answering, Protocol):
    """What taking in events needs: a place for their records, and one for those that cannot be stored."""


class LineageStore(
    PathGraph, Catalog, Names, RunHistory, AuditLog, DeadLetters, Contents, Answering, Protocol
):
    """A place where lineage is kept. Implementations are thread-safe."""

    def close(self) -> None:
        """Release what the store holds."""
        ...


def get_dataset(catalog: Catalog, key: DatasetKey) -> Dataset | None:
    """The dataset, also found under a symlinked name, or None."""
    return catalog.get_datasets([key]).get(key)
