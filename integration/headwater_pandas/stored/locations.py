"""Where what a program reads and writes is stored, by the arguments of pandas' readers and writers."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from headwater_facets.locations import DatasetId, location_id

_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:/", re.IGNORECASE)
_TABLE: Final = re.compile(r"[^\s;()]+")
_KINDS: Final = {"mssql": "sqlserver"}
"""What JDBC calls a database that SQLAlchemy calls otherwise."""


def read_at(reader: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> DatasetId | None:
    """What a reader reads; None where nobody can tell, as for a query or a text."""
    given = args[0] if args else next(iter(named.values()), None)
    if reader.startswith("read_sql"):
        schema = named.get("schema") or (args[2] if reader == "read_sql_table" and len(args) > 2 else None)
        return _table(given, named.get("con", args[1] if len(args) > 1 else None), schema)
    return stored_at(given)


def written_at(writer: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> DatasetId | None:
    """What a writer, called with these arguments behind the frame, writes; None where nobody can tell."""
    given = args[0] if args else next(iter(named.values()), None)
    if writer == "to_sql":
        connection = named.get("con", args[1] if len(args) > 1 else None)
        return _table(named.get("name", given), connection, named.get("schema"))
    return stored_at(given)


def stored_at(given: Any) -> DatasetId | None:
    """The dataset of a path, a URL, or an open file; of several files the one that all of them are parts of."""
    if isinstance(given, list | tuple):
        found = {stored_at(each) for each in given}
        return found.pop() if len(found) == 1 else None
    for name in ("path", "_path", "io", "_io", "name"):
        if not isinstance(given, str | os.PathLike):
            given = getattr(given, name, given)
    if not isinstance(given, str | os.PathLike) or "\n" in os.fspath(given):
        return None
    text = os.fspath(given)
    if not isinstance(text, str):
        return None
    if not _SCHEME.match(text):
        return location_id(_absolute(text))
    parts = urlsplit(text)
    if parts.scheme in {"http", "https"}:
        return DatasetId(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", unquote(parts.path) or "/")
    return location_id(text.replace(parts.netloc, parts.netloc.rpartition("@")[2], 1))


def _absolute(path: str) -> str:
    """The whole path; links stay, since what other programs read is named by them, too."""
    return os.path.normpath(Path(path).expanduser().absolute())


def _table(name: Any, connection: Any, schema: str | None) -> DatasetId | None:
    """The table of that name; None for a query."""
    if not isinstance(name, str) or not _TABLE.fullmatch(name):
        return None
    if isinstance(connection, sqlite3.Connection):
        file = next(row[2] for row in connection.execute("PRAGMA database_list") if row[1] == "main")
        return _in_database(f"sqlite:///{file}", name) if file else None
    url = getattr(getattr(connection, "engine", connection), "url", connection)
    text = url.render_as_string(hide_password=True) if hasattr(url, "render_as_string") else url
    return _in_database(text, name, schema) if isinstance(text, str) else None


def _in_database(url: str, table: str, schema: str | None = None) -> DatasetId | None:
    """The table at a URL as SQLAlchemy writes it, by the rule for JDBC's URLs, which Spark's jobs have."""
    from headwater_facets.jdbc import jdbc_name  # noqa: PLC0415 - loads OpenLineage's client

    parts = urlsplit(url)
    kind = parts.scheme.partition("+")[0]
    place = f"//{parts.netloc.rpartition('@')[2]}{parts.path}" + (f"?{parts.query}" if parts.query else "")
    if kind == "sqlite":
        file = unquote(parts.path).removeprefix("/")
        place = _absolute(file) if file and file != ":memory:" else ""
    if not kind or not place:
        return None
    named = jdbc_name(f"jdbc:{_KINDS.get(kind, kind)}:{place}", f"{schema}.{table}" if schema else table)
    return DatasetId(*named) if named else None
