"""Whether answers about wide schemas take time in proportion to them: processor seconds, and the factor for ten times
the columns (10 where it is in proportion, 100 where it is the square).

    python tests/bench/bench_wide.py [--columns N ...]

Measured on 2 cores that others used too, SQLite, at 10,000 and at 100,000 columns: intake 0.88 and 9.6 s, a dataset
with its paths 0.32 and 4.1, a mistyped path 0.22 and 2.5, backward from one column 0.22 and 2.3, from all 0.89 and 8.0,
forward from all 0.58 and 8.7, a search 0.04 and 0.65, usage 0.28 and 2.7, holdings 0.09 and 2.3.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from starlette.testclient import TestClient

from headwater_backend.ingest.decoding.limits import Limits
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_cli.composition import create_app
from headwater_graphql.queries import queries
from kit.openlineage import NAMESPACE, columns, dataset, event, facet

COLUMNS = (1_000, 10_000, 100_000)
LIMITS = Limits(event_bytes=2**30, values=10**9)
OUT = {"namespace": NAMESPACE, "name": "out"}
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "dataset with paths": ("dataset", OUT),
    "a mistyped path": ("backward", {"node": {**OUT, "path": ["colum_17"]}}),
    "backward of one": ("backward", {"node": {**OUT, "path": ["column_17"]}}),
    "backward of all": ("backward", {"node": {**OUT, "path": []}}),
    "forward of all": ("forward", {"node": {"namespace": NAMESPACE, "name": "in", "path": []}}),
    "search": ("search", {"text": "column_1"}),
    "usage": ("column_usage", {"namespace": NAMESPACE, "name": "in", "since": "2026-01-01T00:00:00Z"}),
    "holdings": ("holdings", {"first": 100}),
}


def copied(count: int) -> dict[str, Any]:
    """A job that copies a dataset of so many columns, one of ten tagged as personal."""
    names = [f"column_{number}" for number in range(count)]
    tags = [{"key": "pii", "value": "user.name", "field": name, "source": "x"} for name in names[::10]]
    output = dataset("out", *names, columnLineage=columns({name: [("in", name)] for name in names}))
    source = dataset("in", *names, tags=facet(tags=tags))
    return event("COMPLETE", 1, "run", [source], [output])


def seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def measured(store: LineageStore, count: int) -> dict[str, float]:
    sent = [copied(count)]
    found = {"intake": seconds(lambda: _stored(store, sent))}
    app = create_app(store, Settings(max_nodes=10**7, answer_seconds=3_600))
    with TestClient(app, base_url="http://localhost") as client:
        for what, (name, variables) in ASKED.items():
            body = {"query": queries()[name], "variables": variables}
            client.post("/graphql", json={"query": "{ __typename }"})
            found[what] = seconds(partial(client.post, "/graphql", json=body))
    return found


def _stored(store: LineageStore, events: list[dict[str, Any]]) -> None:
    for outcome in ingest(store, events, LIMITS):
        if outcome.error:
            raise outcome.error


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--columns", type=int, nargs="+", default=COLUMNS)
    wanted = options.parse_args().columns
    before: dict[str, float] = {}
    for count in wanted:
        with (
            tempfile.TemporaryDirectory() as folder,
            closing(open_store(f"sqlite:///{folder}/lineage.db")) as store,
        ):
            found = measured(store, count)
        print(f"{count:,} columns")
        for what, took in found.items():
            factor = f"   x {took / before[what]:.1f}" if what in before else ""
            print(f"  {what:20} {took:8.2f} s{factor}")
        before = found


if __name__ == "__main__":
    main()
