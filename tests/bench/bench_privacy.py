"""How long the answers about personal data take for a company of 1,000 jobs, 5,000 tables and 200,000 nested paths.

    python tests/bench/bench_privacy.py [--neo4j URL] [--jobs N] [--personal N]

prints seconds by the clock and of this process for the matrix, single attributes, policies, a breach, a person's data,
and the matrix after one more event, and the most memory that the process took. The time that Neo4j itself works is only
in the seconds by the clock.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.breach import breach
from headwater_backend.privacy.answers.policy_check import check_policies
from headwater_backend.privacy.answers.subject import subject_data
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.exposure import ExposureReport, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.policies import Policy
from headwater_backend.questions.traversal import Bounds
from headwater_backend.server.garbage_collection import reduce_collections
from headwater_backend.stores import open_store
from kit.large_company import NAMESPACE, LargeCompany

T = TypeVar("T")
BOUNDS: Final = Bounds(nodes=1_000_000)
SINGLE: Final = 40
"""How many single attributes are asked about."""


def timed(what: str, question: Callable[[], T], aim: float | None = None) -> T:
    begin, worked = time.perf_counter(), time.process_time()
    found = question()
    taken, worked = time.perf_counter() - begin, time.process_time() - worked
    wanted = f" (aim: {aim:g})" if aim else ""
    print(f"  {what}: {worked:.2f} s of this process, {taken:.2f} by the clock{wanted}", flush=True)
    return found


def counted(report: ExposureReport) -> ExposureReport:
    """The report, with all that is computed on access."""
    assert report.count > 0
    return report


def ask(store: LineageStore, company: LargeCompany, aim: float) -> None:
    """Ask everything about the company."""
    whole = Scope(bounds=BOUNDS)
    report = timed("whole matrix", lambda: counted(exposed(store, whole)), aim)
    holding = (
        f"{report.count:,} paths of {report.datasets:,} tables hold {len(report.attributes):,} attributes"
    )
    print(f"    {holding}; complete: {report.complete}; {memory()}")
    chosen = random.Random(1).sample(
        [each.attribute.node for each in report.attributes], k=min(SINGLE, len(report.attributes))
    )
    times = []
    for node in chosen:
        worked, begin = time.process_time(), time.perf_counter()
        exposed(store, Scope(of=node))
        times.append((time.process_time() - worked, time.perf_counter() - begin))
    own, clock = (statistics.quantiles(column, n=20)[-1] for column in zip(*times, strict=True))
    print(
        f"  one attribute, p95 of {len(times)}: {own:.3f} s of this process, {clock:.3f} by the clock (aim: 0.3)"
    )
    where = PlacePattern((NAMESPACE, "table_7*"), "**", 1)
    policies = [
        Policy(
            where.dataset_text,
            "**",
            1,
            f"policy {number}",
            category,
            frozenset({Form.AGGREGATED, Form.MASKED}),
        )
        for number, category in enumerate(("user.contact", "user.name", "user"))
    ]
    checked = timed("three policies", lambda: check_policies(store, policies, Ruling(), BOUNDS))
    print(f"    {sum(len(each.violations) for each in checked.verdicts):,} violations")
    leak = timed(
        "breach of the whole store",
        lambda: breach(store, [PlacePattern((NAMESPACE, "*"), "**", 1)], Ruling(), BOUNDS),
    )
    print(
        f"    {len(leak.datasets):,} tables, {len(leak.values):,} values, {len(leak.influences):,} influences"
    )
    person = timed("data of all persons", lambda: subject_data(store, whole, Ruling()))
    print(f"    {len(person.datasets):,} tables")
    new = company.event(company.jobs, ["table_7_0", "source_0"], ["table_new"], random.Random(0))
    timed("one more event", lambda: list(ingest(store, [new])))
    timed("whole matrix after it", lambda: counted(exposed(store, whole)), 1)
    print(f"  {memory()}")


def memory() -> str:
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB at most (aim: 500)"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=1_000)
    parser.add_argument("--personal", type=int, default=100, help="how many sources have personal data")
    parser.add_argument("--neo4j", metavar="URL", help="an empty Neo4j, instead of SQLite")
    parser.add_argument("--filled", action="store_true", help="the Neo4j has the company already")
    chosen = parser.parse_args()
    reduce_collections()
    company = LargeCompany(chosen.jobs, personal=min(chosen.personal, chosen.jobs))
    with tempfile.TemporaryDirectory() as folder:
        url = chosen.neo4j or f"sqlite:///{folder}/lineage.db"
        with closing(open_store(url)) as store:
            if not chosen.filled:
                print(f"{company}: {company.datasets:,} tables, {company.paths:,} paths")
                timed("stored", lambda: all(each.stored for each in ingest(store, company.events())))
            print(f"  {memory()}")
            ask(store, company, 10 if chosen.neo4j else 5)


if __name__ == "__main__":
    main()
