"""Events and column edges taken in a second, by each store; SQLite first, Neo4j with its ratio to it.

Run: ``python tests/bench/bench_ingest.py [--events N] [--columns N] [--neo4j bolt://…]``. Without ``--neo4j`` the
server of the tests is used (``NEO4J_URI``, a container, or the local one).

Measured on 2 cores that others used too: decoding 20 µs of CPU an edge; applying 40,000 edges between 80,000 new
paths 0.36 s in SQLite (111,000 edges/s) and 2.9 s in Neo4j (13,800 edges/s); the same again 0.07 s and 0.58 s.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from headwater_backend.domain.records import Batch
from headwater_backend.ingest.decoding.decode import decode
from headwater_backend.ingest.service import ingest
from headwater_backend.server.garbage_collection import reduce_collections
from headwater_backend.stores import open_store
from kit import neo4j
from kit.openlineage import columns, dataset, event


def wide(jobs: int, width: int) -> list[bytes]:
    """Each job copies ``width`` columns of its own input: nothing is known before, so every edge is written."""
    names = [f"column_{n}" for n in range(width)]
    return [
        json.dumps(
            event(
                "COMPLETE",
                number,
                f"run {number}",
                [dataset(f"in {number}", *names)],
                [
                    dataset(
                        f"out {number}",
                        *names,
                        columnLineage=columns({name: [(f"in {number}", name)] for name in names}),
                    )
                ],
                job=f"job {number}",
            )
        ).encode()
        for number in range(jobs)
    ]


def measured(url: str, events: list[bytes]) -> Iterator[tuple[str, float]]:
    """(what, rate a second) for the store at ``url``."""
    edges = sum(decode(line).edge_count() for line in events)
    store = open_store(url)
    try:
        for what, sent in (("first time", events), ("the same again", events)):
            begun = time.perf_counter()
            assert all(outcome.stored for outcome in ingest(store, sent))
            seconds = time.perf_counter() - begun
            yield f"events/s, {what}", len(sent) / seconds
            yield f"column edges/s, {what}", edges / seconds
    finally:
        store.close()


def decoding(events: list[bytes]) -> float:
    begun = time.perf_counter()
    Batch.merged([decode(line) for line in events])
    return len(events) / (time.perf_counter() - begun)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--events", type=int, default=400)
    options.add_argument("--columns", type=int, default=100)
    options.add_argument("--neo4j")
    asked = options.parse_args()
    reduce_collections()
    events = wide(asked.events, asked.columns)
    print(
        f"{len(events)} events of {asked.columns} column edges; decoding alone {decoding(events):,.0f} events/s"
    )
    with tempfile.TemporaryDirectory() as folder:
        embedded = dict(measured(f"sqlite:///{folder}/bench.db", events))
    if asked.neo4j:
        served = dict(measured(asked.neo4j, events))
    else:
        with neo4j.server() as server:
            served = dict(measured(server.url, events))
    for what, rate in embedded.items():
        print(
            f"{what:32} SQLite {rate:10,.0f}   Neo4j {served[what]:10,.0f}   ratio {rate / served[what]:5.1f}"
        )


if __name__ == "__main__":
    main()
