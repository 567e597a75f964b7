"""How much a store has to do, counted in its own steps: SQLite's instructions, Neo4j's database hits."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from neo4j import GraphDatabase, Result, Transaction

from headwater_backend.domain.model import Ahead, Direction, LineageType
from headwater_backend.domain.records import Batch
from headwater_backend.in_force.current import FOREVER
from headwater_backend.ingest.decoding.decode import decode
from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from headwater_backend.stores.dataset_names import KnownNaming
from headwater_backend.stores.neo4j import neighbours
from headwater_backend.stores.neo4j.transaction import Neo4jTransaction
from headwater_backend.stores.neo4j.use import USE as CYPHER_USE
from headwater_backend.stores.neo4j.writer import Neo4jWriter
from headwater_backend.stores.rows import writing
from headwater_backend.stores.sql.neighbours import NEIGHBOURS
from headwater_backend.stores.sql.use import USE as SQL_USE
from headwater_backend.stores.sqlite.transaction import SqliteWriter, connect
from kit import neo4j
from kit.openlineage import columns, dataset, event, node

DIRECT = frozenset({LineageType.DIRECT})
FEW, MANY = 10, 1_000
"""Runs that are stored. What looks at each of them takes a step more for each at the least; less than one for every
other run is no such thing: plans differ by some steps with what is stored besides, and with when they were made.
"""


def nightly(run: int, kind: str = "COMPLETE") -> dict[str, Any]:
    """One run of a job whose program never changes."""
    out = dataset("out", columnLineage=columns({"x": [("in", "a")]}))
    return event(kind, run, f"run {run}", [dataset("in", "a")], [out])


class Profiled:
    """A transaction that has every statement profiled."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._results: list[Result] = []

    def run(self, statement: str, parameters: Mapping[str, Any] | None = None, **more: Any) -> Result:
        result = self._transaction.run("PROFILE " + statement, dict(parameters or {}), **more)
        self._results.append(result)
        return result

    def hits(self) -> int:
        return sum(_hits(result.consume().profile) for result in self._results)


def _hits(step: Any) -> int:
    return int(step["dbHits"]) + sum(map(_hits, step.get("children", ()))) if step else 0


def neo4j_steps(server: neo4j.Server, batch: Batch) -> tuple[int, int]:
    """What it takes to apply the batch, and to ask what ``out`` is made of."""
    with (
        GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver,
        driver.session() as session,
        session.begin_transaction() as transaction,
    ):
        applying, asking = Profiled(transaction), Profiled(transaction)
        writing.apply(Neo4jWriter(applying), batch, KnownNaming())  # type: ignore[arg-type]
        neighbours.neighbours(
            Neo4jTransaction(asking),  # type: ignore[arg-type]
            [node("out")],
            Direction.BACKWARD,
            DIRECT,
            as_of=None,
            ahead=Ahead(hops=50, nodes=1_000),
        )
        return applying.hits(), asking.hits()


def sqlite_steps(file: str, batch: Batch) -> tuple[int, int]:
    """What it takes to apply the batch, and to ask what ``out`` is made of."""
    steps = [0]

    def count() -> int:
        steps[-1] += 1
        return 0

    connection = connect(Path(file))
    connection.set_progress_handler(count, 1)
    connection.execute("BEGIN")
    writing.apply(SqliteWriter(connection), batch, KnownNaming())
    steps.append(0)
    asked = {"exact": "[]", "subtrees": '["test/out/"]', "direct": True, "indirect": False}
    connection.execute(NEIGHBOURS[Direction.BACKWARD, True], asked).fetchall()
    connection.execute("ROLLBACK")
    connection.close()
    return steps[0], steps[1]


def copied(number: int) -> dict[str, Any]:
    """A job of its own that copies a table of its own."""
    out = dataset(f"out {number}", columnLineage=columns({"x": [(f"in {number}", "a")]}))
    return event("COMPLETE", number, f"copy {number}", [dataset(f"in {number}", "a")], [out])


def steps_of_first_uses(store_url: str, request: Any) -> int:
    """What it takes to ask of all datasets whether they were read before anybody is known to have written them."""
    asked = {"among": None, "at": FOREVER, "received": FOREVER}
    if store_url.startswith("sqlite"):
        steps = [0]
        connection = connect(Path(store_url.removeprefix("sqlite:///")))
        connection.set_progress_handler(lambda: steps.append(steps.pop() + 1), 1)
        connection.execute(SQL_USE.first_uses, asked).fetchall()
        connection.close()
        return steps[0]
    server = request.getfixturevalue("neo4j_server")
    with (
        GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver,
        driver.session() as session,
        session.begin_transaction() as transaction,
    ):
        profiled = Profiled(transaction)
        profiled.run(CYPHER_USE.first_uses, asked)
        return profiled.hits()


def test_what_was_read_before_it_was_written_is_found_in_proportion(store_url: str, request: Any) -> None:
    with closing(open_store(store_url)) as store:
        ingest(store, map(copied, range(FEW)))
        few = steps_of_first_uses(store_url, request)
        ingest(store, map(copied, range(FEW, 10 * FEW)))
        many = steps_of_first_uses(store_url, request)
    assert 0 < many < 15 * few, (few, many)


def test_a_thousand_runs_of_a_job_make_its_next_run_and_its_lineage_no_dearer(
    store_url: str, request: Any
) -> None:
    def steps(batch: Batch) -> tuple[int, int]:
        if store_url.startswith("sqlite"):
            return sqlite_steps(store_url.removeprefix("sqlite:///"), batch)
        return neo4j_steps(request.getfixturevalue("neo4j_server"), batch)

    store = open_store(store_url)
    ingest(store, [nightly(run) for run in range(FEW)])
    after_few = [steps(decode(nightly(5_000, kind))) for kind in ("COMPLETE", "FAIL")]
    ingest(store, [nightly(run) for run in range(FEW, MANY)])
    after_many = [steps(decode(nightly(5_000, kind))) for kind in ("COMPLETE", "FAIL")]
    store.close()
    assert min(map(min, after_few)) > 0
    more = [
        now - then
        for few, many in zip(after_few, after_many, strict=True)
        for then, now in zip(few, many, strict=True)
    ]
    assert max(more) < (MANY - FEW) / 2, (after_few, after_many)
