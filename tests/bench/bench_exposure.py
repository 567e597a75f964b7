"""How long the exposure of a whole company takes: 10,000 jobs, 1,111 personal attributes (aim: the matrix in 10 s).

    python tests/bench/bench_exposure.py [--neo4j] [--jobs N] [--attributes N]

prints how long the whole matrix takes, also with influences, a first page over GraphQL, what arrived at one dataset,
and the report with the sizes of its files. Two paired ratios, of processor time, say how that grows, whatever else the
machine is doing: a company of the size to one of half of it, and all attributes to a tenth of them in the same company.
Neo4j is measured with ``--neo4j URL``, of an empty database.

Last measured on SQLite, on two cores with twenty others' processes at work, in seconds of processor time: 1,500,190
paths that hold one of 1,111 attributes 4.2 (25 by the clock), what arrived at one dataset 0.8. Of 1,000 jobs and 111
attributes, 49,851 paths 0.5, 3.9 times as long as half of it, and 3.2 times as long as a tenth of the attributes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import ExposureReport, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.document.model import Imprint
from headwater_backend.reports.exposure_matrix import write_csv, write_json
from headwater_backend.reports.formats.render import Format, render
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from headwater_backend.server.garbage_collection import reduce_collections
from headwater_backend.stores import open_store
from headwater_graphql.context import RequestContext
from headwater_graphql.local_execution import execute
from headwater_graphql.queries import query
from kit.company import NAMESPACE, Company

T = TypeVar("T")
AIM_SECONDS = 10.0
BOUNDS = Bounds(nodes=1_000_000)


@contextmanager
def filled(folder: str, company: Company, neo4j: str | None) -> Iterator[LineageStore]:
    """A store that holds the company."""
    url = neo4j or f"sqlite:///{folder}/{company.jobs}-{company.attributes}.db"
    with closing(open_store(url)) as store:
        begin = time.perf_counter()
        assert all(outcome.stored for outcome in ingest(store, company.events()))
        print(f"{company}: stored in {time.perf_counter() - begin:.0f} s")
        yield store


def timed(what: str, question: Callable[[], T]) -> tuple[T, float]:
    begin, worked = time.perf_counter(), time.process_time()
    found = question()
    taken, worked = time.perf_counter() - begin, time.process_time() - worked
    print(f"  {what}: {taken:.2f} s, of which {worked:.2f} s of this process", flush=True)
    return found, worked


def matrix(store: LineageStore, *, influenced: bool = False, at: str | None = None) -> ExposureReport:
    """The whole of it, counted."""
    node = NodeKey(DatasetKey(NAMESPACE, at), ()) if at else None
    report = exposed(store, Scope(at=node, influenced=influenced, bounds=BOUNDS))
    assert report.count >= 0
    return report


def measure(store: LineageStore, folder: str, at: str) -> float:
    """Ask everything; returns how long the matrix took."""
    report, taken = timed("whole matrix", lambda: matrix(store))
    print(
        f"    {report.count:,} paths hold {len(report.attributes):,} attributes: {taken / AIM_SECONDS:.2f} of the aim"
    )
    timed("whole matrix again", lambda: matrix(store))
    timed(
        "first page over GraphQL", lambda: execute(query("holdings"), {"first": 100}, RequestContext(store))
    )
    arrived, _ = timed(f"what arrived at {at}", lambda: matrix(store, at=at))
    print(f"    {arrived.count:,} arrivals of {len(arrived.attributes):,} attributes")
    for file, write in ((Path(folder) / "all.csv", write_csv), (Path(folder) / "all.json", write_json)):
        timed(f"whole matrix as {file.suffix}", partial(write, store, report, file))
        print(f"    {file.stat().st_size / 1e6:.1f} MB")
    for kind in (Kind.EXPOSURE, Kind.ART30, Kind.ART17):
        question = ReportQuestion(kind, bounds=BOUNDS)
        document, _ = timed(f"report {kind.value}", partial(build, store, question))
        imprint = Imprint(datetime.now(timezone.utc), "bench")
        page, _ = timed("  as a page", partial(render, document, imprint, Format.HTML))
        print(f"    {len(page) / 1e6:.1f} MB")
    influenced, _ = timed("whole matrix with influences", lambda: matrix(store, influenced=True))
    print(f"    {influenced.count:,} paths")
    return taken


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--attributes", type=int, default=1_111)
    parser.add_argument("--neo4j", help="the URL of an empty Neo4j, instead of SQLite")
    chosen = parser.parse_args()
    reduce_collections()
    whole = Company(chosen.jobs, chosen.attributes)
    with tempfile.TemporaryDirectory() as folder:
        with filled(folder, whole, chosen.neo4j) as store:
            taken = measure(store, folder, f"layer_{whole.layers}.table_0")
        if chosen.neo4j:
            return
        for what, smaller in (
            ("half the company", Company(chosen.jobs // 2, chosen.attributes // 2)),
            ("a tenth of the attributes", Company(chosen.jobs, chosen.attributes // 10)),
        ):
            with filled(folder, smaller, None) as store:
                _, less = timed("whole matrix", partial(matrix, store))
            print(f"  the whole takes {taken / less:.1f} times as long as {what}")


if __name__ == "__main__":
    main()
