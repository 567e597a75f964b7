"""The server store: Neo4j 5, over Bolt.

Nodes are ``Dataset``, ``Path``, ``Job``, ``Run`` and the records beside them; ``(:Path)-[:FLOWS_TO]->(:Path)`` is
an edge. Only uniqueness constraints and range indexes are used, so Community, Enterprise and Aura all do. Writes
of one process go one after the other; processes meet at the database's locks, and the driver retries.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit, urlunsplit

from neo4j import Driver, GraphDatabase, ManagedTransaction
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    DatabaseUnavailable,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from headwater_backend import local_neo4j
from headwater_backend.audit.entries import AuditEntry
from headwater_backend.errors import StoreUnavailable
from headwater_backend.ingest.dead_letters import DeadLetter
from headwater_backend.ingest.records import Batch
from headwater_backend.keys import named_text
from headwater_backend.model import (
    Dataset,
    DatasetKey,
    DatasetPage,
    Direction,
    Edge,
    Incomplete,
    Job,
    JobKey,
    LineageType,
    NodeKey,
    PathSteps,
    Pruned,
    Run,
    RunKey,
    Used,
)
from headwater_backend.moments import micros
from headwater_backend.secret import secret
from headwater_backend.stores import (
    answers,
    neo4j_audit,
    neo4j_batches,
    neo4j_changes,
    neo4j_dead_letters,
    neo4j_jobs,
    neo4j_pruning,
)
from headwater_backend.stores import neo4j_statements as cypher
from headwater_backend.stores.answers import FacetRow
from headwater_backend.stores.errors import StoreFailedError, StoreUrlError
from headwater_backend.stores.migrations import migrations, missing
from headwater_backend.stores.neo4j_questions import Questions, chosen_at
from headwater_backend.stores.neo4j_writer import Writer

if TYPE_CHECKING:
    from typing_extensions import LiteralString

RETRY_SECONDS = 8.0
CONNECT_SECONDS = 5.0

READS_BEHIND_WRITERS = 10

_NOT_THE_BATCH = ("Neo.ClientError.Security.", "Neo.ClientError.Database.", "Neo.ClientError.Cluster.")
"""What is refused whatever is written: waiting for somebody to mend it is right."""

T = TypeVar("T")
Reading = Callable[[ManagedTransaction], T]


class Neo4jStore(Questions):
    """A ``LineageStore`` in a Neo4j database. Use ``Neo4jStore.open``."""

    def __init__(self, driver: Driver, database: str | None, address: str) -> None:
        self._driver = driver
        self._database = database
        self._address = address
        self._writing = threading.Lock()

    @classmethod
    def open(cls, url: str) -> Neo4jStore:
        """The store at that address, migrated where needed; raises ``StoreUnavailable``, ``StoreUrlError``."""
        address, auth = _address_and_auth(url)
        with _translated(address):
            try:
                driver = GraphDatabase.driver(
                    address,
                    auth=auth,
                    connection_timeout=CONNECT_SECONDS,
                    connection_acquisition_timeout=CONNECT_SECONDS * 2,
                    max_transaction_retry_time=RETRY_SECONDS,
                    notifications_min_severity="OFF",
                )
            except (ConfigurationError, ValueError) as error:
                raise StoreUrlError(f"{address}: {error}") from error
            store = cls(driver, os.environ.get("NEO4J_DATABASE"), address)
            try:
                driver.verify_connectivity()
                store._migrate()
            except BaseException:
                driver.close()
                raise
        return store

    def apply(self, batch: Batch) -> None:
        self._write(lambda tx: _apply(tx, batch))

    def neighbours(
        self,
        frontier: Sequence[NodeKey],
        direction: Direction,
        types: frozenset[LineageType],
        as_of: datetime | None = None,
    ) -> Sequence[Edge]:
        if not types:
            return []
        asked = [each._asdict() for each in answers.asked_of(frontier)]
        query = cypher.NEIGHBOURS[direction, types, as_of is None]

        def read(tx: ManagedTransaction) -> list[Edge]:
            found, versions, current, aliases = _settled(tx, query, asked, wait=as_of is None)
            slots = dict(versions)
            if as_of is not None:
                then = chosen_at(tx, sorted(set(slots.values())), micros(as_of))
                current = {one.version for one in then.values()}
            slots = {version: slot for version, slot in slots.items() if version in current}
            groups = ((slots[version], how, met) for version, how, met in found if version in slots)
            return answers.edges_of(groups, direction, types, dict(aliases))

        return self._read(read)

    def dataset(self, key: DatasetKey) -> Dataset | None:
        return self.described([key]).get(key)

    def described(self, keys: Sequence[DatasetKey]) -> Mapping[DatasetKey, Dataset]:
        return self._read(lambda tx: _described(tx, keys))

    def datasets(self, search: str | None = None, first: int = 50, after: str | None = None) -> DatasetPage:
        behind = answers.key_behind(after) if after else None
        wanted = {
            "search": (search or "").casefold(),
            "namespace": behind.namespace if behind else None,
            "name": behind.name if behind else None,
            "count": first + 1,
        }

        def read(tx: ManagedTransaction) -> DatasetPage:
            total = tx.run(cypher.DATASETS_TOTAL, wanted).single(strict=True)[0]
            keys = [DatasetKey(*row) for row in tx.run(cypher.DATASETS_PAGE, wanted).values()]
            items = tuple(_described(tx, keys[:first]).values())
            end = answers.cursor_of(items[-1].key) if items else None
            return DatasetPage(items, end, len(keys) > first, total)

        return self._read(read)

    def dataset_keys(self) -> Sequence[DatasetKey]:
        return self._read(lambda tx: [DatasetKey(*row) for row in tx.run(cypher.DATASET_KEYS).values()])

    def paths(self, datasets: Sequence[DatasetKey]) -> Mapping[DatasetKey, Sequence[PathSteps]]:
        keys = [named_text(key) for key in datasets]
        return self._read(lambda tx: answers.paths_of(datasets, tx.run(cypher.PATHS_OF, keys=keys).values()))

    def incomplete(self, datasets: Sequence[DatasetKey]) -> Sequence[Incomplete]:
        def read(tx: ManagedTransaction) -> list[Incomplete]:
            own = _pairs(tx, cypher.SEEN_ALIASES)
            rows = tx.run(cypher.INCOMPLETE, datasets=[named_text(key) for key in datasets])
            return answers.sorted_gaps(_gaps(rows), own)

        return self._read(read)

    def tagged_fields(self) -> Sequence[tuple[NodeKey, str, str]]:
        def read(tx: ManagedTransaction) -> list[tuple[NodeKey, str, str]]:
            own = _pairs(tx, cypher.SEEN_ALIASES)
            return answers.all_field_tags([FacetRow._make(row) for row in tx.run(cypher.TAGS)], own)

        return self._read(read)

    def job(self, key: JobKey) -> Run | None:
        return next(iter(self.runs(key, 1)), None)

    def described_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Job]:
        return self._read(lambda tx: neo4j_jobs.described(tx, keys))

    def used_by_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[Used]]:
        return self._read(lambda tx: neo4j_jobs.used_by_jobs(tx, keys))

    def used_by_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[Used]]:
        return self._read(lambda tx: neo4j_jobs.used_by_runs(tx, keys))

    def child_runs(self, run_id: str, first: int = 50) -> Sequence[Run]:
        return self._read(lambda tx: neo4j_jobs.child_runs(tx, run_id, first))

    def contents(self) -> Iterator[tuple[Any, ...]]:
        with _translated(self._address), self._driver.session(database=self._database) as session:
            for kind, query in cypher.CONTENTS.items():
                for row in session.run(query):
                    yield (kind, *_plain(kind, row.values()))

    def batches(self) -> Iterator[Batch]:
        with _translated(self._address), self._driver.session(database=self._database) as session:
            yield from neo4j_batches.batches(session)

    def prune(self, before: datetime, *, dry_run: bool = False) -> Pruned:
        at, total, after = micros(before), Pruned(), ""
        while True:
            last, gone = self._write(partial(neo4j_pruning.page, before=at, after=after, dry_run=dry_run))
            if last is None:
                return total
            total, after = total + gone, last

    def audit(self, after: int = 0, first: int = 100) -> Sequence[AuditEntry]:
        return self._read(lambda tx: neo4j_audit.entries(tx, after, first))

    def audit_end(self) -> tuple[int, str]:
        return self._read(neo4j_audit.end)

    def continue_audit(self, entries: Sequence[AuditEntry]) -> None:
        self._write(lambda tx: neo4j_audit.go_on(tx, entries))

    def keep_dead_letters(self, letters: Sequence[DeadLetter]) -> None:
        self._write(lambda tx: neo4j_dead_letters.keep(tx, letters))

    def dead_letters(self, first: int = 100, after: str | None = None) -> Sequence[DeadLetter]:
        return self._read(lambda tx: neo4j_dead_letters.page(tx, first, after))

    def dead_letter(self, key: str) -> DeadLetter | None:
        return self._read(lambda tx: neo4j_dead_letters.one(tx, key))

    def forget_dead_letters(self, keys: Sequence[str]) -> None:
        self._write(lambda tx: neo4j_dead_letters.forget(tx, keys))

    def ping(self) -> None:
        self._read(lambda tx: tx.run(cypher.PING).consume())

    def close(self) -> None:
        self._driver.close()

    def _read(self, reading: Reading[T]) -> T:
        with _translated(self._address), self._driver.session(database=self._database) as session:
            return session.execute_read(reading)

    def _write(self, writing: Reading[T]) -> T:
        with (
            _translated(self._address),
            self._writing,
            self._driver.session(database=self._database) as session,
        ):
            return session.execute_write(writing)

    def _migrate(self) -> None:
        with self._driver.session(database=self._database) as session:
            applied = session.run(cypher.APPLIED).single(strict=True)[0]
            for migration in missing(migrations("cypher", ".cypher"), applied):
                for statement in migration.statements:
                    session.run(statement).consume()
                session.run(cypher.AWAIT_INDEXES).consume()
                session.run(cypher.HAS_APPLIED, number=migration.number).consume()


def _apply(tx: ManagedTransaction, batch: Batch) -> None:
    Writer(tx).apply(batch)
    neo4j_audit.append(tx, batch.notes)


def _address_and_auth(url: str) -> tuple[str, tuple[str, str] | None]:
    """The URL without credentials, and the credentials: environment, URL, or the local server's own."""
    parts = urlsplit(url)
    try:
        host, port = parts.hostname or "", parts.port or local_neo4j.BOLT_PORT
    except ValueError as error:
        raise StoreUrlError(f"the port of the store's URL is none: {error}") from error
    if not host:
        raise StoreUrlError("the store's URL names no host", "use bolt://HOST:7687")
    bare = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, parts.query, ""))
    user, password = (
        os.environ.get("NEO4J_USERNAME"),
        secret("NEO4J_PASSWORD", "HEADWATER_NEO4J_PASSWORD_FILE"),
    )
    if password:
        return bare, (user or local_neo4j.USER, password)
    if parts.password:
        return bare, (unquote(parts.username or local_neo4j.USER), unquote(parts.password))
    local = local_neo4j.password(host, port)
    return bare, (local_neo4j.USER, local) if local else None


