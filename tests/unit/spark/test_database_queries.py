"""Queries that a database executes: the listed lineage is that of SQL's semantics and of a real SQL engine."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from headwater_spark.decode.jdbc import jdbc
from headwater_spark.tracing import PlanLineage, analyse
from kit.plans import copy_plan, files, over

POSTGRES = "jdbc:postgresql://db/shop"
SQLITE = "jdbc:sqlite:shop.db"


def lineage(query: str, outputs: list[str], url: str = SQLITE, **more: Any) -> PlanLineage:
    """The lineage of a read of that query, of whose result Spark knows these columns."""
    plan = copy_plan({"kind": "jdbc", "url": url, "query": query, **more}, files("/out"))
    attribute, relation, write = plan["nodes"]
    plan["nodes"] = [
        *(
            {**attribute, "id": i + 1, "n": name, "a": [name, *attribute["a"][1:]]}
            for i, name in enumerate(outputs)
        ),
        {**relation, "out": list(range(len(outputs)))},
        over(write, len(outputs), outputs),
    ]
    plan["root"] = len(outputs) + 1
    return analyse(plan)


def direct(found: PlanLineage) -> dict[str, set[str]]:
    """Each result column's columns of tables."""
    return {
        ".".join(each.path): {
            named(found, i) for i in each.inputs if any(t.type == "DIRECT" for t in i.transformations)
        }
        for each in found.fields
    }


def influences(found: PlanLineage) -> set[str]:
    """What decides about rows or values."""
    inputs = [*found.dataset, *(i for each in found.fields for i in each.inputs)]
    return {named(found, i) for i in inputs if any(t.type == "INDIRECT" for t in i.transformations)}


def named(found: PlanLineage, each: Any) -> str:
    return f"{found.reads[each.read].source.get('dbtable')}.{'.'.join(each.path)}"


TABLES = {
    "customers": ("id", "name", "city", "ssn"),
    "orders": ("oid", "customer", "amount", "state"),
    "scores": ("customer", "score", "day"),
}
ROWS = 6

EXACT = {
    "SELECT name, ssn AS number FROM customers WHERE city = 'a'": (
        {"name": {"customers.name"}, "number": {"customers.ssn"}},
        {"customers.city"},
    ),
    "SELECT c.name, o.amount * 2 AS twice FROM customers c JOIN orders AS o ON o.customer = c.id": (
        {"name": {"customers.name"}, "twice": {"orders.amount"}},
        {"customers.id", "orders.customer"},
    ),
    "SELECT c.city, SUM(o.amount) AS total, COUNT(*) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id"
    " WHERE o.state <> 'x' GROUP BY c.city HAVING SUM(o.amount) > 3 ORDER BY total DESC": (
        {"city": {"customers.city"}, "total": {"orders.amount"}},
        {"customers.id", "orders.customer", "orders.state", "customers.city", "orders.amount"},
    ),
    "WITH rich AS (SELECT customer, MAX(amount) AS best FROM orders GROUP BY customer), again AS (SELECT * FROM rich)"
    " SELECT c.name, a.best FROM customers c, again a WHERE a.customer = c.id": (
        {"name": {"customers.name"}, "best": {"orders.amount"}},
        {"orders.customer", "customers.id"},
    ),
    "SELECT name FROM customers WHERE id IN (SELECT customer FROM orders WHERE amount > 2)": (
        {"name": {"customers.name"}},
        {"customers.id", "orders.customer", "orders.amount"},
    ),
    "SELECT c.name FROM customers c WHERE EXISTS (SELECT * FROM orders o WHERE o.customer = c.id AND o.state = 'x')": (
        {"name": {"customers.name"}},
        {"customers.id", "orders.customer", "orders.state"},
    ),
    "SELECT c.name, (SELECT MAX(s.score) FROM scores s WHERE s.customer = c.id) AS best FROM customers c": (
        {"name": {"customers.name"}, "best": {"scores.score"}},
        {"customers.id", "scores.customer"},
    ),
    "SELECT name AS who FROM customers UNION SELECT state FROM orders WHERE amount > 1": (
        {"who": {"customers.name", "orders.state"}},
        {"orders.amount", "customers.name", "orders.state"},
    ),
    "SELECT name FROM customers EXCEPT SELECT state FROM orders": (
        {"name": {"customers.name"}},
        {"customers.name", "orders.state"},
    ),
    "SELECT x.name, x.city FROM (SELECT * FROM customers WHERE ssn > 2) x": (
        {"name": {"customers.name"}, "city": {"customers.city"}},
        {"customers.ssn"},
    ),
    "SELECT CASE WHEN state = 'x' THEN amount ELSE oid END AS v, COALESCE(customer, oid) AS w FROM orders": (
        {"v": {"orders.amount", "orders.oid"}, "w": {"orders.customer", "orders.oid"}},
        {"orders.state", "orders.customer"},
    ),
    "SELECT oid, ROW_NUMBER() OVER (PARTITION BY customer ORDER BY amount) AS place,"
    " SUM(amount) OVER (PARTITION BY state) AS total FROM orders": (
        {"oid": {"orders.oid"}, "total": {"orders.amount"}},
        {"orders.customer", "orders.amount", "orders.state"},
    ),
    "SELECT DISTINCT city FROM customers ORDER BY 1 LIMIT 2": (
        {"city": {"customers.city"}},
        {"customers.city"},
    ),
    "SELECT customer, SUM(amount) AS total, MAX(score) AS best FROM orders JOIN scores USING (customer)"
    " GROUP BY customer": None,
    "SELECT o.customer AS c, RANK() OVER (ORDER BY SUM(o.amount)) AS r FROM orders o GROUP BY o.customer": (
        {"c": {"orders.customer"}},
        {"orders.customer", "orders.amount"},
    ),
    "SELECT lower(name) AS n, COUNT(DISTINCT city) AS cities FROM customers GROUP BY n": (
        {"n": {"customers.name"}, "cities": {"customers.city"}},
        {"customers.name"},
    ),
    "SELECT SUM(amount) FILTER (WHERE state = 'x') AS s, AVG(amount) + MIN(oid) AS v FROM orders": (
        {"s": {"orders.amount"}, "v": {"orders.amount", "orders.oid"}},
        {"orders.state"},
    ),
}


