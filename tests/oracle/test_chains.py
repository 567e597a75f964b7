"""The oracle over two jobs and the store: what changes at the end of a chain is found forward from what was changed.

Both jobs' events go into a SQLite store, whose closure composes them. A miss is a pair that changes, is not reached and
of which the answer does not say that it is incomplete.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from golden.cases import lineage_of_plan
from headwater_backend.domain.errors import UnknownPath
from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.closure import forward
from headwater_backend.questions.traversal import ALL_TYPES
from headwater_backend.stores import open_store
from headwater_plan.types import StructField, StructType
from headwater_spark.capture.execution import Outcome
from headwater_spark.emit import events
from headwater_spark.tracing.result import PathSteps, PlanLineage, Target
from kit.executions import COMMAND, execution, wire
from kit.perturbation import leaves, observed, perturbations, sample_rows
from kit.spark_lines import LINES, Planner
from oracle.chains import Chain, chain
from oracle.pipelines import TABLES

pytestmark = pytest.mark.spark

IN_CI = 3
IN_FULL = 300
END = "/oracle/end"


@dataclass
class Tally:
    """What was reached and what was seen, over all chains; ``declared`` are misses that the answer declares."""

    listed: int = 0
    seen: int = 0
    declared: int = 0
    chains: int = 0
    failed: int = 0
    formats: dict[str, int] = field(default_factory=dict)


@pytest.fixture(scope="module", params=LINES, ids=str)
def planner(request: pytest.FixtureRequest) -> Iterator[Planner]:
    planner = Planner(request.param)
    yield planner
    planner.close()


@pytest.fixture(scope="module")
def tally(request: pytest.FixtureRequest, planner: Planner) -> Iterator[Tally]:
    tally = Tally()
    yield tally
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(
            f"\noracle of chains on {planner.line}: {tally.chains} chains ({tally.failed} fail over some content),"
            f" {tally.listed} listed pairs, {tally.listed - tally.seen} never seen to change,"
            f" {tally.declared} seen where the answer says that it is incomplete",
            file=sys.stderr,  # a worker has no standard output
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
        outputs, starts = _stored(store, planner, made, tables, place)
        expected = observed(before, outputs)
        for (table, source, _), rows in zip(changes, after, strict=True):
            if rows is None or table not in starts:
                continue
            reached, complete = _reached(store, starts[table], source)
            found = observed(rows, outputs)
            for target in leaves(outputs):
                listed, seen = _covers(reached, target), found[target] != expected[target]
                tally.listed += listed
                tally.seen += listed and seen
                tally.declared += seen and not listed and not complete
                missed = f"{table}.{'.'.join(source)} changes {'.'.join(target)}"
                assert listed or not seen or not complete, (
                    f"{missed} unlisted in {made.format}:\n{made.whole(place)}"
                )


def _stored(
    store: LineageStore, planner: Planner, made: Chain, tables: dict[str, str], place: str
) -> tuple[StructType, dict[str, DatasetKey]]:
    """The end's columns, and the datasets of the tables that are read, when both jobs' events are stored."""
    starts: dict[str, DatasetKey] = {}
    sent = []
    jobs = ((made.writes(), f"file:/{place}", made.format), (made.reads(place), f"file:{END}", "parquet"))
    for program, target, form in jobs:
        found, columns = lineage_of_plan(*planner.plan(tables, python=program))
        event = wire(
            events.ended(execution(_written(found, columns, target, form)), Outcome(1_767_225_602_000))
        )
        sent.append(event)
        for each in event["inputs"]:
            starts.setdefault(each["name"].rpartition("/")[2], DatasetKey(each["namespace"], each["name"]))
    outcomes = ingest(store, sent)
    assert all(outcome.stored for outcome in outcomes), outcomes
    return columns, starts


def _written(lineage: PlanLineage, columns: StructType, target: str, form: str) -> PlanLineage:
    """The lineage as that of a write to files."""
    source: dict[str, Any] = {
        "kind": "files",
        "roots": [target],
        "format": form.partition("_")[0],
        "mode": "overwrite",
    }
    changed: dict[str, Any] = {name: getattr(lineage, name) for name in lineage.__dataclass_fields__}
    return PlanLineage(**{**changed, "target": Target(len(lineage.operators), source, COMMAND, columns)})


def _reached(store: LineageStore, dataset: DatasetKey, source: PathSteps) -> tuple[set[PathSteps], bool]:
    """The paths of the end that the answer lists, and whether it calls itself complete. A path that no event names is
    one that nobody read.
    """
    try:
        graph = forward(store, NodeKey(dataset, source), ALL_TYPES)
    except UnknownPath:
        return set(), True
    ends = {n.key.path for n in graph.nodes if n.key.dataset.name == END}
    return ends, graph.complete


def _covers(reached: set[PathSteps], target: PathSteps) -> bool:
    return any(target[: len(path)] == path or path[: len(target)] == target for path in reached)


def _columns(table: str) -> StructType:
    return StructType(tuple(StructField(name, kind) for name, kind in TABLES[table][1].items()))
