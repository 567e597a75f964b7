"""The embedded store: one SQLite file, no server.

One connection writes, under a lock and in one transaction a batch; readers borrow connections from a pool and
see the last commit (WAL). ``synchronous`` is FULL, because what was acknowledged has to outlive a power cut;
batches make its price small.
"""

from __future__ import annotations

import json
import queue
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from headwater_backend.domain import deadline
from headwater_backend.domain.audit_log import AuditEntry, MissingNotes
from headwater_backend.domain.dead_letters import DeadLetter, LetterPlace, ListedLetter
from headwater_backend.domain.deadline import Deadline
from headwater_backend.domain.errors import StoreFailedError, StoreUnavailable, StoreUrlError
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
from headwater_backend.stores.answers import Asked, FacetRow
from headwater_backend.stores.current import FOREVER
from headwater_backend.stores.dataset_names import KnownNaming
from headwater_backend.stores.migrations import Migration, migrations, missing
from headwater_backend.stores.sqlite import (
    audit,
    batches,
    changes,
    dead_letters,
    gaps,
    jobs,
    layouts,
    naming,
    pruning,
)
from headwater_backend.stores.sqlite import statements as sql
from headwater_backend.stores.sqlite.neighbours import Nodes, own_names
from headwater_backend.stores.sqlite.questions import Questions, chosen_at
from headwater_backend.stores.sqlite.writer import Writer

BUSY_SECONDS = 30.0
STEPS_BETWEEN_CHECKS = 100_000
"""Steps of SQLite's machine between two checks of the deadline: some milliseconds."""
APPLICATION_ID = int.from_bytes(b"HdWt", "big")
"""The application id in the header of our files, where SQLite's own programs find it."""
_MAGIC = b"SQLite format 3\0"
_TABLES = frozenset({"dataset", "job", "run", "slot", "version", "observation"})
"""The tables of stores that were made before files had the application id."""