def result_columns(query: str) -> list[str]:
    with database() as connection:
        return [column[0] for column in connection.execute(query).description]


def database(changed: tuple[str, str] | None = None) -> sqlite3.Connection:
    """Three tables; one column of them has other values where that is asked for."""
    connection = sqlite3.connect(":memory:")
    for table, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        for row in range(ROWS):
            values = [value(table, column, row, changed == (table, column)) for column in columns]
            connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", values)
    return connection


def value(table: str, column: str, row: int, changed: bool) -> int | str:
    shift = (row * 5 + 3) % 4 if changed else 0
    if column in ("name", "city", "state"):
        return "xyzabc"[(row // (1 + len(table) % 2) + shift) % 6]
    return (row + shift) % 5


@pytest.mark.parametrize("query", [query for query, expected in EXACT.items() if expected])
def test_lineage_of_a_query_is_exact(query: str) -> None:
    expected = EXACT[query]
    assert expected is not None
    found = lineage(query, result_columns(query))

    assert not found.incomplete
    assert {name: paths for name, paths in direct(found).items() if paths} == expected[0]
    assert influences(found) == expected[1]


@pytest.mark.parametrize("query", EXACT)
def test_a_column_that_changes_the_result_is_listed(query: str) -> None:
    """The query is run by SQLite, with each column of the tables changed in turn."""
    found = lineage(query, result_columns(query))
    listed = influences(found).union(*direct(found).values())
    before = database().execute(query).fetchall()
    for table, columns in TABLES.items():
        for column in columns:
            if database((table, column)).execute(query).fetchall() != before:
                assert found.incomplete or f"{table}.{column}" in listed, (table, column)


def test_a_star_is_what_spark_knows_of_the_result() -> None:
    assert direct(lineage("SELECT * FROM customers WHERE ssn > 1", ["id", "name"])) == {
        "id": {"customers.id"},
        "name": {"customers.name"},
    }
    found = lineage(
        "SELECT c.*, o.amount a FROM customers c JOIN orders o ON c.id = o.customer", ["id", "name", "a"]
    )
    assert direct(found) == {"id": {"customers.id"}, "name": {"customers.name"}, "a": {"orders.amount"}}


@pytest.mark.parametrize(
    ("url", "query", "column", "path"),
    [
        (POSTGRES, 'SELECT Name FROM Public.Customers', "name", "public.customers.name"),
        (POSTGRES, 'SELECT "Na.me" FROM "Cust omers"', "Na.me", '"Cust omers".Na.me'),
        ("jdbc:oracle:thin:@db:1521/x", "SELECT name FROM customers", "NAME", "customers.NAME"),
        ("jdbc:derby:memory:x", "SELECT name FROM customers", "NAME", "customers.NAME"),
        ("jdbc:sqlserver://db;a=b", "SELECT TOP 3 [name] FROM [dbo].[Customers]", "Name", "dbo.Customers.Name"),
        ("jdbc:mysql://db/shop", "SELECT `name` FROM `customers` WHERE NAME > 'a'", "name", "customers.name"),
    ],
)  # fmt: skip
def test_names_are_those_that_the_database_stores(url: str, query: str, column: str, path: str) -> None:
    found = lineage(query, [column], url)

    assert not found.incomplete
    assert direct(found) == {column: {path}}


def test_a_subquery_in_place_of_a_table_is_a_query() -> None:
    found = lineage("", ["id"], dbtable="(SELECT id FROM customers WHERE ssn = 1) AS t")

    assert (direct(found), influences(found)) == ({"id": {"customers.id"}}, {"customers.ssn"})


@pytest.mark.parametrize(
    ("query", "outputs", "tables"),
    [
        (
            "SELECT amount, name FROM customers JOIN orders ON id = customer",
            ["amount", "name"],
            "customers orders",
        ),
        ("SELECT * FROM customers, orders", ["id", "oid"], "customers orders"),
        (
            "SELECT c.name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.oid = id)",
            ["name"],
            "customers orders",
        ),
        (
            "WITH RECURSIVE r AS (SELECT id FROM orders UNION ALL SELECT id FROM r) SELECT id FROM r",
            ["id"],
            "orders",
        ),
        ("SELECT name FROM customers", ["name", "more"], "customers"),
        ("SELECT name FROM customers", ["another"], "customers"),
        ("SELECT name FROM customers NATURAL JOIN orders", ["name"], "customers orders"),
        ("SELECT customers FROM customers", ["customers"], "customers"),
    ],
)
def test_what_is_not_understood_is_incomplete_and_anything_of_the_tables(
    query: str, outputs: list[str], tables: str
) -> None:
    found = lineage(query, outputs)

    assert [gap.reason for gap in found.incomplete] == ["UNKNOWN_SOURCE"]
    assert {path for paths in direct(found).values() for path in paths} == {f"{t}." for t in tables.split()}


@pytest.mark.parametrize(
    ("query", "outputs"),
    [
        ("SELECT FROM WHERE", ["name"]),
        ("SELECT g FROM generate_series(1, 2) g", ["g"]),
        ("DELETE FROM customers", ["name"]),
        (f"SELECT name FROM customers WHERE name = '{'x' * 70_000}'"[:65_536], ["name"]),
    ],
)
def test_a_query_of_unknown_tables_is_an_incomplete_read(query: str, outputs: list[str]) -> None:
    found = lineage(query, outputs)

    assert [gap.reason for gap in found.incomplete] == ["UNKNOWN_SOURCE"]
    assert direct(found) == {name: {f"None.{name}"} for name in outputs}


@pytest.mark.parametrize(
    ("options", "tables", "plain"),
    [
        ({"dbtable": "customers"}, None, None),
        ({"query": "SELECT name, id FROM customers"}, ["customers"], True),
        ({"dbtable": "(SELECT * FROM Shop.customers) t"}, ["shop.customers"], True),
        ({"dbtable": "(SELECT name FROM customers WHERE id = 1) t"}, ["customers"], False),
        ({"query": "SELECT name AS n FROM customers"}, ["customers"], False),
        ({"query": 'SELECT c.name FROM customers c, "a.b"'}, ["customers", '"a.b"'], False),
        ({"query": "SELECT FROM WHERE"}, None, None),
    ],
)
def test_the_tables_of_a_query_are_named(
    options: dict[str, str], tables: list[str] | None, plain: bool | None
) -> None:
    source = jdbc({"url": POSTGRES, **options})

    assert (source.get("tables"), source.get("plain")) == (tables, plain)


def test_a_function_of_the_database_is_opaque() -> None:
    found = lineage("SELECT my_own(name) AS n, ssn FROM customers", ["n", "ssn"])

    assert [each.reason for each in found.opaque] == ["DATABASE_FUNCTION"]
    assert direct(found) == {"n": {"customers.name"}, "ssn": {"customers.ssn"}}


def test_constants_of_a_query_are_the_programs() -> None:
    found = lineage("SELECT 'Alice' AS a, name FROM customers WHERE ssn = '078-05-1120'", ["a", "name"])

    assert "Alice" not in str(found)
    assert [condition.sql for condition in found.conditions] == ["(ssn = '078-05-1120')"]
