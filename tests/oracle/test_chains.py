"""The oracle over two jobs and the store: what changes at the end of a chain is found forward from what was changed.

Both jobs' events go into a SQLite store, whose closure composes them. A miss is a pair that changes, is not reached and
of which the answer does not say that it is incomplete.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from headwater_backend.stores import open_store
from headwater_plan.types import StructField, StructType
from kit.figures import say
from kit.perturbation import leaves, observed, perturbations, sample_rows
from kit.spark_lines import Planner
from oracle.chains import chain
from oracle.jobs_in_store import END, covers, ends, graph_from, stored
from oracle.pipelines import TABLES

pytestmark = pytest.mark.spark

IN_CI = 1
IN_FULL = 300


@dataclass
class Tally:
    """What was reached and what was seen, over all chains; ``declared`` are misses that the answer declares."""

    listed: int = 0
    seen: int = 0
    declared: int = 0
    chains: int = 0
    failed: int = 0
    formats: dict[str, int] = field(default_factory=dict)


@pytest.fixture(scope="module")
def tally(request: pytest.FixtureRequest, planner: Planner) -> Iterator[Tally]:
    tally = Tally()
    yield tally
    say(
        request,
        f"oracle of chains on {planner.line}: {tally.chains} chains ({tally.failed} fail over some content),"
        f" {tally.listed} listed pairs, {tally.listed - tally.seen} never seen to change,"
        f" {tally.declared} seen where the answer says that it is incomplete",
    )


@pytest.mark.parametrize("seed", range(IN_CI))
def test_no_end_of_a_chain_changes_unexplained(
    planner: Planner, tally: Tally, tmp_path: Path, seed: int
) -> None:
    check(planner, tally, tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(IN_CI, IN_FULL))
def test_no_end_of_many_chains_changes_unexplained(
    planner: Planner, tally: Tally, tmp_path: Path, seed: int
) -> None:
    check(planner, tally, tmp_path, seed)


def check(planner: Planner, tally: Tally, folder: Path, seed: int) -> None:
    made, place = chain(seed), str(folder / "between").lstrip("/")
    tables = {name: TABLES[name][0] for name in made.tables}
    columns = {name: _columns(name) for name in tables}
    changes = list(perturbations(columns, every=False))
    base = {n: sample_rows(c) for n, c in columns.items()}
    contents = [base, *(content for _, _, content in changes)]
    before, *after = planner.results(tables, contents, python=made.whole(place))
    tally.chains += 1
    tally.failed += before is None or None in after
    if before is None:
        return
    planner.results(tables, [base], python=made.whole(place))
    with closing(open_store(f"sqlite:///{folder / 'chain.db'}")) as store:
        form = made.format.partition("_")[0]
        jobs = ((made.writes(), f"file:/{place}", form), (made.reads(place), f"file:{END}", "parquet"))
        outputs, starts = stored(store, planner, jobs, tables)
        expected = observed(before, outputs)
        for (table, source, _), rows in zip(changes, after, strict=True):
            if rows is None or table not in starts:
                continue
            graph = graph_from(store, starts[table], source)
            reached, complete = ends(graph), graph is None or graph.complete
            found = observed(rows, outputs)
            for target in leaves(outputs):
                listed, seen = covers(reached, target), found[target] != expected[target]
                tally.listed += listed
                tally.seen += listed and seen
                tally.declared += seen and not listed and not complete
                missed = f"{table}.{'.'.join(source)} changes {'.'.join(target)}"
                assert listed or not seen or not complete, (
                    f"{missed} unlisted in {made.format}:\n{made.whole(place)}"
                )


def _columns(table: str) -> StructType:
    return StructType(tuple(StructField(name, kind) for name, kind in TABLES[table][1].items()))
