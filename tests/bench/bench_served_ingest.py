"""Events and path edges that a served backend takes in a second: batches over HTTP, from two clients, by each store.

    python tests/bench/bench_served_ingest.py [--rounds N] [--neo4j]

Large events have 500 edges between nested paths, small ones 25; each is a job of its own, and nothing of a round was
known before. The first rounds warm Neo4j up. Other programs on the machine take their share of it, so beside the rate
by the clock stands the one that the processor time of the server would give on a core of its own, and that of the
server and Neo4j on two.

Measured on 2 cores under a load of 8 to 9 from others, third round: Neo4j 10,700 edges/s in large events and 280 small
events/s (by processor time 30,000 and 750); SQLite 10,000 edges/s and 320 small events/s (28,600 and 790).
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import httpx

from bench.bench_growth import event, island
from kit import neo4j
from kit.command import served
from kit.load import wait_until_ready

CLIENTS = 2
LARGE_EDGES, SMALL_PATHS = 500, 5
_TICKS = os.sysconf("SC_CLK_TCK")


def large(round_number: int) -> list[dict[str, Any]]:
    """80 events, 40,000 edges."""
    first = round_number * 4
    return [each for number in range(first, first + 4) for each in island(number)]


def small(round_number: int) -> list[dict[str, Any]]:
    """1,200 events of 25 edges into 500 datasets of ten paths."""
    one = event(0, 1, 0)
    facets = one["outputs"][0]["facets"]
    facets["schema"]["fields"] = facets["schema"]["fields"][:1]
    facets["headwater_pathLineage"]["fields"] = facets["headwater_pathLineage"]["fields"][:SMALL_PATHS]
    return [_as_job(one, f"round {round_number} job {number}", number % 500) for number in range(1_200)]


def _as_job(event: dict[str, Any], job: str, output: int) -> dict[str, Any]:
    made = copy.deepcopy(event)
    made["job"]["name"] = job
    made["outputs"][0]["name"] = f"{job.rpartition(' job')[0]} small {output}"
    return made


def send(address: str, events: Sequence[Any], batch: int) -> float:
    """Seconds until all were acknowledged."""
    bodies = [json.dumps(events[start : start + batch]).encode() for start in range(0, len(events), batch)]

    def post(some: Sequence[bytes]) -> None:
        with httpx.Client(base_url=address, timeout=600) as client:
            for body in some:
                answer = client.post("/api/v1/lineage/batch", content=body)
                assert answer.json()["summary"]["failed"] == 0, answer.text

    begun = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(post, [bodies[client::CLIENTS] for client in range(CLIENTS)]))
    return time.perf_counter() - begun


def processor_seconds(pids: Sequence[int]) -> float:
    """What these processes took of the processor so far."""
    times = (Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split() for pid in pids)
    return sum(int(each[11]) + int(each[12]) for each in times) / _TICKS


def local_java() -> list[int]:
    """The Neo4j that this process started, if it did."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        text = stat.read_text("ascii", errors="replace") if stat.exists() else ""
        if "(java)" in text and int(text.rpartition(")")[2].split()[1]) == os.getpid():
            found.append(int(stat.parent.name))
    return found


def measured(address: str, pids: Sequence[int], round_number: int) -> Iterator[str]:
    for what, events, batch, edges in (
        ("large", large(round_number), 20, LARGE_EDGES),
        ("small", small(round_number), 100, SMALL_PATHS * 5),
    ):
        before = processor_seconds(pids)
        seconds = send(address, events, batch)
        alone = (processor_seconds(pids) - before) / len(pids)
        yield (
            f"{what}: {len(events) / seconds:6,.0f} events/s {len(events) * edges / seconds:8,.0f} edges/s"
            f" (by processor time {len(events) / alone:6,.0f} and {len(events) * edges / alone:8,.0f})"
        )


def stores(stack: ExitStack, folder: str, with_neo4j: bool) -> Iterator[tuple[str, str]]:
    yield "SQLite", f"sqlite:///{folder}/bench.db"
    if with_neo4j:
        yield "Neo4j", stack.enter_context(neo4j.server()).url


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--neo4j", action="store_true")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        for name, url in stores(stack, folder, options.neo4j):
            with served(Path(folder), HEADWATER_STORE=url) as (address, process):
                wait_until_ready(address)
                pids = [process.pid, *(local_java() if name == "Neo4j" else ())]
                for number in range(options.rounds):
                    for line in measured(address, pids, number):
                        print(
                            f"{name:7} round {number + 1}, {line}, load {os.getloadavg()[0]:.1f}", flush=True
                        )


if __name__ == "__main__":
    main()
