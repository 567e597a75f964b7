"""Which records made the rows of a table after UPDATE, MERGE, DELETE and INSERT, judged by the tokens in its files."""

from __future__ import annotations

from typing import Any

import pytest

from kit.connectors import DELTA, jars
from kit.jobs import SETTINGS, found_by
from kit.spark_lines import SPARK_35, SPARK_41, installed

pytestmark = [pytest.mark.spark, pytest.mark.slow]
MODES = ("demand", "ends", "full")
CHANGES = ("update", "merge", "delete", "insert", "merge by source")


@pytest.fixture(
    scope="module", params=[(line, mode) for line in (SPARK_35, SPARK_41) for mode in MODES], ids=str
)
def of_mode(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Any]:
    """A mode, and what the job found in it."""
    line, mode = request.param
    folder = tmp_path_factory.mktemp("changed")
    conf = {
        **SETTINGS,
        **DELTA,
        "spark.jars": jars(installed(line), "delta"),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    return mode, found_by(line, "changed_tables.py", str(folder), mode, conf=conf, timeout=900)


@pytest.mark.parametrize("change", CHANGES)
def test_rows_are_made_of_the_former_version_and_of_the_source(of_mode: Any, change: str) -> None:
    found = of_mode[1][change]
    assert found["runs"] == [""]
    assert len(found["claims"]) == 3
    assert [claim for claim in found["claims"] if claim[0] != claim[1]] == []
    assert found["again"]


def test_a_command_that_changes_nothing_is_no_run(of_mode: Any) -> None:
    assert of_mode[1]["nothing"] == [0, True]


def test_a_version_that_was_not_captured_is_refused(of_mode: Any) -> None:
    assert "was written by no run that was captured" in of_mode[1]["not captured"]


def test_kept_ids_answer_in_a_later_session(of_mode: Any) -> None:
    mode, found = of_mode
    assert found.get("later", mode == "demand")


def test_rows_that_were_all_deleted_are_made_of_nothing(of_mode: Any) -> None:
    assert of_mode[1]["all"] == [[""], []]


def test_what_is_not_followed_is_refused_by_name(of_mode: Any) -> None:
    operators, _ = of_mode[1]["others"]
    assert operators[:3] == ["SaveIntoDataSourceCommand", "OverwriteByExpression", ""]


def test_rows_that_are_appended_with_new_columns_are_traced(of_mode: Any) -> None:
    operators, claim = of_mode[1]["others"]
    assert operators[3:] == [""]
    assert claim[0] == claim[1] != []
