"""A transaction of SQLite, and the connection in which it runs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from headwater_backend.domain.node_keys import dataset_part
from headwater_backend.domain.records import united
from headwater_backend.in_force.current import FOREVER
from headwater_backend.stores import labels
from headwater_backend.stores.rows.statements import Statements
from headwater_backend.stores.sql.statements import ANY_TEXT, STATEMENTS
from headwater_backend.stores.sql.writer import SqlWriter

if TYPE_CHECKING:
    from typing_extensions import LiteralString

BUSY_SECONDS: Final = 30.0

# A column with such a name is read as JSON, as in ``SELECT body AS "body [json]"``.
sqlite3.register_converter("json", lambda text: json.loads(str(text, "utf-8")))


class SqliteTransaction:
    """The transaction that is open in a connection. Lists and maps are passed to statements as JSON."""

    statements: Final[Statements] = STATEMENTS

    def __init__(self, connection: sqlite3.Connection, known: int = FOREVER) -> None:
        self.db = connection
        self.known = known

    def rows(self, statement: LiteralString, **parameters: Any) -> Sequence[Any]:
        if statement not in ANY_TEXT:
            return self.db.execute(statement, _plain(parameters)).fetchall()
        self.db.text_factory = _any_text
        try:
            return self.db.execute(statement, _plain(parameters)).fetchall()
        finally:
            self.db.text_factory = str

    def write(self, statement: LiteralString, rows: Iterable[Mapping[str, Any]]) -> None:
        known = list(rows)
        if known:
            self.db.executemany(statement, known)

    def delete(self, statement: LiteralString, **parameters: Any) -> int:
        return self.db.execute(statement, _plain(parameters)).rowcount


class SqliteWriter(SqlWriter, SqliteTransaction):
    """A transaction that writes; it holds the lock of the database."""

    rows = SqliteTransaction.rows

    def many(self, statement: LiteralString, rows: Iterable[Sequence[Any]]) -> None:
        self.db.executemany(statement, rows)


def connect(file: Path) -> sqlite3.Connection:
    """A connection with the functions that statements use."""
    connection = sqlite3.connect(
        file,
        BUSY_SECONDS,
        detect_types=sqlite3.PARSE_COLNAMES,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA cache_size = -65536")
    for function in (labels.names_searched, labels.steps_searched, dataset_part):
        connection.create_function(function.__name__, 1, function, deterministic=True)
    connection.create_function(united.__name__, 2, united, deterministic=True)
    return connection


def _any_text(text: bytes) -> str:
    return text.decode(errors="surrogateescape")


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    for name, value in parameters.items():
        if type(value) is list or type(value) is dict:
            parameters[name] = json.dumps(value)
    return parameters
