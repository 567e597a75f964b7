"""The ports over an SQL database: what a store of one database adds is a connection."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

from headwater_backend.domain.model import Ahead, Direction, LineageType, Neighbours, NodeKey
from headwater_backend.domain.records import Batch
from headwater_backend.ports import NOTHING_AHEAD
from headwater_backend.stores.dataset_names import KnownNaming
from headwater_backend.stores.rows.store import RowStore
from headwater_backend.stores.sql import batches
from headwater_backend.stores.sql.batches import Execute
from headwater_backend.stores.sql.neighbours import Nodes, neighbours


class SqlStore(RowStore):
    """A ``LineageStore``, but for what it reads and writes in: ``_read``, ``_write``, ``_executing`` and ``close``."""

    def __init__(self, naming: KnownNaming) -> None:
        super().__init__(naming)
        self._nodes = Nodes()

    @abstractmethod
    def _executing(self) -> AbstractContextManager[Execute]:
        """What executes statements that all see one state, row by row."""

    def neighbours(
        self,
        frontier: Sequence[NodeKey],
        direction: Direction,
        types: frozenset[LineageType],
        as_of: datetime | None = None,
        ahead: Ahead = NOTHING_AHEAD,
    ) -> Neighbours:
        del ahead  # a call costs less than what may not be needed
        return self._read(
            lambda tx: neighbours(tx, frontier, direction, types, as_of=as_of, nodes=self._nodes)
        )

    def contents(self) -> Iterator[tuple[Any, ...]]:
        with self._executing() as execute:
            for kind, query in batches.CONTENTS.items():
                for row in execute(query):
                    yield (kind, *row)

    def batches(self) -> Iterator[Batch]:
        with self._executing() as execute:
            yield from batches.batches(execute)

    def ping(self) -> None:
        with self._executing() as execute:
            list(execute("SELECT 1 FROM slot LIMIT 1"))
