"""No SQL function loses an input: alone, joined with itself, in a scalar subquery, in a correlated EXISTS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from golden.functions import (
    TYPED,
    Sample,
    alone,
    in_exists,
    in_portions,
    in_scalar_subquery,
    over_itself,
    samples,
)
from golden.test_lineage import lineage_of_plan
from headwater_spark.tracing import PlanLineage
from kit.spark_lines import LINES, Planner

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SAMPLES = samples()
CALLED = ("scalar", "aggregate", "window")
BY_TYPE = frozenset(("collation", "typeof", "schema_of_csv", "schema_of_json", "schema_of_xml"))
"""Functions whose results do not depend on the values of their arguments."""


@pytest.fixture(scope="module", params=LINES, ids=str)
def planner(request: pytest.FixtureRequest) -> Iterator[Planner]:
    planner = Planner(request.param)
    yield planner
    planner.close()


def _of(planner: Planner, kind: str) -> list[Sample]:
    return [s for s in SAMPLES if s.kind == kind and s.line in (None, planner.line.name)]


def test_every_function_of_the_registry_has_a_sample_or_a_reason(planner: Planner) -> None:
    (rows,) = planner.results({}, [{}], sql="SHOW SYSTEM FUNCTIONS")
    assert rows is not None
    known = {s.name for s in SAMPLES if s.line in (None, planner.line.name)}
    assert {str(row["function"]) for row in rows} - known == set()


def _misses(lineage: PlanLineage, found: Sequence[Sample], *parents: str) -> Iterator[str]:
    """The samples of which an input is not listed, and what is incomplete."""
    yield from (f"! {gap.reason} {gap.detail} {gap.paths}" for gap in lineage.incomplete)
    everywhere = {entry.path[0] for entry in lineage.dataset if entry.path}
    for i, sample in enumerate(found):
        path = (*parents, f"c{i}")
        fields = (field for field in lineage.fields if field.path[: len(path)] == path[: len(field.path)])
        inputs = {entry.path[0] for field in fields for entry in field.inputs}
        missing = sample.columns - inputs - everywhere
        if missing and sample.name not in BY_TYPE:
            yield f"{sample.call}: {sorted(missing)}"


@pytest.mark.parametrize("kind", CALLED)
def test_functions_name_their_inputs(planner: Planner, kind: str) -> None:
    for portion in in_portions(_of(planner, kind)):
        for program, parents in (
            ({"sql": alone(portion)}, ()),
            ({"python": over_itself(portion)}, ()),
            ({"sql": in_scalar_subquery(portion)}, ("r",)),
        ):
            lineage, _ = lineage_of_plan(*planner.plan({"typed": TYPED}, **program))
            assert list(_misses(lineage, portion, *parents)) == []


@pytest.mark.parametrize("kind", ["scalar", "aggregate"])
def test_functions_in_correlated_subqueries_name_their_inputs(planner: Planner, kind: str) -> None:
    for portion in in_portions([s for s in _of(planner, kind) if s.columns]):
        lineage, _ = lineage_of_plan(*planner.plan({"typed": TYPED}, sql=in_exists(portion)))
        assert list(_misses(lineage, portion)) == []