@contextmanager
def _translated(address: str) -> Iterator[None]:
    """The driver's errors as ours."""
    try:
        yield
    except AuthError as error:
        hint = "set NEO4J_USERNAME, and NEO4J_PASSWORD or HEADWATER_NEO4J_PASSWORD_FILE"
        raise StoreUnavailable(f"{address} does not let us in: {error.message}", hint) from error
    except (ServiceUnavailable, SessionExpired, DatabaseUnavailable) as error:
        raise StoreUnavailable(f"{address} does not answer: {error}", "is Neo4j running?") from error
    except ClientError as error:
        if error.code.startswith(_NOT_THE_BATCH):
            raise StoreUnavailable(
                f"{address}: {error.message}", "may this user write to this database?"
            ) from error
        raise StoreFailedError(f"{address}: {error.message}") from error
    except (Neo4jError, DriverError) as error:
        raise StoreUnavailable(f"{address}: {error}") from error


def _settled(tx: ManagedTransaction, query: LiteralString, asked: list[Any], *, wait: bool) -> list[Any]:
    """What ``cypher.NEIGHBOURS`` finds, all of one state.

    Neo4j reads what is committed by then, so a statement may see a writer's change half. It looks up last which
    versions are current: where it saw edges of another, it is run again.
    """
    row: list[Any] = []
    for _ in range(READS_BEHIND_WRITERS):
        row = tx.run(query, frontier=asked).single(strict=True).values()
        _, versions, current, _ = row
        if not wait or {version for version, _ in versions}.issubset(current):
            break
    return row


