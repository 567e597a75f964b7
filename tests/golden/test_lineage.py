"""Every `.case` gives its lineage, on every Spark line, in SQL and in the DataFrame API.

`make golden` rewrites the expectations from what is found; then read the difference before you commit it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from golden.case_file import Case, read_case, rewrite, written
from headwater_spark.declarations import declaration
from headwater_spark.decode import decode
from headwater_spark.ir import Write
from headwater_spark.tracing import PlanLineage, trace
from headwater_spark.types import StructField, StructType
from kit.spark_lines import LINES, Planner, SparkLine

pytestmark = pytest.mark.spark

CASES = [read_case(path) for path in sorted(Path(__file__).parent.glob("lineage/*.case"))]
PROGRAMS = [
    pytest.param(line, case, kind, id=f"{case}-{kind}-{line}")
    for line in LINES
    for case in CASES
    for kind in case.programs
    if case.only in (None, line.name)
]
DECLARED = {
    each.name: each
    for each in (
        declaration(
            "declared_contact",
            ["name.last -> surname", "name => contact.name", "mail => contact.mail", "born -> ?"],
            parameters=["name", "mail", "born"],
        ),
        declaration("declared_masker", ["0"], masking=True),
        declaration(
            "declared_rows",
            [
                "rows.id => key",
                "rows.mail -> contact.mail",
                "rows.name.last => contact.surname",
                "rows.born -> ?",
            ],
            parameters=["rows"],
        ),
        declaration("declared_groups", ["key => city", "rows.id -> n"], parameters=["key", "rows"]),
    )
}
REWRITE = os.environ.get("HEADWATER_GOLDEN") == "rewrite"


@pytest.fixture(scope="module")
def planners() -> Iterator[dict[SparkLine, Planner]]:
    open_: dict[SparkLine, Planner] = {}
    yield open_
    for planner in open_.values():
        planner.close()


def lineage_of_plan(
    document: dict[str, Any], version: str, *, collected: bool = False
) -> tuple[PlanLineage, StructType]:
    """The lineage of a query as if it were written, and its columns."""
    plan = decode(document, version, declared=DECLARED.get)
    assert plan.relation is not None
    columns = StructType(tuple(StructField(a.name, a.type) for a in plan.relation.outputs))
    written = replace(plan, write=Write(plan.relation, {}, "", columns))
    return trace(written, collected=collected), columns


@pytest.mark.parametrize(("line", "case", "kind"), PROGRAMS)
def test_lineage_is_as_the_case_says(
    planners: dict[SparkLine, Planner], line: SparkLine, case: Case, kind: str
) -> None:
    planner = planners.setdefault(line, planners.get(line) or Planner(line))
    document, version = planner.plan(case.tables, **{kind: case.programs[kind]})
    lineage, _ = lineage_of_plan(document, version, collected=case.collected)
    found = written(lineage)
    if REWRITE:
        rewrite(case, found)
        return
    assert list(found) == list(case.lineage), case.title


def test_every_case_says_what_it_shows() -> None:
    for case in CASES:
        assert case.title and case.programs and case.lineage, case.path.name
