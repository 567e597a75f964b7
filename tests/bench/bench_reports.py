"""How long reports take, and how much memory, for a company of 10,000 jobs, 50,000 tables and 2,000,000 nested paths.

    python tests/bench/bench_reports.py [--store URL] [--jobs N] [--personal N] [--kinds art17,art33,review]

prints, for each kind of report in turn and each part of it (the document, and then each format), seconds by the clock
and of this process, and the most memory that it has taken so far and takes after it. Typst is a process of its own:
its seconds are counted, its memory is printed apart. With ``--store``, a store that has the company already.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.document.model import Imprint
from headwater_backend.reports.formats.render import Format, render
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from headwater_backend.server.garbage_collection import reduce_collections
from headwater_backend.stores import open_store
from kit.large_company import NAMESPACE, LargeCompany

T = TypeVar("T")
SINCE: Final = datetime(2026, 1, 1, tzinfo=timezone.utc)
NOW: Final = datetime(2030, 1, 1, tzinfo=timezone.utc)


def timed(what: str, made: Callable[[], T]) -> T:
    begin, worked = time.perf_counter(), process_time()
    found = made()
    taken, worked = time.perf_counter() - begin, process_time() - worked
    gc.collect()
    size = f", {len(found) / 1e6:,.1f} MB" if isinstance(found, bytes) else ""
    print(f"  {what}: {worked:.1f} s of this process, {taken:.1f} by the clock; {memory()}{size}", flush=True)
    return found


def process_time() -> float:
    """The processor time of this process and of those that it started and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def memory() -> str:
    most, child = (
        resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    now = pages * resource.getpagesize() / 2**20
    return f"{most:,.0f} MB at most, {now:,.0f} after it; typst {child:,.0f} MB"


def question(kind: Kind) -> ReportQuestion:
    leak = (PlacePattern((NAMESPACE, "table_7*"), "**", 1),) if kind is Kind.ART33 else ()
    since = SINCE if kind is Kind.REVIEW else None
    return ReportQuestion(kind, leaked=leak, since=since, bounds=Bounds(nodes=10_000_000, as_of=NOW))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--store", metavar="URL", help="a store that has the company already")
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--personal", type=int, default=1_000, help="how many sources have personal data")
    parser.add_argument("--kinds", default="art17,art33,review", help="the kinds of reports")
    parser.add_argument("--formats", default="html,xlsx,pdf,prov-json,prov-o", help="the formats")
    chosen = parser.parse_args()
    reduce_collections()
    with tempfile.TemporaryDirectory() as folder:
        url = chosen.store or f"sqlite:///{folder}/lineage.db"
        with closing(open_store(url)) as store:
            if not chosen.store:
                company = LargeCompany(chosen.jobs, personal=min(chosen.personal, chosen.jobs))
                assert all(each.stored for each in ingest(store, company.events()))
            for kind in map(Kind, chosen.kinds.split(",")):
                print(f"{kind.value}: {memory()}")
                measure(store, kind, [Format(each) for each in chosen.formats.split(",")])


def measure(store: LineageStore, kind: Kind, formats: Sequence[Format]) -> None:
    """Make the report in each of the formats."""
    document = timed("the document", lambda: build(store, question(kind)))
    for each in formats:
        timed(each.value, partial(render, document, Imprint(NOW, "bench"), each))


if __name__ == "__main__":
    main()
