"""The query for the rows of a source, executed: each row that arrives is among those that it fetches."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import product
from typing import Any

import pytest
import sqlglot

from headwater_backend.active.fetching import condition
from headwater_backend.active.ways import active_ways
from headwater_backend.domain.model import Direction
from kit.conditions import Row, edges, node, run, step
from oracle.test_active import DOMAINS, Chance

NOWHERE: frozenset[tuple[Any, ...]] = frozenset({()})
PIPELINES = 300
SOURCES = ("S0", "S1")
NAMES = ("region", "num", "code")


def rows(source: str) -> list[Row]:
    """All combinations of values, with a token for each."""
    combined = product(*(DOMAINS[name] for name in NAMES))
    return [
        {**{n: (v, NOWHERE) for n, v in zip(NAMES, values, strict=True)}, "x": (f"{source} {at}", NOWHERE)}
        for at, values in enumerate(combined)
    ]


def fetched(tables: dict[str, list[Row]], source: str, where: str | None) -> set[str]:
    """The tokens of the rows that the condition selects, by SQLite."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("PRAGMA case_sensitive_like = ON")
        database.execute("CREATE TABLE t (region TEXT, num INTEGER, code TEXT, x TEXT)")
        listed = [tuple(row[name][0] for name in (*NAMES, "x")) for row in tables[source]]
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", listed)
        chosen = sqlglot.transpile(f"SELECT x FROM t WHERE {where or 'TRUE'}", "spark", "sqlite")[0]
        return {token for (token,) in database.execute(chosen)}


@pytest.fixture(scope="module")
def counted() -> dict[str, int]:
    return {"arrived": 0, "fetched": 0, "all": 0}


@pytest.mark.parametrize("first", range(0, PIPELINES, 50))
def test_each_row_that_arrives_is_fetched_and_most_others_are_not(
    first: int, counted: dict[str, int]
) -> None:
    for seed in range(first, first + 50):
        jobs = Chance(seed).pipeline()
        if any(len(branch.reads) > 1 for job in jobs for branch in job.branches):
            continue
        tables = {source: rows(source) for source in SOURCES}
        run(jobs, tables)
        last = jobs[-1].output
        came = {row["x"][0] for row in tables[last]}
        found = active_ways(edges(jobs), [step(job) for job in jobs], node(last, "x"), Direction.BACKWARD)
        for source in SOURCES:
            states = found.conditions.get(node(source, "x"))
            where = None if states is None else condition(states)
            rest = fetched(tables, source, where) if states is not None else set()
            arrived = {token for token in came if token.startswith(source)}
            assert arrived <= rest, (seed, where, arrived - rest)
            counted["arrived"] += len(arrived)
            counted["fetched"] += len(rest)
            counted["all"] += len(tables[source]) if states is not None else 0
    assert 0 < counted["arrived"] <= counted["fetched"] < counted["all"]
    assert counted["arrived"] >= 0.8 * counted["fetched"], counted
