"""The address and credentials of a Neo4j store, out of its URL and the environment."""

from __future__ import annotations

import os
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from headwater_backend.access.secrets import secret
from headwater_backend.domain.errors import StoreUrlError
from headwater_backend.stores import local_neo4j

DATABASE = "database"


class Neo4jAddress(NamedTuple):
    """``uri`` is the driver's, without credentials; ``database`` is None for the user's home database."""

    uri: str
    auth: tuple[str, str] | None
    database: str | None

    @property
    def routed(self) -> bool:
        """Whether the server routes requests to the members of a cluster."""
        return self.uri.startswith("neo4j")


def address_of(url: str) -> Neo4jAddress:
    """The address out of the URL. The environment's credentials precede the URL's, and those the local server's own;
    the database is that of ``?database=``, else of ``NEO4J_DATABASE``. Raises ``StoreUrlError``, ``SecretError``.
    """
    parts = urlsplit(url)
    asked = parse_qsl(parts.query, keep_blank_values=True)
    names = [value for name, value in asked if name == DATABASE] or [os.environ.get("NEO4J_DATABASE", "")]
    routing = urlencode([pair for pair in asked if pair[0] != DATABASE])
    uri = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, routing, ""))
    return Neo4jAddress(uri, _auth(parts), names[-1] or None)


def _auth(parts: SplitResult) -> tuple[str, str] | None:
    try:
        host, port = parts.hostname or "", parts.port or local_neo4j.BOLT_PORT
    except ValueError as error:
        raise StoreUrlError(f"the port of the store's URL is invalid: {error}") from error
    if not host:
        raise StoreUrlError("the store's URL names no host", "use bolt://HOST:7687")
    if password := secret("NEO4J_PASSWORD", "HEADWATER_NEO4J_PASSWORD_FILE"):
        return os.environ.get("NEO4J_USERNAME") or local_neo4j.USER, password
    if parts.password:
        return unquote(parts.username or local_neo4j.USER), unquote(parts.password)
    local = local_neo4j.password(host, port)
    return (local_neo4j.USER, local) if local else None
