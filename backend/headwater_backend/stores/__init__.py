"""Implementations of ``ports.LineageStore``: SQLite (one file) and Neo4j (a server), both over ``stores.rows``."""

from __future__ import annotations

from urllib.parse import urlsplit

from headwater_backend.domain.errors import StoreUrlError
from headwater_backend.ports import LineageStore

NEO4J_SCHEMES = frozenset({"neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"})


def open_store(url: str) -> LineageStore:
    """The store at ``sqlite:///FILE`` (``sqlite:////FILE`` is absolute), ``neo4j://…`` or ``bolt://…``.

    The schema is brought up to date on opening. Neo4j's credentials are ``NEO4J_USERNAME`` and
    ``NEO4J_PASSWORD`` (or the file ``HEADWATER_NEO4J_PASSWORD_FILE``), else the URL's; the database is that of
    ``?database=NAME``, else ``NEO4J_DATABASE``, else the server's default. Raises ``StoreUrlError``, ``SecretError``
    or ``StoreUnavailable``.
    """
    scheme = urlsplit(url).scheme
    if scheme == "sqlite":
        from headwater_backend.stores.sqlite.store import SqliteStore  # noqa: PLC0415 - only what is used is loaded

        return SqliteStore.open(_sqlite_file(url))
    if scheme in NEO4J_SCHEMES:
        from headwater_backend.stores.neo4j.store import Neo4jStore  # noqa: PLC0415

        return Neo4jStore.open(url)
    if not scheme:
        raise StoreUrlError(f"{url!r} is not the URL of a store", f"a file is named as sqlite:///{url}")
    raise StoreUrlError(
        f"no store has the scheme {scheme!r}", "use sqlite:///FILE, neo4j://HOST:7687 or bolt://HOST:7687"
    )


def _sqlite_file(url: str) -> str:
    prefix = "sqlite:///"
    file = url[len(prefix) :] if url.startswith(prefix) else ""
    if not file or file == ":memory:":
        raise StoreUrlError(
            f"{url!r} names no file", "use sqlite:///lineage.db or sqlite:////var/lib/lineage.db"
        )
    return file
