"""The server store: Neo4j 5, over Bolt.

Nodes are ``Dataset``, ``Path``, ``Job``, ``Run`` and the records beside them; ``(:Path)-[:FLOWS_TO]->(:Path)`` is
an edge. Only uniqueness constraints and range indexes are used, so Community, Enterprise and Aura all do. Writes
of one process run one after the other; processes wait at the database's locks, and the driver retries.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from neo4j import Driver, GraphDatabase, ManagedTransaction, Session, unit_of_work
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    DatabaseUnavailable,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from headwater_backend.domain import deadline
from headwater_backend.domain.audit_log import AuditEntry, MissingNotes
from headwater_backend.domain.dead_letters import DeadLetter, LetterPlace, ListedLetter
from headwater_backend.domain.errors import HeadwaterError, StoreFailedError, StoreUnavailable, StoreUrlError
from headwater_backend.domain.model import (
    Ahead,
    Dataset,
    DatasetKey,
    DatasetPage,
    Direction,
    Drift,
    Incomplete,
    Job,
    JobKey,
    LineageType,
    Neighbours,
    NodeKey,
    PathSteps,
    Pruned,
    Renamed,
    RunKey,
    Used,
)
from headwater_backend.domain.moments import micros
from headwater_backend.domain.node_keys import named_text
from headwater_backend.domain.pages import cursor, read_cursor
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.ports import NOTHING_AHEAD
from headwater_backend.stores import answers, dataset_names
from headwater_backend.stores.answers import FacetRow
from headwater_backend.stores.dataset_names import KnownNaming
from headwater_backend.stores.migrations import migrations, missing
from headwater_backend.stores.neo4j import (
    audit,
    batches,
    changes,
    dead_letters,
    gaps,
    jobs,
    layouts,
    naming,
    neighbours,
    pruning,
)
from headwater_backend.stores.neo4j import statements as cypher
from headwater_backend.stores.neo4j.address import Neo4jAddress, address_of
from headwater_backend.stores.neo4j.questions import Questions
from headwater_backend.stores.neo4j.writer import Writer

if TYPE_CHECKING:
    from typing_extensions import LiteralString

RETRY_SECONDS = 8.0
CONNECT_SECONDS = 5.0

_NOT_OF_THE_BATCH = ("Neo.ClientError.Security.", "Neo.ClientError.Database.", "Neo.ClientError.Cluster.")
"""Errors that do not depend on what is written: waiting until somebody fixes the cause is right."""

_OF_THE_WORK = ("Memory", "StackOverFlow")
"""Parts of codes of temporary errors that depend on the statement, so that retrying it would be in vain."""

T = TypeVar("T")
Reading = Callable[[ManagedTransaction], T]


class Neo4jStore(Questions):
    """A ``LineageStore`` in a Neo4j database. Use ``Neo4jStore.open``."""

    def __init__(self, driver: Driver, address: Neo4jAddress) -> None:
        self._driver = driver
        self._database = address.database
        self._address = address.uri
        # A cluster's followers lag behind: reads have to wait until they have what this process wrote.
        self._bookmarks = GraphDatabase.bookmark_manager() if address.routed else None
        self._writing = threading.Lock()
        self._naming = KnownNaming()
        self._away = 0.0, StoreUnavailable(f"{address.uri} does not answer")
        """When a write last failed because Neo4j was away, and how."""

    @classmethod
    def open(cls, url: str) -> Neo4jStore:
        """The store at that address, migrated where needed; raises ``StoreUnavailable``, ``StoreUrlError``."""
        address = address_of(url)
        with _translated(address.uri):
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
                store._migrate()
            except BaseException:
                driver.close()
                raise
        return store

    def apply(self, batch: Batch) -> None:
        self._write(lambda tx: _apply(tx, batch, self._naming))
        self._naming.keep()

    def decide(
        self, decisions: Callable[[Sequence[DecisionMade]], Batch], *, dry_run: bool = False
    ) -> Sequence[Renamed]:
        def write(tx: ManagedTransaction) -> list[Renamed]:
            before = naming.aliases(tx)
            _apply(tx, decisions(naming.decisions(tx)), KnownNaming())
            found = dataset_names.renamed(before, naming.aliases(tx))
            if dry_run:
                raise _NotKept(found)
            return found

        try:
            return self._write(write)
        except _NotKept as tried:
            return tried.found

    def decisions(self) -> Sequence[DecisionMade]:
        return self._read(naming.decisions)

    def names(self) -> Mapping[DatasetKey, DatasetKey]:
        return self._read(lambda tx: dataset_names.names(naming.names(tx), naming.aliases(tx)))

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
        return self._read(
            lambda tx: neighbours.neighbours(tx, frontier, direction, types, as_of=as_of, ahead=ahead)
        )

    def get_datasets(self, keys: Sequence[DatasetKey]) -> Mapping[DatasetKey, Dataset]:
        return self._read(lambda tx: _get_datasets(tx, keys))

    def datasets(self, search: str | None = None, first: int = 50, after: str | None = None) -> DatasetPage:
        behind = DatasetKey(*read_cursor(after, (str, str))) if after else None
        wanted = {
            "search": (search or "").casefold(),
            "namespace": behind.namespace if behind else None,
            "name": behind.name if behind else None,
            "count": first + 1,
        }

        def read(tx: ManagedTransaction) -> DatasetPage:
            total = tx.run(cypher.DATASETS_TOTAL, wanted).single(strict=True)[0]
            keys = [DatasetKey(*row) for row in tx.run(cypher.DATASETS_PAGE, wanted).values()]
            items = tuple(_get_datasets(tx, keys[:first]).values())
            end = cursor(*items[-1].key) if items else None
            return DatasetPage(items, end, len(keys) > first, total)

        return self._read(read)

    def dataset_keys(self) -> Sequence[DatasetKey]:
        return self._read(lambda tx: [DatasetKey(*row) for row in tx.run(cypher.DATASET_KEYS).values()])

    def paths(self, datasets: Sequence[DatasetKey]) -> Mapping[DatasetKey, Sequence[PathSteps]]:
        keys = [named_text(key) for key in datasets]
        return self._read(lambda tx: answers.paths_of(datasets, tx.run(cypher.PATHS_OF, keys=keys).values()))

    def incomplete(
        self, datasets: Sequence[DatasetKey], as_of: datetime | None = None
    ) -> Sequence[Incomplete]:
        return self._read(lambda tx: gaps.incomplete(tx, datasets, as_of))

    def possible_outputs(
        self, datasets: Sequence[DatasetKey], as_of: datetime | None = None
    ) -> Mapping[DatasetKey, Sequence[Incomplete]]:
        return self._read(lambda tx: gaps.possible_outputs(tx, datasets, as_of))

    def drifts(self) -> Sequence[Drift]:
        def read(tx: ManagedTransaction) -> list[Drift]:
            return answers.drifts(layouts.all_drifts(tx), _pairs(tx, cypher.SEEN_ALIASES))

        return self._read(read)

    def tagged_fields(self) -> Sequence[tuple[NodeKey, str, str]]:
        def read(tx: ManagedTransaction) -> list[tuple[NodeKey, str, str]]:
            own = _pairs(tx, cypher.SEEN_ALIASES)
            return answers.all_field_tags([FacetRow._make(row) for row in tx.run(cypher.TAGS)], own)

        return self._read(read)

    def get_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Job]:
        return self._read(lambda tx: jobs.get_jobs(tx, keys))

    def used_by_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[Used]]:
        return self._read(lambda tx: jobs.used_by_jobs(tx, keys))

    def used_by_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[Used]]:
        return self._read(lambda tx: jobs.used_by_runs(tx, keys))

    def runs_below(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[RunKey]]:
        return self._read(lambda tx: jobs.runs_below(tx, keys))

    def jobs_below(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[JobKey]]:
        return self._read(lambda tx: jobs.jobs_below(tx, keys))

    def contents(self) -> Iterator[tuple[Any, ...]]:
        with _translated(self._address), self._session() as session:
            for kind, query in cypher.CONTENTS.items():
                for row in session.run(query):
                    yield (kind, *_plain(kind, row.values()))

    def batches(self) -> Iterator[Batch]:
        with _translated(self._address), self._session() as session:
            yield from batches.batches(session)

    def prune(self, before: datetime, *, dry_run: bool = False) -> Pruned:
        at, total, after = micros(before), Pruned(), ""
        while True:
            last, gone = self._write(partial(pruning.page, before=at, after=after, dry_run=dry_run))
            if last is None:
                if not dry_run and total.runs:
                    self._write(changes.settle)
                return total
            total, after = total + gone, last

    def audit(self, after: int = 0, first: int = 100) -> Sequence[AuditEntry]:
        return self._read(lambda tx: audit.entries(tx, after, first))

    def audit_end(self) -> tuple[int, str]:
        return self._read(audit.end)

    def append_missing_audit(self, action: str, missing: MissingNotes) -> None:
        self._write(lambda tx: audit.append_missing(tx, action, missing))

    def continue_audit(self, entries: Sequence[AuditEntry]) -> None:
        self._write(lambda tx: audit.append_entries(tx, entries))

    def keep_dead_letters(self, letters: Sequence[DeadLetter]) -> None:
        self._write(lambda tx: dead_letters.keep(tx, letters))

    def dead_letters(self, first: int = 100, after: LetterPlace | None = None) -> Sequence[ListedLetter]:
        return self._read(lambda tx: dead_letters.page(tx, first, after))

    def dead_letter(self, key: str) -> DeadLetter | None:
        return self._read(lambda tx: dead_letters.one(tx, key))

    def forget_dead_letters(self, keys: Sequence[str]) -> None:
        self._write(lambda tx: dead_letters.forget(tx, keys))

    def ping(self) -> None:
        self._read(lambda tx: tx.run(cypher.PING).consume())

    def close(self) -> None:
        self._driver.close()

    def _session(self) -> Session:
        return self._driver.session(database=self._database, bookmark_manager=self._bookmarks)

    def _read(self, reading: Reading[T]) -> T:
        """Read in one transaction, which ends at the question's deadline."""
        until = deadline.current()
        if until is None:
            return self._read_by(reading)
        until.check()
        try:
            return self._read_by(unit_of_work(timeout=until.remaining())(reading))
        except HeadwaterError as error:
            if until.is_over():
                raise until.error() from error
            raise

    def _read_by(self, reading: Reading[T]) -> T:
        with _translated(self._address), self._session() as session:
            return session.execute_read(reading)

    def _write(self, writing: Reading[T]) -> T:
        """Write after the writers before; raises ``StoreUnavailable`` at once where one of them could not reach Neo4j.

        The driver retries for seconds. If all waiting writers did so in turn, the last would get its error after
        minutes. An error that Neo4j itself returned to one of them does not concern the others.
        """
        came = time.monotonic()
        with self._writing:
            failed, why = self._away
            if failed > came:
                raise StoreUnavailable(why.message, why.hint)
            try:
                with _translated(self._address), self._session() as session:
                    return session.execute_write(partial(_tried_once, writing))
            except StoreUnavailable as error:
                if not _is_answer(error):
                    self._away = time.monotonic(), error
                raise

    def _migrate(self) -> None:
        with self._session() as session:
            applied = session.run(cypher.APPLIED).single(strict=True)[0]
            for migration in missing(migrations(__package__, "cypher"), applied, self._address):
                for statement in migration.statements:
                    session.run(statement).consume()
                session.run(cypher.AWAIT_INDEXES).consume()
                session.run(cypher.HAS_APPLIED, number=migration.number).consume()


