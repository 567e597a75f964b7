"""What decisions about names cost: intake, closures and the decisions themselves, without any and with many.

    python tests/bench/bench_names.py [--events N] [--aliases N] [--rules N]

Each pair is measured in turn on SQLite, in seconds of CPU, the median of some rounds.

Measured on 2 cores that others used too, with 1,000 aliases and 100 rules: intake of 1,000 events in tens 1.72 s
without decisions and 1.77 s with them, the same events again 1.48 s and 1.61 s; a closure over 300 hops, in which every
other dataset has two names, 0.12 s and 0.16 s; to decide all of them at once 0.40 s.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from headwater_backend.domain.model import DatasetKey
from headwater_backend.domain.roles import everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names.decisions import Alias
from headwater_backend.names.namespaces import NamespaceRule, RuleKind
from headwater_backend.names.stewardship import Steward, Wanted, decide
from headwater_backend.ports import LineageStore
from headwater_backend.questions.closure import forward
from headwater_backend.questions.traversal import Bounds
from headwater_backend.stores import open_store
from kit.openlineage import columns, dataset, event, node

ROUNDS = 5
HOPS = 300
FAR = Bounds(depth=HOPS)


def chain(events: int, start: int = 0) -> Iterator[dict[str, Any]]:
    """Each job copies five columns of the dataset of the one before."""
    names = [f"c{number}" for number in range(5)]
    for hop in range(start, start + events):
        lineage = columns({name: [(f"d{hop}", name)] for name in names})
        output = dataset(f"d{hop + 1}", *names, columnLineage=lineage)
        yield event("COMPLETE", hop, f"run {hop}", [dataset(f"d{hop}", *names)], [output], job=f"job {hop}")


def many(aliases: int, rules: int) -> Wanted:
    """Aliases of every second dataset of the chain, and rules of each kind of which one concerns its namespace."""
    named = (
        Alias(DatasetKey("other", f"d{n}"), DatasetKey("test", f"d{n}")) for n in range(0, 2 * aliases, 2)
    )
    kinds = [
        [
            NamespaceRule(f"hosts {n}", RuleKind.HOST_LIST, to=f"cluster{n}", hosts=(f"a{n}.x", f"b{n}.x")),
            NamespaceRule(f"pattern {n}", RuleKind.PATTERN, regex=f"^s3[an]://b{n}-", to=f"s3://b{n}-"),
            NamespaceRule(f"exact {n}", RuleKind.EXACT, namespaces=(f"old{n}",), to=f"new{n}"),
        ]
        for n in range(rules // 3)
    ]
    return Wanted(tuple(named), tuple(rule for some in kinds for rule in some))


def taken(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def intake(store: LineageStore, events: list[dict[str, Any]]) -> None:
    for start in range(0, len(events), 10):
        assert all(outcome.stored for outcome in ingest(store, events[start : start + 10]))


def measured(url: str, events: list[dict[str, Any]], before: Wanted, after: Wanted) -> dict[str, float]:
    """Seconds of each thing in a new store with the decisions of ``before``."""
    steward = Steward(everything("bench"), "measured")
    store = open_store(url)
    try:
        decide(store, before, steward)
        seconds = {
            "intake of new datasets": taken(lambda: intake(store, events)),
            "the same again": taken(lambda: intake(store, events)),
        }
        forward(store, node("d0"), bounds=FAR)
        seconds[f"closure over {HOPS} hops"] = taken(lambda: forward(store, node("d0"), bounds=FAR))
        seconds["deciding the rest"] = taken(lambda: decide(store, after, steward))
        return seconds
    finally:
        store.close()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--events", type=int, default=1_000)
    options.add_argument("--aliases", type=int, default=1_000)
    options.add_argument("--rules", type=int, default=100)
    asked = options.parse_args()
    events, wanted = list(chain(asked.events)), many(asked.aliases, asked.rules)
    found: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name, before, after in (("none", Wanted(), wanted), ("many", wanted, wanted)):
            with tempfile.TemporaryDirectory() as folder:
                seconds = measured(f"sqlite:///{folder}/store.db", events, before, after)
            for what, each in seconds.items():
                found.setdefault(f"{what}, {name} before", []).append(each)
    for figure, taken in sorted(found.items()):
        print(f"{figure:40} {statistics.median(taken):8.3f} s   ({min(taken):.3f} to {max(taken):.3f})")


if __name__ == "__main__":
    main()
