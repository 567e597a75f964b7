"""Which records made the rows of a table after UPDATE, MERGE, DELETE and INSERT, judged by the tokens in its files."""

from __future__ import annotations

from typing import Any

import pytest

from kit.connectors import DELTA, jars
from kit.jobs import SETTINGS, found_by
from kit.spark_lines import SPARK_35, installed

pytestmark = [pytest.mark.spark, pytest.mark.slow]
MODES = ("demand", "ends", "full")
CHANGES = ("update", "merge", "delete", "insert", "merge by source")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the job found, by mode."""
    folder = tmp_path_factory.mktemp("changed")
    conf = {
        **SETTINGS,
        **DELTA,
        "spark.jars": jars(installed(SPARK_35), "delta"),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    return found_by(SPARK_35, "changed_tables.py", str(folder), conf=conf, timeout=3600)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("change", CHANGES)
def test_rows_are_made_of_the_former_version_and_of_the_source(found: Any, mode: str, change: str) -> None:
    of_change = found[mode][change]
    assert of_change["runs"] == [""]
    assert len(of_change["claims"]) == 3
    assert [claim for claim in of_change["claims"] if claim[0] != claim[1]] == []
    assert of_change["again"]


@pytest.mark.parametrize("mode", MODES)
def test_a_command_that_changes_nothing_is_no_run(found: Any, mode: str) -> None:
    runs, items = found[mode]["nothing"]
    assert runs == 0
    assert items > 0


@pytest.mark.parametrize("mode", MODES)
def test_a_version_that_was_not_captured_is_refused(found: Any, mode: str) -> None:
    assert "was written by no run that was captured" in found[mode]["not captured"]


@pytest.mark.parametrize("mode", MODES[1:])
def test_kept_ids_answer_in_a_later_session(found: Any, mode: str) -> None:
    assert found[mode]["later"]
