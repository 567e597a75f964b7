"""How long backward closures of 1,000–4,000 nodes take in a graph of 1 M path edges between 200 k nested paths.

    python tests/bench/bench_closure_large.py [--sqlite FILE] [--neo4j URL] [--layers N] [--questions N]

Each store is asked the same questions four ways, in turn: by GraphQL over HTTP's application, for nodes alone and for
nodes and edges, by the question layer, and by a *raw* search, which only follows edges between keys, one bare query a
level. SQLite is also asked by the *floor* (``closure_floor``), a minimal program that returns the same bytes over the
same application: what rows, names, text and HTTP cost in any case. Printed are p50 and p95 of each, and the ratios of
the medians to raw and to the floor (what containment, versions, checks and GraphQL cost), first of the time and then of
the processor time of this process, which other processes change less. Building takes minutes, so a store named by
``--sqlite`` or ``--neo4j`` is kept, and only asked the next time. Without ``--neo4j`` only SQLite is measured.

Last measured at 210,000 paths, 1,000,000 edges, answers of 1,183–3,610 nodes and four edges a node, on two cores shared
with others, p50 / p95 of processor time in ms: SQLite raw 8 / 14, question layer 26 / 47, GraphQL nodes 33 / 53, nodes
and edges 44 / 78, floor 15 / 23 and 20 / 37. So GraphQL takes 4.0 and 5.5 times as long as raw, 2.1 and 2.2 times as
long as the floor, and the floor 1.9 and 2.5 times as long as raw. Neo4j, all time, on a machine that is twice as quick:
raw 44 / 75, question layer 69 / 130, GraphQL nodes 73 / 120, nodes and edges 86 / 172.

The graph has ``layers`` of 100 datasets with 10 groups of 10 members; each member is made of five of the layer
below, in two datasets.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fastapi.testclient import TestClient
from neo4j import GraphDatabase

from bench import closure_floor
from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.domain.node_keys import node_text
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore, get_dataset
from headwater_backend.questions.closure import backward
from headwater_backend.server.garbage_collection import reduce_collections
from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_backend.stores.neo4j.address import address_of
from headwater_cli.composition import create_app

AIM_MILLISECONDS = {"SQLite": 30, "Neo4j": 130}
DATASETS, GROUPS, MEMBERS = 100, 10, 10
COLUMNS = GROUPS * MEMBERS
FIRST_ASKED, LAST_ASKED = 12, 18
"""Layers whose members are made of 1,000–4,000 paths, as in the aim."""
EVENTS_AT_ONCE = 40
_URL = "https://example.org/bench"
_META = {"_producer": _URL, "_schemaURL": _URL}
_MOVED = [{"type": "DIRECT", "subtype": "IDENTITY", "masking": False, "manipulation": ["COPY"]}]
NODES = """
query ($node: NodeRef!) {
  backwardLineage(node: $node) {
    nodes { namespace name path label distance reach }
    complete
    incomplete { reason namespace name path }
  }
}
"""
EDGES = "edges { source target transformations { type subtype masking } job { namespace name } }"
NODES_AND_EDGES = NODES.replace("complete\n", f"{EDGES} complete\n", 1)
QUERIES = {"nodes": NODES, "nodes and edges": NODES_AND_EDGES}

Question = Callable[[NodeKey], object]
"""Asks for what a node is made of."""


def member(column: int) -> list[str]:
    return [f"group_{column // MEMBERS}", f"member_{column % MEMBERS}"]


def dataset(layer: int, number: int) -> str:
    return f"warehouse/layer={layer}/table_{number % DATASETS}"


def event(layer: int, number: int) -> dict[str, Any]:
    """A run that makes one dataset of two of the layer below."""
    below = [{"namespace": "bench", "name": dataset(layer - 1, number + side)} for side in (0, 1)]
    lineage = {
        **_META,
        "fields": [
            {"path": member(column), "inputFields": [source(below, column, step) for step in range(-2, 3)]}
            for column in range(COLUMNS)
        ],
        "complete": True,
        "incomplete": [],
    }
    members = [{"name": f"member_{n}", "type": "string"} for n in range(MEMBERS)]
    groups = [{"name": f"group_{n}", "type": "struct", "fields": members} for n in range(GROUPS)]
    facets = {"schema": {**_META, "fields": groups}, "headwater_pathLineage": lineage}
    job = f"job_{layer}_{number}"
    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-11-20T10:00:00Z",
        "producer": _URL,
        "run": {"runId": str(uuid.uuid5(uuid.NAMESPACE_URL, job))},
        "job": {"namespace": "bench", "name": job},
        "inputs": below,
        "outputs": [{"namespace": "bench", "name": dataset(layer, number), "facets": facets}],
    }


def source(below: Sequence[dict[str, str]], column: int, step: int) -> dict[str, Any]:
    return {**below[step % 2], "path": member((column + step) % COLUMNS), "transformations": _MOVED}


def build(store: LineageStore, layers: int) -> None:
    """The graph, unless it is there."""
    if get_dataset(store, DatasetKey("bench", dataset(layers - 1, 0))) is not None:
        return
    begun = time.perf_counter()
    for layer in range(1, layers):
        for start in range(0, DATASETS, EVENTS_AT_ONCE):
            events = [event(layer, n) for n in range(start, min(start + EVENTS_AT_ONCE, DATASETS))]
            assert all(outcome.stored for outcome in ingest(store, events))
    edges = (layers - 1) * DATASETS * COLUMNS * 5
    print(f"  built {edges:,} edges, {edges / (time.perf_counter() - begun):,.0f} a second", flush=True)


def questions(count: int, layers: int) -> list[NodeKey]:
    asked = range(min(FIRST_ASKED, layers - 1), min(LAST_ASKED, layers - 1) + 1)
    return [
        NodeKey(DatasetKey("bench", dataset(asked[n % len(asked)], 7 * n)), tuple(member((37 * n) % COLUMNS)))
        for n in range(count)
    ]


def asked_by_question(store: LineageStore) -> Question:
    return lambda node: backward(store, node)


def asked_by_graphql(client: TestClient, query: str) -> Question:
    """Up to the answer's last byte; what a client makes of it is not measured."""

    def ask(node: NodeKey) -> bytes:
        reference = {
            "namespace": node.dataset.namespace,
            "name": node.dataset.name,
            "path": list(node.path),
        }
        answer = client.post("/graphql", json={"query": query, "variables": {"node": reference}})
        assert answer.content.startswith(b'{"data":{"backwardLineage":{"nodes":[{'), answer.text[:1_000]
        return answer.content

    return ask


