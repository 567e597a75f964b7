"""What active lineage costs beside passive lineage, and how much it leaves out, in warehouses of business mappings.

    python tests/bench/bench_active.py [--mappings N …] [--asked N] [--neo4j URL]

prints for each warehouse how many ways the answers have (routes from the attribute to where data begin), the share of
edges and of ways that no row can take, milliseconds of both answers, and the largest memory of the process. Seconds are
those of this process, which other programs beside it do not change much.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from headwater_backend.domain.model import DatasetKey, Direction, Edge, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.active.active_lineage import active_lineage
from headwater_backend.questions.closure import LineageGraph
from headwater_backend.questions.lineage import Scope, lineage
from headwater_backend.server.garbage_collection import reduce_collections
from headwater_backend.stores import open_store
from headwater_mappings import Document, events_of
from headwater_mappings import tree as t

TIME = "2026-01-01T00:00:00+00:00"
LAYERS = 5
REGIONS = ("EUROPE", "AMERICAS", "ASIA", "AFRICA")
SEGMENTS = ("RETAIL", "CORPORATE", "PRIVATE")
VALUES = tuple(f"VALUE {number}" for number in range(4))
FEW_WAYS = 200


class Asked(NamedTuple):
    """An answer: ways and edges without and with conditions, and seconds of both."""

    ways: int
    taken_ways: int
    edges: int
    taken: int
    passive: float
    active: float


def warehouse(mappings: int, chance: random.Random) -> Iterator[t.Mapping]:
    """Mappings between layers of entities, each with one to three for an entity; the last one is asked about."""
    each = max(2, mappings // (2 * LAYERS))
    for layer in range(LAYERS):
        for number in range(each):
            for _ in range(chance.choice((1, 2, 3))):
                yield _mapping(
                    f"L{layer} E{number}", f"L{layer + 1} E{chance.randrange(each)}", chance, layer
                )


def _mapping(target: str, source: str, chance: random.Random, layer: int) -> t.Mapping:
    def copied(name: str, of: str) -> t.Populate:
        return t.Populate(t.Attribute(target, name), (t.With(t.Attribute(source, of)),))

    region = chance.choice(REGIONS)
    from_source = layer == LAYERS - 1
    regions = t.Populate(t.Attribute(target, "REGION"), (t.With(t.Text(region)),))
    populates = [
        regions if from_source else copied("REGION", "REGION"),
        copied("SEGMENT", "SEGMENT"),
        *(copied(name, chance.choice(VALUES)) for name in VALUES),
    ]
    passed = _one_of(source, "REGION", chance.sample(REGIONS, chance.choice((1, 2, 3))))
    segments = _one_of(source, "SEGMENT", chance.sample(SEGMENTS, chance.choice((1, 2))))
    condition = chance.choice((None, passed, segments, t.AllOf((passed, segments))))
    return t.Mapping(target, source, tuple(populates), segments if from_source else condition)


def _one_of(entity: str, name: str, values: Sequence[str]) -> t.Condition:
    parts = tuple(t.Comparison(t.Attribute(entity, name), "=", t.Text(each)) for each in values)
    return parts[0] if len(parts) == 1 else t.AnyOf(parts)


def ways(start: NodeKey, edges: Collection[Edge]) -> int:
    """How many routes lead from the start to where its data begin; there are no loops."""
    into: dict[NodeKey, list[NodeKey]] = defaultdict(list)
    for edge in edges:
        into[edge.target].append(edge.source)
    known: dict[NodeKey, int] = {}

    def count(node: NodeKey) -> int:
        if node not in known:
            known[node] = sum(map(count, into[node])) if node in into else 1
        return known[node]

    return count(start) if edges else 0


def timed(ask: Callable[[], LineageGraph]) -> tuple[LineageGraph, list[Edge], float]:
    gc.collect()
    begin = time.process_time()
    found = ask()
    edges = list(found.edges)
    return found, edges, time.process_time() - begin


def ask(store: LineageStore, node: NodeKey) -> Asked:
    _, known, passive = timed(lambda: lineage(store, node, Direction.BACKWARD, Scope()))
    _, taken, active = timed(lambda: active_lineage(store, node, Direction.BACKWARD, Scope()))
    return Asked(ways(node, known), ways(node, taken), len(known), len(taken), passive, active)


def report(name: str, found: Sequence[Asked]) -> None:
    if len(found) < 2:
        return
    edges, all_ways = sum(each.edges for each in found), sum(each.ways for each in found)
    pruned = 1 - sum(each.taken for each in found) / edges
    pruned_ways = 1 - sum(each.taken_ways for each in found) / all_ways

    def p95(values: Sequence[float]) -> float:
        return 1000 * statistics.quantiles(values, n=20, method="inclusive")[-1]

    passive, active = [each.passive for each in found], [each.active for each in found]
    print(
        f"  {name}: {len(found)} answers, {all_ways / len(found):,.0f} ways and {edges / len(found):,.0f} edges each; "
        f"left out {pruned:.0%} of edges, {pruned_ways:.0%} of ways; "
        f"passive {1000 * statistics.median(passive):.1f} ms (p95 {p95(passive):.1f}), "
        f"active {1000 * statistics.median(active):.1f} ms (p95 {p95(active):.1f}); "
        f"median of active by passive {statistics.median(a / p for a, p in zip(active, passive, strict=True)):.1f}",
        flush=True,
    )


def measure(mappings: int, asked: int, url: str | None) -> None:
    chance = random.Random(7)
    listed = list(warehouse(mappings, chance))
    print(f"{len(listed):,} mappings")
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(open_store(url or f"sqlite:///{Path(folder) / 'lineage.db'}")) as store,
    ):
        for outcome in ingest(store, list(events_of([Document("m.txt", TIME, listed)]))):
            assert outcome.error is None, outcome.error
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        targets = sorted({each.target for each in listed if each.target.startswith("L0 ")})
        nodes = [
            NodeKey(DatasetKey("mappings", chance.choice(targets)), (chance.choice(VALUES),))
            for _ in range(asked + 1)
        ]
        ask(store, nodes[0])  # imports, and the grammar's tables
        found = [ask(store, each) for each in nodes[1:]]
        report(f"up to {FEW_WAYS} ways", [each for each in found if each.ways <= FEW_WAYS])
        report("more ways", [each for each in found if each.ways > FEW_WAYS])
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"  memory: {before / 1024:,.0f} MB after storing, {after / 1024:,.0f} MB at most")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mappings", type=int, nargs="+", default=[500, 10_000])
    parser.add_argument("--asked", type=int, default=100)
    parser.add_argument("--neo4j", metavar="URL", help="an empty Neo4j, instead of SQLite")
    given = parser.parse_args()
    reduce_collections()
    for mappings in given.mappings:
        measure(mappings, given.asked, given.neo4j)


if __name__ == "__main__":
    main()
