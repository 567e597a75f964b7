"""Lineage between tables in a company of 10,000 jobs: how long the roll-up of the paths' answer takes over GraphQL.

    python tests/bench/bench_tables.py [--neo4j] [--jobs N] [--questions N]

The company has domains of 100 jobs, in ten layers; each job makes a table of 20 columns out of two tables of the
layer below, each column of one or two of theirs, and the first layer of a domain reads two tables that another
domain ends with. Asked is what whole tables of last layers are made of, at the level of datasets, of a backend of
its own. Printed are p50, p95 and worst, the size of the answers and p95 as a share of the aim. SQLite is always
measured; Neo4j with ``--neo4j``, on the server that the tests use.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import httpx

from kit import neo4j
from kit.command import served
from kit.openlineage import columns, dataset, event

AIM_MILLISECONDS = 200
LAYERS, WIDTH, COLUMNS = 10, 10, 20
BATCH = 100
QUERY = """
query ($node: NodeRef!) {
  backwardLineage(node: $node, level: DATASET) {
    nodes { namespace name distance reach }
    edges { source target transformations { type subtype } job { namespace name } }
    complete
  }
}
"""
NAMES = [f"column_{n}" for n in range(COLUMNS)]


def table(domain: int, layer: int, number: int) -> str:
    return f"domain_{domain}/layer_{layer}/table_{number % WIDTH}"


def sources(domain: int, layer: int, number: int, chance: random.Random) -> list[str]:
    """What a job reads; domains lie in a tree, of which each node reads its parent's last layer."""
    if layer:
        return [table(domain, layer - 1, number), table(domain, layer - 1, number + 1)]
    return (
        [table(domain // 3, LAYERS - 1, chance.randrange(WIDTH)) for _ in range(2)]
        if domain
        else ["raw", "rates"]
    )


def job(domain: int, layer: int, number: int, chance: random.Random) -> dict[str, Any]:
    read = sources(domain, layer, number, chance)
    made = {
        name: [(chance.choice(read), chance.choice(NAMES)) for _ in range(chance.randint(1, 2))]
        for name in NAMES
    }
    name = table(domain, layer, number)
    written = dataset(name, *NAMES, columnLineage=columns(made))
    return event(
        "COMPLETE", 1, f"run of {name}", [dataset(each) for each in read], [written], job=f"make {name}"
    )


def fill(client: httpx.Client, jobs: int) -> None:
    chance = random.Random(20261121)
    domains = jobs // (LAYERS * WIDTH)
    events = [
        job(domain, layer, number, chance)
        for domain in range(domains)
        for layer in range(LAYERS)
        for number in range(WIDTH)
    ]
    for start in range(0, len(events), BATCH):
        answer = client.post("/api/v1/lineage/batch", json=events[start : start + BATCH])
        assert answer.json()["summary"]["failed"] == 0, answer.text


def ask(client: httpx.Client, namespace: str, name: str) -> tuple[float, dict[str, Any]]:
    begun = time.perf_counter()
    body = {"query": QUERY, "variables": {"node": {"namespace": namespace, "name": name}}}
    answer = client.post("/graphql", json=body).json()
    return (time.perf_counter() - begun) * 1_000, answer["data"]["backwardLineage"]


def measure(client: httpx.Client, jobs: int, questions: int) -> None:
    namespace = dataset("any")["namespace"]
    last = jobs // (LAYERS * WIDTH) - 1
    asked = [table(last - n * 7 % (last + 1), LAYERS - 1, n) for n in range(questions)]
    ask(client, namespace, asked[0])
    answers = [ask(client, namespace, name) for name in asked]
    times = [taken for taken, _ in answers]
    nodes = sorted(len(graph["nodes"]) for _, graph in answers)
    edges = sorted(len(graph["edges"]) for _, graph in answers)
    p95 = statistics.quantiles(times, n=20)[-1]
    print(
        f"  {jobs:,} jobs, {questions} questions, answers of {nodes[0]}–{nodes[-1]} tables and up to {edges[-1]} edges:"
        f" p50 {statistics.median(times):.0f} ms, p95 {p95:.0f} ms, worst {max(times):.0f} ms,"
        f" p95 {p95 / AIM_MILLISECONDS:.2f} of the aim",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--neo4j", action="store_true")
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=60)
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stores = {"SQLite": f"sqlite:///{folder}/bench.db"}
        if options.neo4j:
            stores["Neo4j"] = stack.enter_context(neo4j.server()).url
        for name, url in stores.items():
            print(name)
            with (
                served(folder, HEADWATER_STORE=url) as (address, _),
                httpx.Client(base_url=address, timeout=120) as client,
            ):
                fill(client, options.jobs)
                measure(client, options.jobs, options.questions)


if __name__ == "__main__":
    main()
