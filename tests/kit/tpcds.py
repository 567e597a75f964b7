"""TPC-DS: tables of a small scale, and its 99 queries, made by DuckDB's extension.

Of small tables, some queries select nothing. They are asked without so many of their conditions that they give rows:
first of those on constants, and if that is not enough, of those on subqueries.
"""

from __future__ import annotations

from pathlib import Path
from threading import Timer
from typing import Any

import duckdb
import duckdb_extension_tpcds
import sqlglot
from sqlglot import exp

SCALE = 0.01
QUERIES = "queries.sql"
MOST_SECONDS = 5
BOUGHT = """SELECT ss_customer_sk AS customer, ss_sold_date_sk AS day,
row_number() OVER (ORDER BY ss_ticket_number, ss_item_sk) AS n
FROM store_sales JOIN date_dim ON ss_sold_date_sk = d_date_sk
WHERE d_month_seq BETWEEN 1200 AND 1211 AND ss_customer_sk IS NOT NULL"""
FITTING = (
    """UPDATE customer_address SET ca_zip = s_zip, ca_county = s_county, ca_state = s_state
    FROM store WHERE ca_address_sk % 3 = 0 AND s_store_sk = 1""",
    f"""UPDATE web_sales SET ws_bill_customer_sk = customer, ws_sold_date_sk = day
    FROM ({BOUGHT}) WHERE ws_order_number = n AND n <= 100""",
    f"""UPDATE catalog_sales SET cs_bill_customer_sk = customer, cs_sold_date_sk = day
    FROM ({BOUGHT}) WHERE cs_order_number = n AND n <= 100""",
)
"""So few customers do not live where the store is, nor buy in three ways on one day, which some queries ask for."""


def make(folder: Path) -> list[str]:
    """Write the tables as Parquet, and the queries to one file; the names of those that still give no rows."""
    with duckdb.connect() as engine:
        engine.execute("SET enable_progress_bar = false")
        extension = next(Path(duckdb_extension_tpcds.__file__).parent.rglob("*.duckdb_extension"))
        engine.load_extension(str(extension))
        engine.execute(f"CALL dsdgen(sf={SCALE})")
        for change in FITTING:
            engine.execute(change)
        for (table,) in engine.execute("SHOW TABLES").fetchall():
            engine.execute(f"COPY {table} TO '{folder / table}.parquet' (FORMAT parquet)")
        queries = engine.execute("SELECT query_nr, query FROM tpcds_queries() ORDER BY 1").fetchall()
        found = {
            f"q{number}": with_rows(engine, sqlglot.parse_one(text, read="duckdb"))
            for number, text in queries
        }
        empty = [name for name, query in found.items() if not gives_rows(engine, query)]
    texts = (f"-- {name}\n{query.sql('spark')}\n" for name, query in found.items())
    (folder / QUERIES).write_text("\n" + "\n".join(texts), "utf-8")
    return empty


def with_rows(engine: Any, query: exp.Expr) -> exp.Expr:
    """The query, without conditions on constants if it gives no rows otherwise: as many of them are kept as can be."""
    every = conditions(query)
    left_out: set[int] = set()
    for candidates in (
        [],
        [n for n, each in enumerate(every) if not each.find(exp.Query)],
        range(len(every)),
    ):
        left_out = set(candidates)
        if gives_rows(engine, without(query, left_out)):
            break
    for number in sorted(left_out):
        if gives_rows(engine, without(query, left_out - {number})):
            left_out.remove(number)
    return without(query, left_out)


def without(query: exp.Expr, left_out: set[int]) -> exp.Expr:
    """The query without these of its conditions."""
    copied = query.copy()
    for number, condition in enumerate(conditions(copied)):
        if number in left_out:
            condition.replace(exp.true())
    return copied


def conditions(query: exp.Expr) -> list[exp.Expr]:
    """Those that are no keys of joins."""
    return [
        each
        for clause in query.find_all(exp.Where, exp.Having)
        for each in (clause.this.flatten() if isinstance(clause.this, exp.And) else [clause.this])
        if not is_key(each)
    ]


def is_key(condition: exp.Expr) -> bool:
    sides = (condition.this, condition.args.get("expression"))
    return isinstance(condition, exp.EQ) and all(isinstance(side, exp.Column) for side in sides)


def gives_rows(engine: Any, query: exp.Expr) -> bool:
    """Whether DuckDB finds some, and not only sums and counts of nothing.

    It does not if that takes too long, as joins do that are left without a condition, or if a scalar subquery has
    several rows.
    """
    watch = Timer(MOST_SECONDS, engine.interrupt)
    watch.start()
    try:
        rows = engine.execute(query.sql("duckdb")).fetchall()
    except (duckdb.InvalidInputException, duckdb.InterruptException):
        return False
    finally:
        watch.cancel()
    return any(value not in {None, 0} for row in rows for value in row)
