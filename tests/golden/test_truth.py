"""No output changes that the lineage does not explain: every case is executed, perturbed and executed again.

What was seen is recorded (`golden.changes`): each run holds the lineage against the record, and executes the cases that
were edited since; the long run executes all. `make golden` writes the record.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from golden.captures import captures_of
from golden.case_file import Case
from golden.cases import lineage_of_plan
from golden.changes import EXECUTED, Changes, observe, program_of, recorded, recorded_of
from kit.claims import Claims
from kit.plan_documents import Plan
from kit.spark_lines import SPARK_4, Planner

RECORDED = [case for case in EXECUTED if recorded_of(case) is not None]
EDITED = [case for case in EXECUTED if case not in RECORDED] if recorded().is_current else []
"""Those of an outdated record are as many as there are: an hour, which `make golden` takes once."""


@pytest.fixture(scope="module")
def planner() -> Iterator[Planner]:
    planner = Planner(SPARK_4)
    yield planner
    planner.close()


def test_the_record_is_of_this_spark_and_of_what_executes_the_cases() -> None:
    assert recorded().is_current, "what executes the cases was edited, or Spark is another: make golden"


@pytest.mark.parametrize("case", RECORDED, ids=str)
def test_what_was_seen_to_change_is_listed(case: Case) -> None:
    captures = captures_of(SPARK_4)
    kind, _ = program_of(case)
    changes = recorded_of(case)
    assert changes is not None
    plan = captures.plans[str(case), kind].plan
    assert not [*_misses(changes, plan, captures.version)], case.title


def test_a_change_that_is_not_listed_is_found() -> None:
    captures = captures_of(SPARK_4)
    changes: Changes = {("people", ("nowhere",)): frozenset({("m",)})}
    assert [*_misses(changes, captures.plans["collation", "sql"].plan, captures.version)]


@pytest.mark.spark
@pytest.mark.parametrize(
    "case",
    [pytest.param(c, marks=[] if c in EDITED else [pytest.mark.slow]) for c in EXECUTED],
    ids=str,
)
def test_what_changes_is_listed(planner: Planner, case: Case) -> None:
    changes = observe(planner, case)
    kind, program = program_of(case)
    assert not [*_misses(changes, *planner.plan(case.tables, **{kind: program}))], case.title
    if (recorded := recorded_of(case)) is not None:
        assert changes == recorded, f"other paths change than were recorded: make golden CASE={case}"


def _misses(changes: Changes, plan: Plan, version: str) -> Iterator[str]:
    """Output paths that changed with an input path that their lineage does not name."""
    lineage, _ = lineage_of_plan(plan, version)
    claims = Claims(lineage, [str(r.source["roots"][0]).rpartition("/")[2] for r in lineage.reads])
    for (table, source), targets in changes.items():
        for target in sorted(targets):
            if not claims.covers(table, source, target):
                yield f"{table}.{'.'.join(source)} changes {'.'.join(target)}"
