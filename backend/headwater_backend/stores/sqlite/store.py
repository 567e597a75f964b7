"""The embedded store: one SQLite file, no server.

One connection writes, under a lock and in one transaction a batch; readers borrow connections from a pool and
see the last commit (WAL). ``synchronous`` is FULL, because what was acknowledged has to outlive a power cut;
batches make its price small.
"""

from __future__ import annotations

import logging
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from headwater_backend.domain import deadline
from headwater_backend.domain.deadline import Deadline
from headwater_backend.domain.errors import StoreFailedError, StoreUnavailable, StoreUrlError
from headwater_backend.stores.dataset_names import KnownNaming
from headwater_backend.stores.migrations import Migration, migrations, missing
from headwater_backend.stores.rows.transaction import Transaction, WritingTransaction
from headwater_backend.stores.sql.batches import Execute
from headwater_backend.stores.sql.store import SqlStore
from headwater_backend.stores.sqlite.transaction import SqliteTransaction, SqliteWriter, connect

STEPS_BETWEEN_CHECKS = 100_000
"""Steps of SQLite's machine between two checks of the deadline: some milliseconds."""
APPLICATION_ID = int.from_bytes(b"HdWt", "big")
"""The application id in the header of our files, where SQLite's own programs find it."""
_MAGIC = b"SQLite format 3\0"
_TABLES = frozenset({"dataset", "job", "run", "slot", "version", "observation"})
"""The tables of stores that were made before files had the application id."""

T = TypeVar("T")
_log = logging.getLogger(__name__)


class SqliteStore(SqlStore):
    """A ``LineageStore`` in one file. Use ``SqliteStore.open``."""

    def __init__(self, file: Path, writer: sqlite3.Connection) -> None:
        super().__init__(KnownNaming(one_writer=True))
        self._file = file
        self._opened = file.stat()
        self._logs: dict[Path, tuple[int, int] | None] = dict.fromkeys(_logs(file))
        self._note_logs()
        self._connection = writer
        self._lock = threading.Lock()
        self._readers: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        self._closed = False
        self._is_log_kept = False

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
            connection = connect(path)
            try:
                _missing(connection, path)
                connection.execute("PRAGMA journal_mode = WAL")
                migrated = _migrate(connection, path)
            except BaseException:
                connection.close()
                raise
        store = cls(path, connection)
        if migrated:
            store._compare_layouts()
        return store

    def _require_file(self) -> None:
        """Raise ``StoreUnavailable`` where the name leads to another file, or to none: what is written into the open
        one would be gone with it. So it is with the write-ahead log and its index.
        """
        try:
            same = os.path.samestat(self._opened, self._file.stat())
        except FileNotFoundError:
            same = False
        if not same:
            raise StoreUnavailable(
                f"the store's file {self._file} was removed, moved or replaced while it is open",
                "move it back, or restart the server, which opens what is there then",
            )
        if any(opened and _identity(log) != opened for log, opened in self._logs.items()):
            self._keep_log()
            raise StoreUnavailable(
                f"the write-ahead log of {self._file} was removed, moved or replaced while it is open",
                "restart the server; what was stored is in the file",
            )

    def _note_logs(self) -> None:
        """Note which files the log and its index are, as soon as they are there."""
        for log, opened in self._logs.items():
            if opened is None:
                self._logs[log] = _identity(log)

    def _keep_log(self) -> None:
        """Copy what the open log holds into the file, once. Nobody else can have one of the same name by now, unless it
        was put there: then nothing is copied, as two logs do not fit one file.
        """
        if self._is_log_kept or self._file.with_name(f"{self._file.name}-wal").exists():
            return
        self._is_log_kept = True
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(FULL)").fetchall()
        _log.error(
            "the write-ahead log of %s was removed while it is open; what it held was copied into the file, and "
            "nothing more is stored until the server starts again",
            self._file,
        )

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._connection.close()
        while not self._readers.empty():
            self._readers.get_nowait().close()

    @contextmanager
    def _executing(self) -> Iterator[Execute]:
        with self._reading() as db:
            yield db.execute

    def _read(self, reading: Callable[[Transaction], T]) -> T:
        with self._reading() as db:
            return reading(SqliteTransaction(db, self._known))

    def _write(self, writing: Callable[[WritingTransaction], T], *, keep: bool = True) -> T:
        with _translated(self._file), self._lock:
            if not self._closed:
                self._require_file()
            with _transaction(self._connection, keep=keep) as db:
                written = writing(SqliteWriter(db))
            self._note_logs()
            self._require_file()  # again: it is not to be acknowledged what went into a file without a name
            return written

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A connection whose reads all see one state, and end at the question's deadline."""
        until = deadline.current()
        if until:
            until.check()
        with _translated(self._file, until):
            if self._closed:
                raise StoreUnavailable("the store is closed")
            self._require_file()
            try:
                connection = self._readers.get_nowait()
            except queue.Empty:
                connection = connect(self._file)
            try:
                if until:
                    connection.set_progress_handler(until.is_over, STEPS_BETWEEN_CHECKS)
                connection.execute("BEGIN")
                yield connection
            finally:
                if until:
                    connection.set_progress_handler(None, STEPS_BETWEEN_CHECKS)
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if self._closed:
                    connection.close()
                else:
                    self._readers.put(connection)


def _logs(file: Path) -> tuple[Path, Path]:
    return file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")


def _identity(file: Path) -> tuple[int, int] | None:
    """What a file is known by, whatever its name; None if there is none."""
    with suppress(FileNotFoundError):
        found = file.stat()
        return found.st_dev, found.st_ino
    return None


def _require_database(file: Path) -> None:
    """Raise ``StoreFailedError`` for a file that is no database: SQLite itself would overwrite a very short one."""
    if not file.exists():
        return
    with file.open("rb") as content:
        begins = content.read(len(_MAGIC))
    if begins not in (b"", _MAGIC):
        raise StoreFailedError(f"{file} is no SQLite database", "name a file of its own for the store")


def _migrate(connection: sqlite3.Connection, file: Path) -> bool:
    """Apply the migrations that the store lacks; False if there are none."""
    with _transaction(connection):
        lacking = _missing(connection, file)
        for migration in lacking:
            for statement in migration.statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {migration.number:d}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
    return bool(lacking)


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
