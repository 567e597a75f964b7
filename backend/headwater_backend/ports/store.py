"""A whole store, and the combinations of ports that questions need."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from headwater_backend.domain.model import Dataset, DatasetKey
from headwater_backend.ports.audit import AuditLog
from headwater_backend.ports.catalog import Datasets, Labels, Searches, StewardDecisions
from headwater_backend.ports.copying import Contents
from headwater_backend.ports.dead_letters import DeadLetters
from headwater_backend.ports.gaps import Corrections, Gaps
from headwater_backend.ports.graph import Conditions, Edges
from headwater_backend.ports.names import Names
from headwater_backend.ports.overview import Overview
from headwater_backend.ports.presence import Presence
from headwater_backend.ports.records import Records
from headwater_backend.ports.runs import Jobs, Runs, RunUse
from headwater_backend.ports.users import DatasetUsers


class Answering(Protocol):
    """A store that may be unreachable."""

    def ping(self) -> None:
        """Raise ``StoreUnavailable`` unless the store answers."""
        ...


class PathGraph(Edges, Gaps, Presence, Protocol):
    """The ports of questions about lineage: the edges, where these are incomplete, and the datasets at their ends."""


class Catalog(Datasets, Searches, Labels, StewardDecisions, Protocol):
    """Known datasets and jobs, what labels them, what stewards decided, and searches for them."""


class RunHistory(Runs, Jobs, RunUse, DatasetUsers, Protocol):
    """Jobs, their runs, and what these read and wrote."""


class NamedEdges(Edges, Datasets, Protocol):
    """The ports of questions that follow edges, and name the datasets at their ends."""


class CataloguedGraph(PathGraph, Catalog, DatasetUsers, Protocol):
    """The ports of most questions about lineage: the edges, and the datasets at their ends with their users."""


class ConditionedGraph(PathGraph, Conditions, Protocol):
    """The ports of searches that look at the conditions on their way."""


class LineageAndRuns(CataloguedGraph, RunHistory, Protocol):
    """The ports of questions about lineage and the runs behind it."""


class CataloguedRuns(RunHistory, Catalog, Protocol):
    """The ports of questions about jobs: their runs, and searches for jobs and datasets."""


class EventStore(Records, DeadLetters, Answering, Protocol):
    """The ports of event ingestion: for the records of events, and for events that cannot be stored."""


class LineageStore(
    Records,
    PathGraph,
    Conditions,
    Catalog,
    Names,
    Corrections,
    RunHistory,
    DatasetUsers,
    Overview,
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


def get_dataset(catalog: Datasets, key: DatasetKey) -> Dataset | None:
    """The dataset, also found under another of its names, or None."""
    return catalog.get_datasets([key]).get(key)