class SqliteStore(Questions):
    """A ``LineageStore`` in one file. Use ``SqliteStore.open``."""

    def __init__(self, file: Path, writer: sqlite3.Connection) -> None:
        self._file = file
        self._connection = writer
        self._lock = threading.Lock()
        self._readers: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        self._closed = False
        self._nodes = Nodes()
        self._naming = KnownNaming()

    @classmethod
    def open(cls, file: str | Path) -> SqliteStore:
        """The store in that file, created and migrated where needed.

        Raises ``StoreUnavailable``, and without having written anything ``StoreFailedError`` for another
        kind of file and ``StoreVersionError`` for one of a newer Headwater.
        """
        path = Path(file)
        if path.is_dir():
            raise StoreUrlError(
                f"{path} is a folder; a store is a file", f"such as sqlite:///{path}/lineage.db"
            )
        with _translated(path):
            _require_database(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = _connect(path)
            try:
                _missing(connection, path)
                connection.execute("PRAGMA journal_mode = WAL")
                _migrate(connection, path)
            except BaseException:
                connection.close()
                raise
        return cls(path, connection)

    def apply(self, batch: Batch) -> None:
        with _translated(self._file), self._lock, _transaction(self._connection) as connection:
            Writer(connection, self._naming).apply(batch)
            audit.append(connection, batch.notes)

    def decide(
        self,
        decisions: Callable[[Sequence[DecisionMade]], Batch],
        *,
        dry_run: bool = False,
    ) -> Sequence[Renamed]:
        with _translated(self._file), self._lock, _transaction(self._connection, keep=not dry_run) as db:
            before = naming.aliases(db)
            batch = decisions(naming.decisions(db))
            Writer(db, KnownNaming()).apply(batch)
            audit.append(db, batch.notes)
            return dataset_names.renamed(before, naming.aliases(db))

    def decisions(self) -> Sequence[DecisionMade]:
        with self._reading() as db:
            return naming.decisions(db)

    def names(self) -> Mapping[DatasetKey, DatasetKey]:
        with self._reading() as db:
            return dataset_names.names(naming.names(db), naming.aliases(db))

    def neighbours(
        self,
        frontier: Sequence[NodeKey],
        direction: Direction,
        types: frozenset[LineageType],
        as_of: datetime | None = None,
        ahead: Ahead = NOTHING_AHEAD,
    ) -> Neighbours:
        with self._reading() as db:
            asked = list(_under_all_names(db, answers.asked_of(frontier)))
            wanted = {
                "exact": json.dumps([name + path for name, exact, _ in asked for path in exact]),
                "subtrees": json.dumps([name + path for name, _, subtrees in asked for path in subtrees]),
                "direct": LineageType.DIRECT in types,
                "indirect": LineageType.INDIRECT in types,
                "at": FOREVER if as_of is None else micros(as_of),
            }
            rows = db.execute(sql.NEIGHBOURS[direction, as_of is None], wanted).fetchall()
            if as_of is not None:
                slots = sorted({row[0] for row in rows if row[-1] is not None})
                then = {None, *(seen.version for seen in chosen_at(db, slots, micros(as_of)).values())}
                rows = [row for row in rows if row[-1] in then]
            fars = json.loads(f"[{','.join([row[3] for row in rows])}]")
            nodes = self._nodes.of(db, {row[2] for row in rows}.union(*fars))
        groups: dict[tuple[str, str], list[tuple[int, list[int]]]] = defaultdict(list)
        for (slot, how, near, _, _), ends in zip(rows, fars, strict=True):
            groups[slot, how].append((near, ends))
        fans = answers.fans_of(((*group, ends) for group, ends in groups.items()), types, nodes.__getitem__)
        return Neighbours(fans, set(frontier))

    def get_datasets(self, keys: Sequence[DatasetKey]) -> Mapping[DatasetKey, Dataset]:
        with self._reading() as db:
            return _get_datasets(db, keys)

    def datasets(self, search: str | None = None, first: int = 50, after: str | None = None) -> DatasetPage:
        behind = DatasetKey(*read_cursor(after, (str, str))) if after else None
        wanted = {
            "search": (search or "").casefold(),
            "namespace": behind.namespace if behind else None,
            "name": behind.name if behind else None,
            "count": first + 1,
        }
        with self._reading() as db:
            total = db.execute(sql.DATASETS_TOTAL, wanted).fetchone()[0]
            keys = [DatasetKey(*row) for row in db.execute(sql.DATASETS_PAGE, wanted)]
            items = tuple(_get_datasets(db, keys[:first]).values())
        end = cursor(*items[-1].key) if items else None
        return DatasetPage(items, end, len(keys) > first, total)

    def dataset_keys(self) -> Sequence[DatasetKey]:
        with self._reading() as db:
            return [DatasetKey(*row) for row in db.execute(sql.DATASET_KEYS)]

    def paths(self, datasets: Sequence[DatasetKey]) -> Mapping[DatasetKey, Sequence[PathSteps]]:
        with self._reading() as db:
            return answers.paths_of(datasets, db.execute(sql.PATHS, _keys(datasets)))

    def incomplete(
        self, datasets: Sequence[DatasetKey], as_of: datetime | None = None
    ) -> Sequence[Incomplete]:
        with self._reading() as db:
            return gaps.incomplete(db, datasets, as_of)

    def possible_outputs(
        self, datasets: Sequence[DatasetKey], as_of: datetime | None = None
    ) -> Mapping[DatasetKey, Sequence[Incomplete]]:
        with self._reading() as db:
            return gaps.possible_outputs(db, datasets, as_of)

    def drifts(self) -> Sequence[Drift]:
        with self._reading() as db:
            own = dict(db.execute(sql.SEEN_ALIASES).fetchall())
            return answers.drifts(layouts.all_drifts(db), own)

    def tagged_fields(self) -> Sequence[tuple[NodeKey, str, str]]:
        with self._reading() as db:
            own = dict(db.execute(sql.SEEN_ALIASES).fetchall())
            rows = [FacetRow._make(row) for row in db.execute(sql.TAGS)]
        return answers.all_field_tags(rows, own)

    def get_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Job]:
        with self._reading() as db:
            return jobs.get_jobs(db, keys)

    def used_by_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[Used]]:
        with self._reading() as db:
            return jobs.used_by_jobs(db, keys)

    def used_by_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[Used]]:
        with self._reading() as db:
            return jobs.used_by_runs(db, keys)

    def runs_below(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[RunKey]]:
        with self._reading() as db:
            return jobs.runs_below(db, keys)

    def jobs_below(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[JobKey]]:
        with self._reading() as db:
            return jobs.jobs_below(db, keys)

    def contents(self) -> Iterator[tuple[Any, ...]]:
        with self._reading() as db:
            for kind, query in sql.CONTENTS.items():
                for row in db.execute(query):
                    yield (kind, *row)

    def batches(self) -> Iterator[Batch]:
        with self._reading() as db:
            yield from batches.batches(db)

    def prune(self, before: datetime, *, dry_run: bool = False) -> Pruned:
        at, total, after = micros(before), Pruned(), ""
        while True:
            with _translated(self._file), self._lock, _transaction(self._connection) as connection:
                last, gone = pruning.page(connection, at, after, dry_run=dry_run)
            if last is None:
                if not dry_run and total.runs:
                    self._settle()
                return total
            total, after = total + gone, last

    def _settle(self) -> None:
        with _translated(self._file), self._lock, _transaction(self._connection) as connection:
            changes.settle(connection)

    def audit(self, after: int = 0, first: int = 100) -> Sequence[AuditEntry]:
        with self._reading() as db:
            return audit.entries(db, after, first)

    def audit_end(self) -> tuple[int, str]:
        with self._reading() as db:
            return audit.end(db)

    def append_missing_audit(self, action: str, missing: MissingNotes) -> None:
        with _translated(self._file), self._lock, _transaction(self._connection) as connection:
            audit.append_missing(connection, action, missing)

    def continue_audit(self, entries: Sequence[AuditEntry]) -> None:
        with _translated(self._file), self._lock, _transaction(self._connection) as connection:
            audit.append_entries(connection, entries)

    def keep_dead_letters(self, letters: Sequence[DeadLetter]) -> None:
        with _translated(self._file), self._lock, _transaction(self._connection) as connection:
            dead_letters.keep(connection, letters)

    def dead_letters(self, first: int = 100, after: LetterPlace | None = None) -> Sequence[ListedLetter]:
        with self._reading() as db:
            return dead_letters.page(db, first, after)

    def dead_letter(self, key: str) -> DeadLetter | None:
        with self._reading() as db:
            return dead_letters.one(db, key)

    def forget_dead_letters(self, keys: Sequence[str]) -> None:
        with _translated(self._file), self._lock, _transaction(self._connection) as connection:
            dead_letters.forget(connection, keys)

    def ping(self) -> None:
        with self._reading() as db:
            db.execute("SELECT 1 FROM slot LIMIT 1").fetchone()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._connection.close()
        while not self._readers.empty():
            self._readers.get_nowait().close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A connection whose reads all see one state, and end at the question's deadline."""
        until = deadline.current()
        if until:
            until.check()
        with _translated(self._file, until):
            if self._closed:
                raise StoreUnavailable("the store is closed")
            try:
                connection = self._readers.get_nowait()
            except queue.Empty:
                connection = _connect(self._file)
            try:
                connection.set_progress_handler(until.is_over if until else None, STEPS_BETWEEN_CHECKS)
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.set_progress_handler(None, STEPS_BETWEEN_CHECKS)
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if self._closed:
                    connection.close()
                else:
                    self._readers.put(connection)


