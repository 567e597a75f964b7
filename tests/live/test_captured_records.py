"""Questions about what was written while it was captured, on both lines of Spark."""

from __future__ import annotations

from typing import Any

import pytest

from kit.jobs import found_by
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark
JOB = "captured_records.py"


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the program that writes found, and then another one."""
    folder = str(tmp_path_factory.mktemp("captured"))
    write, again = (found_by(request.param, JOB, folder, each) for each in ("write", "again"))
    return write | again


def test_a_written_output_is_asked_as_the_frame_that_was_written(found: Any) -> None:
    answers = found["demand"]["answers"]
    assert {name: of_output for name, (of_output, _) in answers.items()} == {
        name: of_frame for name, (_, of_frame) in answers.items()
    }
    assert [len(of_output) for of_output, _ in answers.values()] == [9 + 20 + 2, 0, 6, 2]


def test_every_write_of_files_is_a_run(found: Any) -> None:
    formats = ["parquet", "json", "parquet", "parquet", "parquet", "parquet"]
    assert found["demand"]["runs"] == [["demand", each, ""] for each in formats]


def test_a_write_that_ended_before_the_capture_began_is_none_of_its_runs(found: Any) -> None:
    assert found["before"] == ["inside"]


def test_patterns_tables_and_the_other_direction(found: Any) -> None:
    ((_, _, _, contributing, influencing),) = found["demand"]["pattern"]
    assert (contributing, influencing) == (["amount", "id"], [])
    assert found["demand"]["table"] == [1, 1, 2, 3]
    assert "A!" in found["demand"]["forward"]


def test_another_program_that_makes_the_same_frame_gives_the_same_answer(found: Any) -> None:
    assert found["again"] == found["demand"]["answers"]["totals"][0]
    assert found["demand"]["another"].startswith("NotCapturedError: the program makes another plan")
    assert "program=" in found["demand"]["no program"]


def test_what_was_not_captured_is_refused_with_the_file(found: Any) -> None:
    assert "was written by no run that was captured" in found["demand"]["not captured"]
    assert found["demand"]["mode"].startswith("ValueError: no mode 'none'; there are demand")


def test_an_operator_without_a_rule_costs_the_records_and_not_the_job(found: Any) -> None:
    refused = found["refused"]
    assert refused["rows"] == [4, 2]
    assert refused["operator"] == "MapInPandas"
    assert "UntraceableError: records cannot be traced through MapInPandas" in refused["question"]
    assert refused["warnings"] == ["RecordsWarning"]


def test_a_job_that_fails_fails_as_it_would_and_nothing_stays_behind(found: Any) -> None:
    assert found["refused"]["failed"] == "ValueError: the job's own"
    assert found["refused"]["writer"] == [False, 1]


def test_an_input_that_changed_is_refused_with_its_file(found: Any) -> None:
    changed = found["changed"]
    assert changed["before"] == changed["after"] == ""
    assert changed["new"].startswith("ChangedInputError") and changed["new"].endswith("is new")
    assert changed["frame"] == "", "a file that the frame does not read is no change of it"
    for question in ("why", "forward", "why not", "replay", "written"):
        assert changed[question].startswith("ChangedInputError"), question
        assert changed[question].endswith("was changed")


def test_an_output_that_has_other_files_is_refused(found: Any) -> None:
    assert "was written by no run that was captured" in found["changed"]["output"]
