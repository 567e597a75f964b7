"""Names of tables behind JDBC URLs, by OpenLineage's naming rules.

``jdbc:postgresql://db:5432/shop`` with ``orders`` is ``postgres://db:5432``, ``shop.public.orders``. A query in place
of a table has no name: the tables that it reads are unknown without parsing the database's SQL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple
from urllib.parse import SplitResult, parse_qsl, urlsplit

from openlineage.client.naming import dataset as rules

_ORACLE: Final = re.compile(
    r"oracle:thin:(?:[^@]*)@(?://)?(?P<host>[^:/?]+)(?::(?P<port>\d+))?[:/](?P<service>\w[\w.]*)"
)
_SNOWFLAKE: Final = ".snowflakecomputing.com"


class _Server(NamedTuple):
    """The parts of a server's URL."""

    kind: str
    host: str
    port: int | None
    database: str
    parameters: Mapping[str, str]


def jdbc_name(url: str, table: str | None) -> tuple[str, str] | None:
    """(namespace, name) of the table; None for a query or a URL that is not JDBC."""
    if not table or not url.startswith("jdbc:") or _is_query(table):
        return None
    plain = url.removeprefix("jdbc:")
    levels = _levels(table)
    if found := _ORACLE.match(plain):
        return _oracle(found, levels)
    server = _server(plain)
    if server is None:
        return re.split(r"[?;]", plain, maxsplit=1)[0], ".".join(levels)
    naming = _naming(server, levels)
    return naming.get_namespace(), naming.get_name()


def _is_query(table: str) -> bool:
    return table.lstrip().startswith("(") or bool(re.match(r"\s*(select|with)\s", table, re.IGNORECASE))


def _levels(table: str) -> list[str]:
    """The parts of a table name like ``schema."a.b"``, ```db`.`t``` or ``[dbo].[t]``, without their quotes."""
    parts = re.findall(r'"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|\[([^\]]*)\]|([^."`\[\]]+)', table.strip())
    return [next(text for text in part if text) for part in parts if any(part)]


def _server(plain: str) -> _Server | None:
    head, *options = plain.split(";")
    parts = urlsplit(re.sub(r",[^/]*", "", head))  # the first of several hosts
    if not parts.hostname or not _has_usable_port(parts):
        return None
    parameters = dict(option.split("=", 1) for option in options if "=" in option)
    parameters |= dict(parse_qsl(parts.query))
    lowered = {key.lower(): value for key, value in parameters.items()}
    database = parts.path.strip("/") or lowered.get("databasename") or lowered.get("database") or ""
    kind = parts.scheme.split(":")[0].lower()
    return _Server(kind, parts.hostname, parts.port, database, lowered)


def _has_usable_port(parts: SplitResult) -> bool:
    try:
        return parts.port is None or parts.port > 0
    except ValueError:
        return False


def _oracle(found: re.Match[str], levels: list[str]) -> tuple[str, str]:
    name = ".".join([found["service"], *levels])
    return f"oracle://{found['host']}:{found['port'] or 1521}", name


class _Plain(NamedTuple):
    """A name in a database for which OpenLineage has no naming rule."""

    namespace: str
    name: str

    def get_namespace(self) -> str:
        """Return the namespace."""
        return self.namespace

    def get_name(self) -> str:
        """Return the name."""
        return self.name


def _naming(server: _Server, levels: list[str]) -> rules.DatasetNaming:
    return _RULES.get(server.kind, _by_server)(server, levels)


def _by_server(server: _Server, levels: list[str]) -> rules.DatasetNaming:
    place = f"{server.host}:{server.port}" if server.port else server.host
    return _Plain(f"{server.kind}://{place}", ".".join(filter(None, [server.database, *levels])))


def _postgres(server: _Server, levels: list[str]) -> rules.DatasetNaming:
    schema = _schema(levels, server.parameters.get("currentschema", "public").partition(",")[0])
    return rules.Postgres(
        server.host, str(server.port or 5432), server.database or "postgres", schema, levels[-1]
    )


def _mysql(server: _Server, levels: list[str]) -> rules.DatasetNaming:
    database = _schema(levels, server.database)
    if not database:
        return _by_server(server, levels)
    return rules.MySQL(server.host, str(server.port or 3306), database, levels[-1])


def _sqlserver(server: _Server, levels: list[str]) -> rules.DatasetNaming:
    name = ".".join([server.database or "master", _schema(levels, "dbo"), levels[-1]])
    return _Plain(f"sqlserver://{server.host}:{server.port or 1433}", name)


def _trino(server: _Server, levels: list[str]) -> rules.DatasetNaming:
    catalog, _, schema = server.database.partition("/")
    if not catalog:
        return _by_server(server, levels)
    schema = _schema(levels, schema or "default")
    return rules.Trino(server.host, str(server.port or 8080), catalog, schema, levels[-1])


def _teradata(server: _Server, levels: list[str]) -> rules.DatasetNaming:
    database = _schema(levels, server.database or "default")
    return rules.Teradata(server.host, str(server.port or 1025), database, levels[-1])


def _redshift(server: _Server, levels: list[str]) -> rules.DatasetNaming:
    name = ".".join(filter(None, [server.database, _schema(levels, "public"), levels[-1]]))
    return _Plain(f"redshift://{server.host}:{server.port or 5439}", name)


def _schema(levels: list[str], default: str) -> str:
    return levels[-2] if len(levels) > 1 else default


def _snowflake(server: _Server, levels: list[str]) -> rules.DatasetNaming:
    account = server.host.removesuffix(_SNOWFLAKE)
    upper = [level.upper() for level in levels]
    known = [server.parameters.get("db", ""), server.parameters.get("schema", "")]
    name = ".".join(filter(None, [*known[: 3 - len(upper)], *upper]))
    return _Plain(f"snowflake://{account}", name)


_RULES: Final[Mapping[str, Callable[[_Server, list[str]], rules.DatasetNaming]]] = {
    "postgresql": _postgres,
    "postgres": _postgres,
    "mysql": _mysql,
    "mariadb": _mysql,
    "sqlserver": _sqlserver,
    "snowflake": _snowflake,
    "trino": _trino,
    "presto": _trino,
    "teradata": _teradata,
    "redshift": _redshift,
}
