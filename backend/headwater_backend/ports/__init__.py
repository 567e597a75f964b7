"""The ports of a store: few, batched methods; a question names only the ports that it needs.

Both stores (SQLite, Neo4j) implement all ports, and pass the same contract suite. Errors: every store raises
``StoreUnavailable`` when it cannot be reached, and never an error of its driver.
"""

from __future__ import annotations

from headwater_backend.ports.audit import AuditLog
from headwater_backend.ports.catalog import Catalog
from headwater_backend.ports.conditions import Conditions
from headwater_backend.ports.copying import Contents
from headwater_backend.ports.corrections import Corrections
from headwater_backend.ports.dead_letters import DeadLetters
from headwater_backend.ports.graph import NOTHING_AHEAD, PathGraph
from headwater_backend.ports.names import Names
from headwater_backend.ports.runs import RunHistory
from headwater_backend.ports.store import (
    Answering,
    CataloguedGraph,
    CataloguedRuns,
    ConditionedGraph,
    EventStore,
    LineageAndRuns,
    LineageStore,
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
    "DeadLetters",
    "EventStore",
    "LineageAndRuns",
    "LineageStore",
    "Names",
    "PathGraph",
    "RunHistory",
    "get_dataset",
]
