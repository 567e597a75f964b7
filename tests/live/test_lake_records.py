"""Which records of tables of Delta and Iceberg made a result, on the lines of Spark that have these formats."""

from __future__ import annotations

from typing import Any

import pytest

from kit.connectors import LAKES, of_tables
from kit.jobs import SETTINGS, found_by
from kit.spark_lines import installed

pytestmark = [pytest.mark.spark, pytest.mark.slow]
MODES = ("demand", "ends", "full")


@pytest.fixture(scope="module", params=LAKES)
def lake(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Any]:
    """The kind of table, and what the job found."""
    line, kind = request.param
    installed(line)
    folder = tmp_path_factory.mktemp(kind)
    conf = {**SETTINGS, **of_tables(line, kind, folder)}
    return kind, found_by(line, "lake_records.py", kind, str(folder), conf=conf)


def wrong(claims: list[Any]) -> list[Any]:
    """The claims of which the records that are named have other tokens than the row that was asked about."""
    assert claims
    return [claim for claim in claims if claim[0] != claim[1]]


@pytest.mark.parametrize("query", ["filter", "join", "group"])
def test_records_are_named_by_their_place_in_the_files_of_the_table(lake: Any, query: str) -> None:
    assert wrong(lake[1]["asked"][query]) == []


@pytest.mark.parametrize("query", ["version", "two versions"])
def test_a_version_that_is_named_has_its_own_records(lake: Any, query: str) -> None:
    rows, claims = lake[1]["asked"][query]
    assert rows >= len(claims)
    assert wrong(claims) == []


def test_a_part_of_a_table_has_its_records(lake: Any) -> None:
    kind, found = lake
    if kind != "delta":
        pytest.skip("Delta alone is read by a part of its path")
    assert wrong(found["asked"]["part"]) == []


def test_a_replay_reads_these_records_alone(lake: Any) -> None:
    assert lake[1]["asked"]["left"] == lake[1]["asked"]["wanted"] != []


def test_every_mode_keeps_the_version_that_was_read(lake: Any) -> None:
    assert lake[1]["captured"]["runs"] == [[mode, "", 1] for mode in MODES for _ in range(2)]


@pytest.mark.parametrize("mode", MODES)
def test_what_was_written_is_asked_over_the_version_that_was_read(lake: Any, mode: str) -> None:
    found = lake[1]["captured"][mode]
    assert wrong(found["named"] + found["newest"] + found["later"]) == []
    assert found["replayed"]
    assert found["forward"] == 1


def test_a_frame_is_asked_about_what_it_reads_now(lake: Any) -> None:
    assert wrong(lake[1]["captured"]["frame"]) == []


@pytest.mark.parametrize("mode", MODES)
def test_a_version_that_is_gone_is_refused_where_it_is_needed(lake: Any, mode: str) -> None:
    found = lake[1]["captured"][mode]
    assert found["replay"].startswith("ChangedInputError") and found["replay"].endswith("is gone")
    assert found["cleaned"] == (found["replay"] if mode == "demand" else "")


def test_changes_of_tables_are_traced(lake: Any) -> None:
    assert lake[1]["captured"]["tables"] == [["", ""]] * 5
