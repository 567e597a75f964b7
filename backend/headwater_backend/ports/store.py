"""The port to a whole store, and combinations of ports that questions need."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from headwater_backend.domain.model import Dataset, DatasetKey
from headwater_backend.ports.audit import AuditLog
from headwater_backend.ports.catalog import Catalog
from headwater_backend.ports.conditions import Conditions
from headwater_backend.ports.copying import Contents
from headwater_backend.ports.corrections import Corrections
from headwater_backend.ports.dead_letters import DeadLetters
from headwater_backend.ports.graph import PathGraph
from headwater_backend.ports.names import Names
from headwater_backend.ports.runs import RunHistory
from headwater_backend.ports.users import DatasetUsers


class Answering(Protocol):
    """A store that may be unreachable."""

    def ping(self) -> None:
        """Raise ``StoreUnavailable`` unless the store answers."""
        ...


class CataloguedGraph(PathGraph, Catalog, DatasetUsers, Protocol):
    """The ports of most questions about lineage: the edges, and the datasets at their ends with their users."""


class ConditionedGraph(PathGraph, Conditions, Protocol):
    """The ports of searches that look at the conditions on their way."""


class LineageAndRuns(CataloguedGraph, RunHistory, Protocol):
    """The ports of questions about lineage and the runs behind it."""


class CataloguedRuns(RunHistory, Catalog, Protocol):
    """The ports of questions about jobs: their runs, and searches for jobs and datasets."""


class EventStore(PathGraph, DeadLetters, Answering, Protocol):
    """The ports of event ingestion: for the records of events, and for events that cannot be stored."""


class LineageStore(
    PathGraph,
    Conditions,
    Catalog,
    Names,
    Corrections,
    RunHistory,
    DatasetUsers,
    AuditLog,
    DeadLetters,
    Contents,
    Answering,
    Protocol,
):
    """A store of lineage: all ports. Implementations are thread-safe."""

    def known_at(self, moment: datetime) -> LineageStore:
        """The store as it was known at the moment, by when records were received: for questions about lineage and
        personal data. What was received later is as if it had never been; names of datasets, and schemas, are those of
        the present.
        """
        ...

    def close(self) -> None:
        """Release what the store holds."""
        ...


def get_dataset(catalog: Catalog, key: DatasetKey) -> Dataset | None:
    """The dataset, also found under another of its names, or None."""
    return catalog.get_datasets([key]).get(key)