def _require_database(file: Path) -> None:
    """Raise ``StoreFailedError`` for a file that is no database: SQLite itself would overwrite a very short one."""
    if not file.exists():
        return
    with file.open("rb") as content:
        begins = content.read(len(_MAGIC))
    if begins not in (b"", _MAGIC):
        raise StoreFailedError(f"{file} is no SQLite database", "name a file of its own for the store")


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA cache_size = -65536")
    return connection


def _migrate(connection: sqlite3.Connection, file: Path) -> None:
    with _transaction(connection):
        for migration in _missing(connection, file):
            for statement in migration.statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {migration.number:d}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")


def _missing(connection: sqlite3.Connection, file: Path) -> tuple[Migration, ...]:
    """The migrations that the store lacks; only reads. Raises ``StoreFailedError`` for another kind of database."""
    application, applied = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    is_ours = application == APPLICATION_ID or (application == 0 and tables >= _TABLES)
    if not is_ours and (application or applied or tables):
        raise StoreFailedError(
            f"{file} is a database of something else", "name a file of its own for the store"
        )
    return missing(migrations(__package__, "sql"), applied, str(file))


@contextmanager
def _transaction(connection: sqlite3.Connection, *, keep: bool = True) -> Iterator[sqlite3.Connection]:
    """A transaction around the code inside; without ``keep``, it is rolled back in the end."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT" if keep else "ROLLBACK")


@contextmanager
def _translated(file: Path, until: Deadline | None = None) -> Iterator[None]:
    try:
        yield
    except (sqlite3.OperationalError, sqlite3.ProgrammingError, OSError) as error:
        if until and until.is_over():
            raise until.error() from error
        raise StoreUnavailable(f"{file}: {error}") from error
    except sqlite3.DatabaseError as error:
        raise StoreFailedError(f"{file}: {error}", "is it a Headwater store?") from error


def _keys(datasets: Iterable[DatasetKey]) -> dict[str, str]:
    return {"keys": json.dumps([named_text(key) for key in datasets])}


def _get_datasets(db: sqlite3.Connection, keys: Sequence[DatasetKey]) -> dict[DatasetKey, Dataset]:
    spans = db.execute(sql.DATASETS, _keys(keys)).fetchall()
    facets: dict[str, list[FacetRow]] = {}
    for asked, *facet in db.execute(sql.DATASET_FACETS, _keys(keys)):
        facets.setdefault(asked, []).append(FacetRow._make(facet))
    found = answers.datasets_of(keys, ((*span, facets.get(span[0], ())) for span in spans))
    own = sorted({span[1] for span in spans})
    names = db.execute(sql.ALIASES_OF, {"keys": json.dumps(own)}).fetchall()
    made = changes.of_datasets(db, own)
    alive = changes.alive(db, sorted({change.of for change in made}))
    return answers.with_states(found, names, made, alive)


def _under_all_names(db: sqlite3.Connection, asked: Sequence[Asked]) -> Iterator[Asked]:
    """The same paths under every name of the datasets."""
    own = own_names(db, (each.dataset for each in asked))
    canonical = sorted({own.get(each.dataset, each.dataset) for each in asked})
    names: dict[str, list[str]] = {}
    for name, of in db.execute(sql.ALIASES_OF, {"keys": json.dumps(canonical)}):
        names.setdefault(of, [of]).append(name)
    for each in asked:
        key = own.get(each.dataset, each.dataset)
        yield from (each._replace(dataset=name) for name in names.get(key, [key]))
