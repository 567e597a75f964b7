"""Intake, questions and memory of a served backend as its graph grows to 10 k, 100 k and 1 M path edges.

    python tests/bench/bench_growth.py [--neo4j] [--largest EDGES] [--questions N] [--python PYTHON]

A server of its own takes the events in batches over HTTP and answers over GraphQL. The graph is made of islands of
10,000 edges between 2,400 nested paths, so that an answer stays as large while the graph grows. Printed for each
size: events and edges taken in a second since the size before, p50 and p95 of backward closures, and the resident
memory of the server's process. Growth is flat when the figures of the lines are alike. SQLite is always measured;
Neo4j with ``--neo4j``, on the server that the tests use.

Memory is to be measured of what is shipped, ``--python`` being of an environment with ``requirements/server.txt``
(``sh deploy/setup/venv.sh FOLDER requirements/server.txt``): Neo4j's driver loads pandas and pyarrow where they are
installed, as for the tests, and they take 80 MB.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import httpx

from kit import neo4j
from kit.command import served

LAYERS, TABLES, GROUPS, MEMBERS, SOURCES = 6, 4, 10, 10, 5
ISLAND = (LAYERS - 1) * TABLES * GROUPS * MEMBERS * SOURCES
BATCH = 20
_URL = "https://example.org/bench"
_META = {"_producer": _URL, "_schemaURL": _URL}
_MOVED = [{"type": "DIRECT", "subtype": "IDENTITY", "masking": False, "manipulation": ["COPY"]}]
QUERY = """
query ($node: NodeRef!) {
  backwardLineage(node: $node) {
    nodes { namespace name path distance reach }
    edges { source target transformations { type subtype } job { name } }
    complete
  }
}
"""


def table(island: int, layer: int, number: int) -> dict[str, str]:
    return {"namespace": "bench", "name": f"island={island}/layer={layer}/table_{number % TABLES}"}


def member(column: int) -> list[str]:
    column %= GROUPS * MEMBERS
    return [f"group_{column // MEMBERS}", f"member_{column % MEMBERS}"]


def event(island: int, layer: int, number: int) -> dict[str, Any]:
    """A run that makes one table of two of the layer below, five paths into each of a hundred."""
    below = [table(island, layer - 1, number + side) for side in (0, 1)]
    fields = [
        {
            "path": member(column),
            "inputFields": [
                {**below[step % 2], "path": member(column + step), "transformations": _MOVED}
                for step in range(SOURCES)
            ],
        }
        for column in range(GROUPS * MEMBERS)
    ]
    members = [{"name": f"member_{n}", "type": "string"} for n in range(MEMBERS)]
    groups = [{"name": f"group_{n}", "type": "struct", "fields": members} for n in range(GROUPS)]
    lineage = {**_META, "fields": fields, "complete": True, "incomplete": []}
    facets = {"schema": {**_META, "fields": groups}, "headwater_pathLineage": lineage}
    job = f"island {island} layer {layer} table {number}"
    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-11-20T10:00:00Z",
        "producer": _URL,
        "run": {"runId": str(uuid.uuid5(uuid.NAMESPACE_URL, job))},
        "job": {"namespace": "bench", "name": job},
        "inputs": below,
        "outputs": [{**table(island, layer, number), "facets": facets}],
    }


def island(number: int) -> list[dict[str, Any]]:
    return [event(number, layer, n) for layer in range(1, LAYERS) for n in range(TABLES)]


def grow(client: httpx.Client, islands: range) -> tuple[float, float]:
    """Send them; (events, edges) taken in a second."""
    events = [each for number in islands for each in island(number)]
    seconds = 0.0
    for start in range(0, len(events), BATCH):
        begun = time.perf_counter()
        answer = client.post("/api/v1/lineage/batch", json=events[start : start + BATCH])
        seconds += time.perf_counter() - begun
        assert answer.json()["summary"]["failed"] == 0, answer.text
    return len(events) / seconds, len(islands) * ISLAND / seconds


def ask(client: httpx.Client, count: int, islands: int) -> tuple[list[float], int]:
    """Milliseconds of each question, and the nodes of the largest answer."""
    taken, largest = [], 0
    for number in range(count):
        node = {**table(number * 7 % islands, LAYERS - 1, number), "path": member(number * 37)}
        begun = time.perf_counter()
        answer = client.post("/graphql", json={"query": QUERY, "variables": {"node": node}})
        taken.append((time.perf_counter() - begun) * 1_000)
        largest = max(largest, len(answer.json()["data"]["backwardLineage"]["nodes"]))
    return taken, largest


def resident(pid: int) -> float:
    """MB of memory that the process holds."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def stores(stack: ExitStack, with_neo4j: bool) -> Iterator[tuple[str, str]]:
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    yield "SQLite", f"sqlite:///{folder}/bench.db"
    if with_neo4j:
        yield "Neo4j", stack.enter_context(neo4j.server()).url


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--neo4j", action="store_true")
    parser.add_argument("--largest", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the server")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for name, url in stores(stack, options.neo4j):
            print(name)
            with (
                served(folder, python=options.python, HEADWATER_STORE=url) as (address, process),
                httpx.Client(base_url=address) as client,
            ):
                client.timeout = 120
                there = 0
                for edges in (10_000, 100_000, 1_000_000):
                    if edges > options.largest:
                        break
                    events_rate, edges_rate = grow(client, range(there, edges // ISLAND))
                    there = edges // ISLAND
                    ask(client, 5, there)
                    taken, nodes = ask(client, options.questions, there)
                    print(
                        f"  {edges:>9,} edges: {events_rate:6,.0f} events/s {edges_rate:8,.0f} edges/s;"
                        f" answers of up to {nodes} nodes p50 {statistics.median(taken):6.1f} ms"
                        f" p95 {statistics.quantiles(taken, n=20)[-1]:6.1f} ms; {resident(process.pid):4.0f} MB",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
