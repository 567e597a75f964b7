"""Which records made the rows of a table of Delta where changes are easily misread, judged by the tokens in files."""

from __future__ import annotations

from typing import Any

import pytest

from kit.connectors import DELTA, jars
from kit.jobs import SETTINGS, found_by
from kit.spark_lines import SPARK_35, SPARK_41, installed

pytestmark = [pytest.mark.spark, pytest.mark.slow]
MODES = ("demand", "ends", "full")
CHANGES = (
    "several delete", "several and by source", "only by source", "generated", "inserted and generated",
    "appended and generated", "new columns",
)  # fmt: skip


@pytest.fixture(
    scope="module",
    params=[(line, mode) for line in (SPARK_35, SPARK_41) for mode in MODES],
    ids=lambda each: f"{each[0]}-{each[1]}",
)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the job found."""
    line, mode = request.param
    folder = tmp_path_factory.mktemp("merged")
    conf = {
        **SETTINGS,
        **DELTA,
        "spark.jars": jars(installed(line), "delta"),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    return found_by(line, "merged_tables.py", str(folder), mode, conf=conf, timeout=900)


@pytest.mark.parametrize("change", CHANGES)
def test_rows_are_made_of_the_records_that_have_their_tokens(found: Any, change: str) -> None:
    runs, claims = found["changed"][change]
    assert runs == [""]
    assert len(claims) == 3
    assert [claim for claim in claims if claim[0] != claim[1]] == []


def test_a_merge_that_finds_nothing_or_fails_is_no_run(found: Any) -> None:
    assert found["idle"] == {"refused": [], "claims": [], "failed": True, "runs": 0}


def test_a_table_that_was_made_anew_is_another_one(found: Any) -> None:
    anew = found["anew"]
    assert anew["before"] == [10, 10]
    assert anew["output"].endswith("was written by no run that was captured")
    assert anew["input"].startswith("ChangedInputError") and anew["input"].endswith("was made anew")


def test_a_merge_that_changes_a_type_is_refused_by_name(found: Any) -> None:
    ((operator, refused),) = found["deep"]
    assert operator == "MergeIntoCommand"
    assert refused.endswith("it changes the type of the column deep")


def test_a_warning_names_the_table_and_what_to_do(found: Any) -> None:
    places = ["default.a:", "warehouse/b:", "c:", "default.c:"]
    assert len(found["warned"]) == len(places)
    for place, warning in zip(places, found["warned"], strict=True):
        assert place in warning
        assert "UntraceableError" in warning
        assert warning.endswith("can be asked about")