def ways_to_ask(store: LineageStore, client: TestClient) -> dict[str, Question]:
    of_graphql = {f"GraphQL, {of}": asked_by_graphql(client, query) for of, query in QUERIES.items()}
    return {"question layer": asked_by_question(store), **of_graphql}


def asked_of_floor(client: TestClient, of: str) -> Question:
    """The same answer by the minimal program, over the same application."""
    edges = of == "nodes and edges"

    def ask(node: NodeKey) -> bytes:
        reference = {"namespace": node.dataset.namespace, "name": node.dataset.name, "path": node.path}
        return client.post(closure_floor.ROUTE, json={**reference, "edges": edges}).content

    return ask


def search(start: NodeKey, level: Callable[[list[str]], list[str]]) -> int:
    """How many keys are found, level by level."""
    frontier = [node_text(start)]
    seen = set(frontier)
    while frontier:
        frontier = [key for key in level(frontier) if key not in seen]
        seen.update(frontier)
    return len(seen)


RAW_SQL = """
SELECT DISTINCT s.key FROM path t JOIN edge e ON e.target = t.id JOIN path s ON s.id = e.source WHERE t.key IN
"""
RAW_CYPHER = "UNWIND $keys AS key MATCH (:Path {key: key})<-[:FLOWS_TO]-(s:Path) RETURN DISTINCT s.key"


