"""A database as a source: its URL and, of a query that it answers, the tables that the query names."""

from __future__ import annotations

from typing import Any

from headwater_spark.decode.values import Options, Source
from headwater_spark.guard import Failure, guarded


def jdbc(options: Options) -> Source:
    """The source of JDBC's options, with ``tables`` and ``plain`` where it is a query that can be parsed."""
    named = {key: options[key] for key in ("dbtable", "query", "driver") if key in options}
    source = {"kind": "jdbc", "url": options.get("url"), **named}
    text = query_text(source)
    return source if text is None else {**source, **_tables(text, source)}


def query_text(source: Source) -> str | None:
    """The SELECT that a database is sent in place of a table's name."""
    query = source.get("query")
    if query:
        return str(query)
    table = str(source.get("dbtable") or "").strip()
    return "SELECT * FROM " + table if table.startswith("(") else None  # noqa: S608 - it is only read


def _tables(text: str, source: Source) -> dict[str, Any]:
    from headwater_spark.decode.database_query import tables_of  # noqa: PLC0415 - few jobs need a parser of SQL

    found = guarded(lambda: tables_of(text, source))
    if isinstance(found, Failure) or found is None:
        return {}
    return {"tables": list(found.names), "plain": found.plain}
