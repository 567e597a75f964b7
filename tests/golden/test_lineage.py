"""Every `.case` gives its lineage on every Spark line, in SQL and in the DataFrame API, and its plan is as captured.

`make golden` captures the plans and writes the expectations anew; then read the difference before you commit it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from golden.captures import captures_of
from golden.cases import PROGRAMS, Program
from golden.normalised import normalised
from kit.spark_lines import SPARK_4, Planner, SparkLine

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def planners() -> Iterator[dict[SparkLine, Planner]]:
    open_: dict[SparkLine, Planner] = {}
    yield open_
    for planner in open_.values():
        planner.close()


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_a_plan_is_as_captured_and_gives_the_lineage_of_its_case(
    planners: dict[SparkLine, Planner], program: Program
) -> None:
    planner = planners.get(program.line) or planners.setdefault(program.line, Planner(program.line))
    document, version = planner.plan(program.case.tables, **{program.kind: program.text})
    found = program.lineage(document, version)
    assert sorted(found) == sorted(program.case.lineage), program.case.title
    captures = captures_of(program.line)
    if _has_another_spark(program.line):
        return
    assert version == captures.version, f"captured from Spark {captures.version}: make golden"
    captured = captures.plans.get(program.key)
    assert captured is not None and normalised(document) == captured.plan, (
        f"the plan is not the captured one: make golden CASE={program.case}"
    )


def _has_another_spark(line: SparkLine) -> bool:
    """Whether the line is locked at an older version for this Python, which plans a little differently."""
    return line == SPARK_4 and sys.version_info < (3, 11)
