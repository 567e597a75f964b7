"""The server store: Neo4j 5, over Bolt.

Nodes are ``Dataset``, ``Path``, ``Job``, ``Run`` and the records beside them; ``(:Path)-[:FLOWS_TO]->(:Path)`` is
an edge. Only uniqueness constraints and range indexes are used, so Community, Enterprise and Aura all do. Writes
of one process run one after the other; processes wait at the database's locks, and the driver retries.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeVar, cast

from neo4j import Driver, GraphDatabase, ManagedTransaction, Session, unit_of_work
from neo4j.exceptions import ConfigurationError

from headwater_backend.domain import deadline
from headwater_backend.domain.errors import HeadwaterError, StoreUnavailable, StoreUrlError
from headwater_backend.domain.model import Ahead, Direction, LineageType, Neighbours, NodeKey
from headwater_backend.domain.records import Batch
from headwater_backend.ports import NOTHING_AHEAD
from headwater_backend.stores.dataset_names import KnownNaming
from headwater_backend.stores.migrations import migrations, missing
from headwater_backend.stores.neo4j import batches
from headwater_backend.stores.neo4j.address import Neo4jAddress, address_of
from headwater_backend.stores.neo4j.neighbours import neighbours
from headwater_backend.stores.neo4j.sessions import Sessions
from headwater_backend.stores.neo4j.transaction import Neo4jTransaction, is_answer, translated, tried_once
from headwater_backend.stores.neo4j.writer import Neo4jWriter
from headwater_backend.stores.rows.store import RowStore
from headwater_backend.stores.rows.transaction import Transaction, WritingTransaction

RETRY_SECONDS = 8.0
CONNECT_SECONDS = 5.0

APPLIED: Final = "MATCH (m:Migration) RETURN coalesce(max(m.number), 0) AS number"
HAS_APPLIED: Final = "MERGE (:Migration {number: $number})"
AWAIT_INDEXES: Final = "CALL db.awaitIndexes(120)"
PING: Final = "MATCH (m:Migration) RETURN count(m)"

T = TypeVar("T")


class Neo4jStore(RowStore):
    """A ``LineageStore`` in a Neo4j database. Use ``Neo4jStore.open``."""

    def __init__(self, driver: Driver, address: Neo4jAddress) -> None:
        super().__init__(KnownNaming())
        self._sessions = Sessions(driver, address)
        self._address = address.uri
        self._writing = threading.Lock()
        self._away = 0.0, StoreUnavailable(f"{address.uri} does not answer")
        """When a write last failed because Neo4j was away, and how."""

    @classmethod
    def open(cls, url: str) -> Neo4jStore:
        """The store at that address, migrated where needed; raises ``StoreUnavailable``, ``StoreUrlError``."""
        address = address_of(url)
        with translated(address.uri):
            try:
                driver = GraphDatabase.driver(
                    address.uri,
                    auth=address.auth,
                    connection_timeout=CONNECT_SECONDS,
                    connection_acquisition_timeout=CONNECT_SECONDS * 2,
                    max_transaction_retry_time=RETRY_SECONDS,
                    notifications_min_severity="OFF",
                )
            except (ConfigurationError, ValueError) as error:
                raise StoreUrlError(f"{address.uri}: {error}") from error
            store = cls(driver, address)
            try:
                if store._migrate():
                    store._compare_layouts()
            except BaseException:
                driver.close()
                raise
        return store

    def neighbours(
        self,
        frontier: Sequence[NodeKey],
        direction: Direction,
        types: frozenset[LineageType],
        as_of: datetime | None = None,
        ahead: Ahead = NOTHING_AHEAD,
    ) -> Neighbours:
        if not types:
            return Neighbours([], set(frontier))
        return self._read(lambda tx: neighbours(tx, frontier, direction, types, as_of=as_of, ahead=ahead))

    def contents(self) -> Iterator[tuple[Any, ...]]:
        with translated(self._address), self._session() as session:
            for kind, query in batches.CONTENTS.items():
                for row in session.run(query):
                    yield (kind, *_plain(kind, row.values()))

    def batches(self) -> Iterator[Batch]:
        with translated(self._address), self._session() as session:
            yield from batches.batches(session)

    def ping(self) -> None:
        self._read(lambda tx: tx.rows(PING))

    def close(self) -> None:
        self._sessions.close()

    def _session(self) -> AbstractContextManager[Session]:
        return self._sessions.session()

    def _read(self, reading: Callable[[Transaction], T]) -> T:
        """Read in one transaction, which ends at the question's deadline."""

        def work(tx: ManagedTransaction) -> T:
            return reading(Neo4jTransaction(tx, self._known))

        until = deadline.current()
        if until is None:
            return self._read_by(work)
        until.check()
        try:
            return self._read_by(unit_of_work(timeout=until.remaining())(work))
        except HeadwaterError as error:
            if until.is_over():
                raise until.error() from error
            raise

    def _read_by(self, work: Callable[[ManagedTransaction], T]) -> T:
        with translated(self._address), self._session() as session:
            return session.execute_read(work)

    def _write(self, writing: Callable[[WritingTransaction], T], *, keep: bool = True) -> T:
        """Write after the writers before; raises ``StoreUnavailable`` at once where one of them could not reach Neo4j.

        The driver retries for seconds. If all waiting writers did so in turn, the last would get its error after
        minutes. An error that Neo4j itself returned to one of them does not concern the others.
        """

        def work(tx: ManagedTransaction) -> T:
            found = writing(Neo4jWriter(tx))
            if not keep:
                raise _NotKept(found)
            return found

        came = time.monotonic()
        with self._writing:
            failed, why = self._away
            if failed > came:
                raise StoreUnavailable(why.message, why.hint)
            try:
                with translated(self._address), self._session() as session:
                    return session.execute_write(partial(tried_once, work))
            except _NotKept as tried:
                return cast(T, tried.found)
            except StoreUnavailable as error:
                if not is_answer(error):
                    self._away = time.monotonic(), error
                raise

    def _migrate(self) -> bool:
        """Apply the migrations that the store lacks; False if there are none."""
        with self._session() as session:
            applied = session.run(APPLIED).single(strict=True)[0]
            lacking = missing(migrations(__package__, "cypher"), applied, self._address)
            for migration in lacking:
                for statement in migration.statements:
                    session.run(statement).consume()
                session.run(AWAIT_INDEXES).consume()
                session.run(HAS_APPLIED, number=migration.number).consume()
        return bool(lacking)


class _NotKept(Exception):  # noqa: N818 - no error: it rolls a transaction back
    """The result of a transaction that is rolled back."""

    def __init__(self, found: object) -> None:
        super().__init__()
        self.found = found


def _plain(kind: str, values: list[Any]) -> list[Any]:
    """The values as SQLite has them: booleans as numbers, a gap's parts as columns."""
    if kind == "gap":
        return [values[0], *json.loads(values[1])]
    return [int(value) if isinstance(value, bool) else value for value in values]
