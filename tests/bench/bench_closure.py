"""How long a closure takes: 20 layers × 10 columns, fully connected (aim: under 100 ms), and 1,000 hops in a row.

    python tests/bench/bench_closure.py [--neo4j]

prints median and worst of the warm runs for each store, and the ratio to the aim. SQLite is always measured; Neo4j
with ``--neo4j``, on the server that the tests use. Last measured on two cores with ten others' processes at
work, medians: SQLite 6 ms and 68 ms, Neo4j 25–35 ms and 900 ms.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.closure import LineageGraph, backward, forward
from headwater_backend.questions.traversal import ALL_TYPES, Bounds
from headwater_backend.server.garbage_collection import reduce_collections
from headwater_backend.stores import open_store

AIM_MILLISECONDS = 100
LAYERS, COLUMNS, HOPS = 20, 10, 1_000
RUNS = 20
_URL = "https://example.org/bench"
_META = {"_producer": _URL, "_schemaURL": _URL}


def event(job: str, source: str, target: str, columns: int) -> dict[str, Any]:
    """A run in which every column of the target is made of every column of the source."""
    names = [f"c{index}" for index in range(columns)]
    inputs = [{"namespace": "bench", "name": source, "field": name} for name in names]
    lineage = {**_META, "fields": {name: {"inputFields": inputs} for name in names}}
    schema = {**_META, "fields": [{"name": name, "type": "string"} for name in names]}
    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-11-20T10:00:00Z",
        "producer": _URL,
        "run": {"runId": f"0193f5a0-0000-7000-8000-{zlib.crc32(job.encode()):012d}"},
        "job": {"namespace": "bench", "name": job},
        "inputs": [{"namespace": "bench", "name": source}],
        "outputs": [
            {"namespace": "bench", "name": target, "facets": {"schema": schema, "columnLineage": lineage}}
        ],
    }


def events() -> Iterator[dict[str, Any]]:
    """The layered graph, then the chain."""
    for layer in range(LAYERS - 1):
        yield event(f"layer-{layer}", f"layer{layer}", f"layer{layer + 1}", COLUMNS)
    for hop in range(HOPS):
        yield event(f"hop-{hop}", f"chain{hop}", f"chain{hop + 1}", 1)


@contextmanager
def stores() -> Iterator[dict[str, LineageStore]]:
    """The stores to measure, by name, empty."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        opened = {"SQLite": open_store(f"sqlite:///{folder}/bench.db")}
        if "--neo4j" in sys.argv:
            from kit.neo4j import server

            running = stack.enter_context(server())
            opened["Neo4j"] = open_store(running.url)
        for store in opened.values():
            stack.callback(store.close)
        yield opened


def measure(name: str, question: Callable[[], LineageGraph], aim: float) -> None:
    """Ask the question until warm, then ``RUNS`` times, and print how long it took."""
    answer = question()
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        question()
        times.append((time.perf_counter() - start) * 1_000)
    median = statistics.median(times)
    print(
        f"{name}: {len(answer.nodes)} nodes, {len(answer.edges)} edges: median {median:.1f} ms,"
        f" worst {max(times):.1f} ms, {median / aim:.2f} of the aim"
    )


def node(dataset: str) -> NodeKey:
    return NodeKey(DatasetKey("bench", dataset), ("c0",))


def main() -> None:
    whole = Bounds(depth=None)
    reduce_collections()
    with stores() as opened:
        for name, store in opened.items():
            assert all(outcome.stored for outcome in ingest(store, events()))
            layered = f"{name}, {LAYERS} x {COLUMNS}"
            bottom, top = node(f"layer{LAYERS - 1}"), node("layer0")
            measure(f"{layered} backward", partial(backward, store, bottom), AIM_MILLISECONDS)
            measure(
                f"{layered} forward, all types",
                partial(forward, store, top, ALL_TYPES),
                AIM_MILLISECONDS,
            )
            end = node(f"chain{HOPS}")
            measure(f"{name}, {HOPS} hops", partial(backward, store, end, bounds=whole), 1_000)


if __name__ == "__main__":
    main()
