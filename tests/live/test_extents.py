"""Overwrites are reported as of the whole dataset or of a part of it, as the data that are left show."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kit.completed_writes import written
from kit.connectors import jars
from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark

H2 = "jdbc:h2:mem:extents;DB_CLOSE_DELAY=-1"
EXTENTS = {
    "copied": "NONE",
    "inserted": "NONE",
    "saved_there": "NONE",
    "beside": "PART",
    "over_all": "WHOLE",
    "by_day": "WHOLE",
    "one_day": "PART",
    "session": "PART",
    "option": "PART",
    "option_static": "WHOLE",
    "flat": "WHOLE",
    "directory": "WHOLE",
    "static_part": "PART",
    "all_of_it": "WHOLE",
    "dynamic_parts": "PART",
    "saved": "WHOLE",
    "appended": None,
    "hive_flat": "WHOLE",
    "hive_part": "PART",
    "hive_parts": "PART",
    "loaded": "WHOLE",
    "loaded_part": "PART",
    "DROPPED": "WHOLE",
    "EMPTIED": "WHOLE",
}
FOUND = ("copied", "inserted", "saved_there", "beside")


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def overwritten(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    folder = tmp_path_factory.mktemp("extents")
    conf = {"spark.jars": jars(request.param, "h2"), "spark.sql.shuffle.partitions": "1"}
    job = run_job(request.param, folder, "extents.py", str(folder / "data"), H2, conf=conf)
    assert job.code == 0, job.output
    for event in job.events:
        validate_event(event)
    return job


@pytest.mark.parametrize("name", EXTENTS)
def test_an_overwrite_says_how_much_it_replaced(overwritten: Job, name: str) -> None:
    left = json.loads((overwritten.folder / "data" / "left.json").read_text("utf-8"))
    facet = written(overwritten, name).facets.get("headwater_extent", {})
    extent = facet.get("replaced")

    assert extent == EXTENTS[name]
    assert facet.get("found", False) is (name in FOUND)
    assert left[name] is (extent != "WHOLE")


def test_a_write_that_spares_what_exists_is_no_run(overwritten: Job) -> None:
    left = json.loads((overwritten.folder / "data" / "left.json").read_text("utf-8"))
    read = {
        each["name"].rpartition("/")[2] for event in into(overwritten, "existing") for each in event["inputs"]
    }

    assert left["existing"]
    assert "second" not in read


def into(job: Job, name: str) -> list[dict[str, Any]]:
    """The events of runs that write that dataset; there is one at least."""
    found = [e for e in job.events if any(each["name"].endswith(name) for each in e.get("outputs", []))]
    assert found
    return found