class _NotKept(Exception):  # noqa: N818 - no error: it rolls a transaction back
    """The result of a transaction that is rolled back."""

    def __init__(self, found: list[Renamed]) -> None:
        super().__init__()
        self.found = found


def _apply(tx: ManagedTransaction, batch: Batch, known: KnownNaming) -> None:
    Writer(tx, known).apply(batch)
    audit.append(tx, batch.notes)


def _tried_once(writing: Reading[T], tx: ManagedTransaction) -> T:
    """Write, but do not let the driver retry what fails because of its own size."""
    try:
        return writing(tx)
    except TransientError as error:
        if any(word in (error.code or "") for word in _OF_THE_WORK):
            raise StoreUnavailable(f"Neo4j cannot do this: {error.message}") from error
        raise


def _is_answer(error: StoreUnavailable) -> bool:
    """Whether the error is an answer of Neo4j itself, which was reachable then."""
    return isinstance(error.__cause__, Neo4jError) and not isinstance(error.__cause__, DatabaseUnavailable)


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
    except DriverError as error:  # the server was not asked
        raise StoreUnavailable(f"{address}: {error}") from error
    except Neo4jError as error:
        message = f"{address}: {error.message if isinstance(error, ClientError) else error}"
        if error.is_retryable():
            raise StoreUnavailable(message) from error
        if isinstance(error, ClientError) and error.code.startswith(_NOT_OF_THE_BATCH):
            raise StoreUnavailable(message, "may this user write to this database?") from error
        raise StoreFailedError(message) from error


def _pairs(tx: ManagedTransaction, query: LiteralString, **parameters: Any) -> dict[str, str]:
    return dict(tx.run(query, parameters).values())


def _get_datasets(tx: ManagedTransaction, keys: Sequence[DatasetKey]) -> dict[DatasetKey, Dataset]:
    rows = tx.run(cypher.DATASETS_OF, keys=[named_text(key) for key in keys]).values()
    found = answers.datasets_of(keys, ((*span, map(FacetRow._make, facets)) for *span, facets in rows))
    own = sorted({row[1] for row in rows})
    names = tx.run(cypher.ALIASES_OF, keys=own).values()
    made = changes.of_datasets(tx, own)
    alive = changes.alive(tx, sorted({change.of for change in made}))
    return answers.with_states(found, ((name, of) for name, of in names), made, alive)


def _plain(kind: str, values: list[Any]) -> list[Any]:
    """The values as SQLite has them: booleans as numbers, a gap's parts as columns."""
    if kind == "gap":
        return [values[0], *json.loads(values[1])]
    return [int(value) if isinstance(value, bool) else value for value in values]
