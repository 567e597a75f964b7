"""No function of Spark loses an input: alone, joined with itself, in a scalar subquery, in a correlated EXISTS."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from golden.functions import (
    API,
    PLACES,
    PREVIEWS,
    SQL,
    TYPED,
    Sample,
    alone,
    in_portions,
    over_outer_rows,
    samples,
)
from golden.test_lineage import lineage_of_plan
from headwater_spark.tracing import PlanLineage
from kit.spark_lines import LINES, Planner

pytestmark = pytest.mark.spark

SAMPLES = samples()
KINDS = ("scalar", "aggregate", "window", "program")
OF_THE_ROW = frozenset(("id", "a_long"))
"""What groups and windows are by: an influence on every call of them."""
BY_TYPE = frozenset(("collation", "typeof"))
"""Functions whose results do not depend on the values of their arguments."""
NAMES_IN_API = """
import inspect
found = [
    name for name, each in vars(F).items()
    if not name.startswith("_") and inspect.isfunction(each) and each.__module__.startswith(F.__name__)
]
result = spark.createDataFrame([(name,) for name in found], "function string")
"""
NAMES = {SQL: 'result = spark.sql("SHOW SYSTEM FUNCTIONS")', API: NAMES_IN_API}


@pytest.fixture(scope="module", params=LINES, ids=str)
def planner(request: pytest.FixtureRequest) -> Iterator[Planner]:
    planner = Planner(request.param)
    planner.results({}, [{}], sql="".join(f"SET {each}=true;" for each in PREVIEWS) + "SELECT 1")
    yield planner
    planner.close()


@pytest.mark.parametrize("language", [SQL, API])
def test_every_function_of_the_line_has_a_call_or_a_reason(planner: Planner, language: str) -> None:
    (rows,) = planner.results({}, [{}], python=NAMES[language])
    assert rows is not None
    assert {str(row["function"]) for row in rows} - {s.name for s in _of(planner, language)} == set()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", [SQL, API])
def test_functions_name_their_inputs(planner: Planner, language: str, kind: str) -> None:
    assert list(_misses(planner, _of(planner, language, kind), alone)) == []


@pytest.mark.slow
@pytest.mark.parametrize("place", list(PLACES)[1:])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", [SQL, API])
def test_functions_name_their_inputs_in_other_places(
    planner: Planner, language: str, kind: str, place: str
) -> None:
    assert list(_misses(planner, _of(planner, language, kind), PLACES[place])) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["scalar", "aggregate"])
def test_functions_over_outer_rows_name_their_inputs(planner: Planner, kind: str) -> None:
    found = [s for s in _of(planner, SQL, kind) if s.columns]
    assert list(_misses(planner, found, over_outer_rows)) == []


def _of(planner: Planner, language: str, kind: str | None = None) -> list[Sample]:
    return [
        s
        for s in SAMPLES
        if s.language == language and kind in (None, s.kind) and s.line in (None, planner.line.name)
    ]


def _misses(
    planner: Planner, found: Sequence[Sample], program: Callable[[Sequence[Sample]], str]
) -> Iterator[str]:
    """What is incomplete, and the samples of which an input is not listed."""
    for portion in in_portions(found):
        lineage, _ = lineage_of_plan(*planner.plan({"typed": TYPED}, python=program(portion)))
        yield from (f"! {gap.reason} {gap.detail} {gap.paths} {portion[0]}" for gap in lineage.incomplete)
        everywhere = {entry.path[0] for entry in lineage.dataset if entry.path}
        if portion[0].kind != "program":
            everywhere &= OF_THE_ROW
        for i, sample in enumerate(portion):
            missing = sample.columns - _inputs(lineage, f"c{i}") - everywhere
            if missing and sample.name not in BY_TYPE:
                yield f"{sample}: {sorted(missing)}"


def _inputs(lineage: PlanLineage, column: str) -> set[str]:
    return {
        entry.path[0]
        for field in lineage.fields
        if field.path[0] == column
        for entry in field.inputs
        if entry.path
    }
