"""SQL scripts: what their conditions and loops read decides about what their statements write."""

from __future__ import annotations

import pytest

from kit.completed_writes import Write, written
from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.spark_lines import SPARK_4, SPARK_41, SparkLine

pytestmark = pytest.mark.spark

DECIDED = ("if", "case", "value", "while", "for", "left", "variable", "chosen", "immediate")
NOT_DECIDED = ("before", "after")
"""A statement before all queries of its script, and one after all scripts."""
REASON = "people.json:reason"


@pytest.fixture(scope="module", params=[SPARK_4, pytest.param(SPARK_41, marks=pytest.mark.slow)], ids=str)
def job(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    line: SparkLine = request.param
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "people.json").write_text('{"id": 1, "reason": "flu"}\n{"id": 2, "reason": "flu"}', "utf-8")
    (folder / "others.json").write_text('{"z": "a"}', "utf-8")
    done = run_job(line, folder, "scripts.py", str(folder))
    assert done.code == 0, done.output
    for event in done.events:
        validate_event(event)
    return done


def sources(write: Write) -> set[str]:
    """The paths that the output comes from, or that decide about it."""
    return {line.split(" <- ")[-1].rpartition(" ")[0] for line in (*write.direct, *write.influences)}


@pytest.mark.parametrize("name", DECIDED)
def test_what_a_script_asks_decides_about_its_statements(job: Job, name: str) -> None:
    found = written(job, name)
    assert "z <- others.json:z IDENTITY" in found.direct
    assert f"{REASON} FILTER" in found.influences
    assert found.complete or name == "chosen"  # a constant, after the condition was collected


@pytest.mark.parametrize("name", NOT_DECIDED)
def test_what_is_outside_of_a_condition_is_not_decided(job: Job, name: str) -> None:
    assert sources(written(job, name)) == {"others.json:z"}


def test_the_end_of_a_loop_decides_about_its_next_round(job: Job) -> None:
    assert f"{REASON} FILTER" in written(job, "repeat").influences


def test_a_default_takes_what_another_variable_holds(job: Job) -> None:
    assert "w <- people.json:reason AGGREGATION" in written(job, "default").direct


def test_a_variable_may_stand_in_a_text_that_is_executed(job: Job) -> None:
    found = written(job, "used")
    assert "w <- people.json:reason CONDITIONAL" in found.direct
    assert not found.complete
