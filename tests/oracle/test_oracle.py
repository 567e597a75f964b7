"""The oracle: random pipelines are executed, each input path is changed, and every output that changes must list it.

A miss is a failure. What is listed and was never seen to change is no error (the change may not show in this data);
its share is printed as a figure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from golden.perturbation import Claims, leaves, observed, perturbations, sample_rows
from golden.test_lineage import lineage_of_plan
from headwater_spark.types import StructField, StructType
from kit.spark_lines import SPARK_4, Planner
from oracle.pipelines import TABLES, pipeline

pytestmark = pytest.mark.spark

IN_CI = 24
IN_FULL = 300


@dataclass
class Tally:
    """What was claimed and what was seen, over all pipelines."""

    listed: int = 0
    seen: int = 0
    pipelines: int = 0


@pytest.fixture(scope="module")
def planner() -> Iterator[Planner]:
    planner = Planner(SPARK_4)
    yield planner
    planner.close()


@pytest.fixture(scope="module")
def tally(request: pytest.FixtureRequest) -> Iterator[Tally]:
    tally = Tally()
    yield tally
    unseen = tally.listed - tally.seen
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(
            f"\noracle: {tally.pipelines} pipelines, {tally.listed} listed pairs,"
            f" {unseen} never seen to change"
        )


@pytest.mark.parametrize("seed", range(IN_CI))
def test_no_output_changes_unexplained(planner: Planner, tally: Tally, seed: int) -> None:
    check(planner, tally, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(IN_CI, IN_FULL))
def test_no_output_of_many_changes_unexplained(planner: Planner, tally: Tally, seed: int) -> None:
    check(planner, tally, seed)


def check(planner: Planner, tally: Tally, seed: int) -> None:
    made = pipeline(seed)
    tables = {name: TABLES[name][0] for name in sorted(made.tables)}
    columns = {name: _columns(name) for name in tables}
    lineage, outputs = lineage_of_plan(*planner.plan(tables, python=made.program))
    claims = Claims(lineage, [str(r.source["roots"][0]).rpartition("/")[2] for r in lineage.reads])
    changes = list(perturbations(columns, every=False))
    contents = [{n: sample_rows(c) for n, c in columns.items()}, *(content for _, _, content in changes)]
    before, *after = planner.results(tables, contents, python=made.program)
    assert before is not None, made.program
    expected = observed(before, outputs)
    tally.pipelines += 1
    for (table, source, _), rows in zip(changes, after, strict=True):
        assert rows is not None, made.program
        found = observed(rows, outputs)
        for target in leaves(outputs):
            listed, seen = claims.covers(table, source, target), found[target] != expected[target]
            tally.listed += listed
            tally.seen += listed and seen
            missed = f"{table}.{'.'.join(source)} changes {'.'.join(target)}"
            assert listed or not seen, f"{missed} unlisted in:\n{made.program}"


def _columns(table: str) -> StructType:
    return StructType(tuple(StructField(name, kind) for name, kind in TABLES[table][1].items()))
