"""Namespaces of databases, by the schemes that OpenLineage's naming has for them."""

from __future__ import annotations

import re
from typing import Final

_SCHEMES: Final = re.compile(
    r"(jdbc|postgres(ql)?|mysql|mariadb|sqlserver|mssql|oracle|db2|h2|derby|sqlite|teradata|redshift|snowflake|bigquery"
    r"|awsathena|trino|cassandra|azurecosmos|hana|synapse|clickhouse|duckdb)\b",
    re.IGNORECASE,
)


def is_database(namespace: str) -> bool:
    """Return whether the datasets of the namespace are tables of a database."""
    return _SCHEMES.match(namespace) is not None