def raw_sqlite(file: str) -> Question:
    db = sqlite3.connect(file, check_same_thread=False)

    def level(keys: list[str]) -> list[str]:
        marks = ",".join("?" * len(keys))
        return [key for (key,) in db.execute(f"{RAW_SQL} ({marks})", keys)]

    return lambda node: search(node, level)


def raw_neo4j(url: str) -> Question:
    address = address_of(url)
    driver = GraphDatabase.driver(address.uri, auth=address.auth)

    def ask(node: NodeKey) -> int:
        with driver.session(database=address.database) as session:
            return search(node, lambda keys: session.run(RAW_CYPHER, keys=keys).value())

    return ask


def measure(ways: dict[str, Question], asked: Sequence[NodeKey], aim: float) -> None:
    """Each question each way, one after the other, so that all ways meet the same machine."""
    taken: dict[str, list[float]] = {way: [] for way in ways}
    worked: dict[str, list[float]] = {way: [] for way in ways}
    for node in asked:
        for way, question in ways.items():
            begun, worked_before = time.perf_counter(), time.process_time()
            question(node)
            taken[way].append((time.perf_counter() - begun) * 1_000)
            worked[way].append((time.process_time() - worked_before) * 1_000)
    for what, spent in (("time", taken), ("processor time", worked)):
        p50 = {way: statistics.median(times) for way, times in spent.items()}
        print(f"  {what} in ms, p50 and p95, and of the medians the ratio to raw, and to the floor")
        for way, times in spent.items():
            floor = p50.get(way.replace("GraphQL", "floor")) if "GraphQL" in way else None
            beside = f"{p50[way] / floor:5.1f}" if floor else ""
            print(f"    {way:24} {p50[way]:7.1f} {_p95(times):7.1f} {p50[way] / p50['raw']:5.1f} {beside}")
    print(f"  p95 of GraphQL for nodes is {_p95(taken['GraphQL, nodes']) / aim:.2f} of the aim")


def _p95(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def measured_stores(options: argparse.Namespace, folder: str) -> Iterator[tuple[str, str, Question]]:
    """(name, URL, raw search) of each store to measure."""
    file = options.sqlite or f"{folder}/bench.db"
    yield "SQLite", f"sqlite:///{file}", raw_sqlite(file)
    if options.neo4j:
        yield "Neo4j", options.neo4j, raw_neo4j(options.neo4j)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sqlite", metavar="FILE")
    parser.add_argument("--neo4j", metavar="URL")
    parser.add_argument("--layers", type=int, default=21)
    parser.add_argument("--questions", type=int, default=60)
    options = parser.parse_args()
    reduce_collections()
    with tempfile.TemporaryDirectory() as folder:
        for name, url, raw in measured_stores(options, folder):
            print(f"{name}, {options.layers * DATASETS * COLUMNS:,} paths; load {os.getloadavg()[0]:.1f}")
            store = open_store(url)
            build(store, options.layers)
            app = create_app(store, Settings())
            asked = questions(options.questions, options.layers)
            with TestClient(app, base_url="http://127.0.0.1") as client:
                ways = {"raw": raw, **ways_to_ask(store, client)}
                if name == "SQLite":
                    closure_floor.mount(app, url.removeprefix("sqlite:///"))
                    ways |= {f"floor, {of}": asked_of_floor(client, of) for of in QUERIES}
                    for of in QUERIES:
                        assert ways[f"floor, {of}"](asked[0]) == ways[f"GraphQL, {of}"](asked[0])
                sizes = {len(backward(store, node).nodes) for node in asked}
                print(f"  {len(asked)} questions, answers of {min(sizes):,}–{max(sizes):,} nodes")
                measure(ways, asked, AIM_MILLISECONDS[name])
            store.close()


if __name__ == "__main__":
    main()
