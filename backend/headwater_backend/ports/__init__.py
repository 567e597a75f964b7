"""The ports of a store, cut by subject: few, batched methods; a question names only the ports that it needs.

A port has the verbs that a caller needs together (``Edges``, ``Gaps``, ``Datasets``, ``Runs``, …). Several that many
callers need have a name of their own, which adds no verb (``PathGraph``, ``Catalog``, ``RunHistory``, …: ``store``).

Both stores (SQLite, Neo4j) implement all ports, and pass the same contract suite. Errors: every store raises
``StoreUnavailable`` when it cannot be reached, and never an error of its driver.
"""

from __future__ import annotations

from headwater_backend.ports.audit import AuditLog
from headwater_backend.ports.catalog import Datasets, Labels, Searches, StewardDecisions
from headwater_backend.ports.copying import Contents
from headwater_backend.ports.dead_letters import DeadLetters
from headwater_backend.ports.gaps import Corrections, Gaps
from headwater_backend.ports.graph import NOTHING_AHEAD, Conditions, Edges
from headwater_backend.ports.names import Names
from headwater_backend.ports.overview import Overview
from headwater_backend.ports.presence import Presence
from headwater_backend.ports.records import Records
from headwater_backend.ports.runs import Jobs, Runs, RunUse
from headwater_backend.ports.store import (
    Answering,
    Catalog,
    CataloguedGraph,
    CataloguedRuns,
    ConditionedGraph,
    EventStore,
    LineageAndRuns,
    LineageStore,
    NamedEdges,
    PathGraph,
    RunHistory,
    get_dataset,
)
from headwater_backend.ports.users import DatasetUsers

__all__ = [
    "NOTHING_AHEAD",
    "Answering",
    "AuditLog",
    "Catalog",
    "CataloguedGraph",
    "CataloguedRuns",
    "ConditionedGraph",
    "Conditions",
    "Contents",
    "Corrections",
    "DatasetUsers",
    "Datasets",
    "DeadLetters",
    "Edges",
    "EventStore",
    "Gaps",
    "Jobs",
    "Labels",
    "LineageAndRuns",
    "LineageStore",
    "NamedEdges",
    "Names",
    "Overview",
    "PathGraph",
    "Presence",
    "Records",
    "RunHistory",
    "RunUse",
    "Runs",
    "Searches",
    "StewardDecisions",
    "get_dataset",
]
