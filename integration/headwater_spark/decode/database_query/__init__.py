"""A query that a database answers (JDBC's ``query``, or a subquery as ``dbtable``), as relations of
``headwater_plan``.

Theory of operation. sqlglot parses the text in the database's dialect; each clause becomes the relation that Spark's
own plan would have for it, so that one analysis serves both. The columns of the database's tables are not known: a
table has those that the query names, and where a star stands for it, those that Spark knows of the result::

    SELECT c.name FROM customers c WHERE c.id > 7      customers: name, id
    SELECT * FROM customers WHERE id > 7               customers: the result's columns, id

A column may be named above the subquery whose star lets it through. So the translation is repeated until no pass finds
a further column; only the last one's relations are used.

Whatever could be read in two ways (a column without its table where two tables could have it), and every clause that
is not translated, raises ``NotUnderstoodError``: the answer is then what it is for a query that cannot be parsed. A
function that sqlglot does not know may be the database's own code, and is opaque.

The translation is built in layers, each a module that uses those before it: ``names`` and ``syntax``, ``columns``,
``expressions``, ``tables`` (FROM), ``select``, ``queries``. A subquery closes the recursion through the one abstract
method ``_query``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from sqlglot import exp, parse

from headwater_plan.nodes import Attribute, Column, Definition, Project, Relation
from headwater_spark.decode.context import Context
from headwater_spark.decode.database_query.names import DIALECTS, Names, NotUnderstoodError
from headwater_spark.decode.database_query.queries import Translation
from headwater_spark.decode.database_query.syntax import is_plain
from headwater_spark.decode.database_query.tables import table_name

MOST_TEXT: Final = 65_536
"""Characters of a query that the driver sends; a longer one is cut there."""
_MOST_PASSES: Final = 20
_MOST_TABLES: Final = 100


def relation_of(
    query: str, source: Mapping[str, Any], outputs: tuple[Attribute, ...], context: Context
) -> Relation:
    """What the query does, under the attributes that Spark gave its result.

    ``source`` is the plan document's description of the database. Raises ``NotUnderstoodError``, and what sqlglot
    raises for a text that it cannot parse.
    """
    statement, names = _parsed(query, source)
    tables: dict[str, dict[str, str]] = {}
    for _ in range(_MOST_PASSES):
        before = sum(map(len, tables.values()))
        found = Translation(names, tables, dict(source), context, outputs).whole(statement)
        if sum(map(len, tables.values())) == before:
            _check_columns(found.outputs, outputs)
            return Project(outputs, found, _under(outputs, found))
    raise NotUnderstoodError("its columns are too many")


@dataclass(frozen=True, slots=True)
class Named:
    """The tables that a query names, and whether it only selects columns of one of them under their names."""

    names: tuple[str, ...]
    plain: bool


def tables_of(query: str, source: Mapping[str, Any]) -> Named | None:
    """The tables of a query; None where they are too many to be listed. Raises what ``relation_of`` raises."""
    statement, names = _parsed(query, source)
    own = {names.key(names.stored(cte.args["alias"].this)) for cte in statement.find_all(exp.CTE)}
    found = dict.fromkeys(
        table_name(table, names)
        for table in statement.find_all(exp.Table)
        if isinstance(table.this, exp.Identifier) and names.key(names.stored(table.this)) not in own
    )
    return Named(tuple(found), is_plain(statement)) if len(found) <= _MOST_TABLES else None


def _parsed(query: str, source: Mapping[str, Any]) -> tuple[exp.Query, Names]:
    if len(query) >= MOST_TEXT:
        raise NotUnderstoodError("the query is cut")
    kind = str(source.get("url") or "").removeprefix("jdbc:").partition(":")[0].lower()
    dialect, fold = DIALECTS.get(kind, ("", None))
    statement = _statement(query, dialect)
    if not isinstance(statement, exp.Query):
        raise NotUnderstoodError("it is no query")
    return statement, Names(fold)


@lru_cache(maxsize=4)
def _statement(query: str, dialect: str) -> exp.Expr | None:
    """The parsed text, which is read only; the tables and the relations of one query are asked for in turn."""
    (statement,) = parse(query, dialect=dialect or None)
    return statement


def _check_columns(found: Sequence[Attribute], outputs: Sequence[Attribute]) -> None:
    """What Spark knows of the result guards against a wrong reading of the query."""
    if len(found) != len(outputs):
        raise NotUnderstoodError("its columns are not those of the result")
    for inner, output in zip(found, outputs, strict=True):
        if inner.name and inner.name.casefold() != output.name.casefold():
            raise NotUnderstoodError("its columns have other names in the result")


def _under(outputs: Sequence[Attribute], found: Relation) -> tuple[Definition, ...]:
    pairs = zip(outputs, found.outputs, strict=True)
    return tuple(Definition(output, Column(inner.id, inner.name, output.type)) for output, inner in pairs)
