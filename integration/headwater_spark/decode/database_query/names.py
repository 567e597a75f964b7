"""Names in a query: how databases spell them, and what each stands for in a SELECT."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from headwater_plan.nodes import Attribute, Case, Expression, Relation

DIALECTS: Final = {
    "postgresql": ("postgres", str.lower),
    "redshift": ("redshift", str.lower),
    "oracle": ("oracle", str.upper),
    "snowflake": ("snowflake", str.upper),
    "db2": ("", str.upper),
    "derby": ("", str.upper),
    "h2": ("", str.upper),
    "hsqldb": ("", str.upper),
    "mysql": ("mysql", None),
    "mariadb": ("mysql", None),
    "sqlserver": ("tsql", None),
    "sqlite": ("sqlite", None),
    "trino": ("trino", str.lower),
    "presto": ("presto", str.lower),
    "teradata": ("teradata", None),
    "clickhouse": ("clickhouse", None),
    "databricks": ("databricks", None),
    "hive2": ("hive", str.lower),
    "bigquery": ("bigquery", None),
    "duckdb": ("duckdb", None),
    "vertica": ("postgres", None),
}
"""By the URL's kind: sqlglot's dialect, and what becomes of a name without quotes; None keeps it, whatever its case."""


class NotUnderstoodError(Exception):
    """The query has a clause that is not translated, or can be read in two ways."""


@dataclass(frozen=True, slots=True)
class Names:
    """What the database makes of names: which it stores, and which are the same."""

    fold: Callable[[str], str] | None

    def stored(self, identifier: exp.Expr) -> str:
        name = str(identifier.name)
        return name if identifier.args.get("quoted") or self.fold is None else self.fold(name)

    def key(self, name: str) -> str:
        return name.casefold() if self.fold is None else name


@dataclass(slots=True)
class Source:
    """What stands under one name in FROM. Where it is open it may have columns that were not named yet."""

    relation: Relation
    columns: dict[str, Attribute]
    want: Callable[[str], None] | None = None


@dataclass(slots=True)
class Scope:
    """The names that a SELECT sees, its own before those around it."""

    sources: dict[str, Source] = field(default_factory=dict)
    outer: Scope | None = None
    ctes: Mapping[str, exp.Expr] = field(default_factory=dict)
    shared: dict[str, Case] = field(default_factory=dict)
    """Columns that USING makes one of two."""
    outer_columns: list[Expression] = field(default_factory=list)
    kept: dict[int, Attribute] | None = None
    """Above an aggregate: the attribute under which it passes a column on."""
    aggregates: dict[int, Attribute] = field(default_factory=dict)
    """Above an aggregate: the attribute of each aggregate function's result, by its place in the query."""
