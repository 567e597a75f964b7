"""How long the least cut takes for a company of 10,000 jobs.

    python tests/bench/bench_cut.py [--jobs N] [--personal N] [--neo4j URL [--filled]]

prints seconds by the clock and of this process for checking a policy, and for cutting its violations all at once, with
three alternatives for each part.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.policy_check import check_policies
from headwater_backend.privacy.cut.cut import least_cuts
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.policies import Policy
from headwater_backend.questions.traversal import Bounds
from headwater_backend.server.garbage_collection import reduce_collections
from headwater_backend.stores import open_store
from kit.large_company import NAMESPACE, LargeCompany

BOUNDS = Bounds(nodes=3_000_000)


def policies() -> dict[str, list[Policy]]:
    """Policies of more and more tables: those of one job, of some, and of a tenth of all."""
    return {
        name: [Policy((NAMESPACE, tables), "**", 1, "p", "user")]
        for name, tables in (("one job", "table_77_*"), ("a hundredth", "table_77*"), ("a tenth", "table_7*"))
    }


def ask(store: LineageStore) -> None:
    """Check, and cut."""
    for name, some in policies().items():
        begin, worked = time.perf_counter(), time.process_time()
        check = check_policies(store, some, Ruling(), BOUNDS)
        taken, own = time.perf_counter() - begin, time.process_time() - worked
        count = sum(len(each.violations) for each in check.verdicts)
        print(
            f"  {name}: {count:,} violations, checked in {own:.2f} s ({taken:.2f} by the clock)", flush=True
        )
        begin, worked = time.perf_counter(), time.process_time()
        found = least_cuts(store, some, Ruling(), BOUNDS)
        taken, own = time.perf_counter() - begin, time.process_time() - worked
        changes = sum(len(each.alternatives[0].changes) for each in found.cuts if each.alternatives)
        largest = max((len(each.violations) for each in found.cuts), default=0)
        print(
            f"    with the cut {own:.2f} s ({taken:.2f}): {len(found.cuts):,} parts, the largest of {largest:,}; "
            f"{changes:,} changes"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--personal", type=int, default=100, help="how many sources have personal data")
    parser.add_argument("--neo4j", metavar="URL", help="an empty Neo4j, instead of SQLite")
    parser.add_argument("--filled", action="store_true", help="the Neo4j has the company already")
    parser.add_argument("--sqlite", metavar="FILE", help="where the store is, or is kept")
    given = parser.parse_args()
    reduce_collections()
    company = LargeCompany(given.jobs, personal=given.personal)
    print(f"{company.jobs:,} jobs, {company.datasets:,} tables, {company.paths:,} paths")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(given.sqlite or Path(folder) / "company.db")
        filled = given.filled or file.exists()
        with closing(open_store(given.neo4j or f"sqlite:///{file}")) as store:
            if not filled:
                for outcome in ingest(store, company.events()):
                    assert outcome.error is None, outcome.error
            ask(store)


if __name__ == "__main__":
    main()
