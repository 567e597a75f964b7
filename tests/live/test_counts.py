"""What is reported to have been read of each input, held against what there was to read."""

from __future__ import annotations

from typing import Any

import pytest

from kit.completed_writes import written
from kit.connectors import jars
from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark

CATALOG = "spark.sql.catalog.h2"
CONF = {
    "spark.headwater.access.enabled": "true",
    CATALOG: "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
    f"{CATALOG}.url": "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1",
    f"{CATALOG}.driver": "org.h2.Driver",
}


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def counts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    line, folder = request.param, tmp_path_factory.mktemp("counts")
    job = run_job(
        line, folder, "counts.py", str(folder / "out"), conf={**CONF, "spark.jars": jars(line, "h2")}
    )
    assert job.code == 0, job.output
    for event in job.events:
        validate_event(event)
    return job


def read(job: Job, name: str) -> dict[str, Any]:
    """The rows counted of each input of a write; None where nothing is claimed."""
    inputs = written(job, name).inputs
    return {short.lower(): _rows(each) for short, each in inputs.items()}


def _rows(dataset: Any) -> Any:
    return dataset.get("inputFacets", {}).get("inputStatistics", {}).get("rowCount")


def test_a_scan_below_a_cache_is_counted_by_the_execution_that_filled_it(counts: Job) -> None:
    assert read(counts, "filling") == {"ten": 10}
    assert read(counts, "full") == {"ten": None}
    assert read(counts, "cache_over_cache") == {"ten": None, "six": 6}
    assert read(counts, "uncached") == {"ten": 10}


def test_files_and_bytes_below_a_cache_are_those_that_were_opened_to_fill_it(counts: Job) -> None:
    filling, plain = (
        written(counts, name).inputs["ten"]["inputFacets"]["inputStatistics"]
        for name in ("filling", "uncached")
    )
    assert filling == plain
    assert filling["fileCount"] == 2


def test_of_a_cache_that_was_full_in_part_the_rest_is_counted(counts: Job) -> None:
    (took,) = (e for e in counts.events if e["eventType"] == "COMPLETE" and ".take." in e["job"]["name"])
    first, rest = _rows(took["inputs"][0]), read(counts, "the_rest")["six"]

    assert 0 < first < 6
    assert first + rest == 6


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_scans_in_subqueries_count_and_one_that_is_used_again_counts_once(counts: Job, adaptive: str) -> None:
    assert read(counts, f"{adaptive}_subquery") == {"ten": 20}
    assert read(counts, f"{adaptive}_join") == {"ten": 20}


def test_a_scan_of_several_places_is_counted_for_none_of_them(counts: Job) -> None:
    assert read(counts, "of_both") == {"ten": None, "six": None}


def test_rows_that_a_database_sent_are_counted_and_what_it_made_of_them_is_not(counts: Job) -> None:
    assert read(counts, "of_table") == {"people": 10}
    # The program took a row of "six" before, and may have made the constant of the filter from it.
    assert read(counts, "filtered_there") == {"people": 3, "six": None}
    assert read(counts, "of_cached_table") == {"people": 10}
    assert list(read(counts, "of_catalog").values()) == [10]
    assert list(read(counts, "counted_there").values()) == [None]
    assert read(counts, "of_query") == {"people": None}