def _pairs(tx: ManagedTransaction, query: LiteralString, **parameters: Any) -> dict[str, str]:
    return dict(tx.run(query, parameters).values())


def _described(tx: ManagedTransaction, keys: Sequence[DatasetKey]) -> dict[DatasetKey, Dataset]:
    rows = tx.run(cypher.DATASETS_OF, keys=[named_text(key) for key in keys]).values()
    found = answers.described(keys, ((*span, map(FacetRow._make, facets)) for *span, facets in rows))
    own = sorted({row[1] for row in rows})
    names = tx.run(cypher.ALIASES_OF, keys=own).values()
    changes = neo4j_changes.of_datasets(tx, own)
    alive = neo4j_changes.alive(tx, sorted({change.of for change in changes}))
    return answers.with_states(found, ((name, of) for name, of in names), changes, alive)


def _gaps(rows: Iterable[Any]) -> Iterator[answers.GapRow]:
    for job, output, gaps, no_facet in rows:
        for reason, path, detail in map(json.loads, gaps):
            yield answers.GapRow(reason, path, detail, job)
        if no_facet:
            yield answers.GapRow(answers.NO_LINEAGE_FACET, output, "", job)


def _plain(kind: str, values: list[Any]) -> list[Any]:
    """As SQLite has it: truth as numbers, a gap's parts as columns."""
    if kind == "gap":
        return [values[0], *json.loads(values[1])]
    return [int(value) if isinstance(value, bool) else value for value in values]
