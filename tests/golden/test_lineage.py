"""Every `.case` gives its lineage on every Spark line, in SQL and in the DataFrame API, and its plan is as captured.

Where neither Spark nor what makes documents of plans has changed since the plans were captured, and a program has not
either, its plan is the same again: then it is planned by the long run alone, and by all others traced from the capture.

`make golden` captures the plans and writes the expectations anew; then read the difference before you commit it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from golden.captures import captures_of, digest, is_current
from golden.cases import PROGRAMS, Program
from golden.normalised import normalised
from kit.spark_lines import SPARK_4, Planner, SparkLine

pytestmark = pytest.mark.spark


def _is_captured(program: Program) -> bool:
    captured = captures_of(program.line).plans.get(program.key)
    expected = digest(program.case, program.kind)
    return is_current(program.line) and captured is not None and captured.digest == expected


TASKS = [
    pytest.param(each, id=str(each), marks=[pytest.mark.slow] if _is_captured(each) else [])
    for each in PROGRAMS
]


@pytest.fixture(scope="module")
def planners() -> Iterator[dict[SparkLine, Planner]]:
    open_: dict[SparkLine, Planner] = {}
    yield open_
    for planner in open_.values():
        planner.close()


@pytest.mark.parametrize("program", TASKS)
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
