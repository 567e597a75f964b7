"""Overwrites are reported as of the whole dataset or of a part of it, as the data that are left show."""

from __future__ import annotations

import json

import pytest

from kit.completed_writes import written
from kit.connectors import jars
from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark

H2 = "jdbc:h2:mem:extents;DB_CLOSE_DELAY=-1"
EXTENTS = {
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
    # It is written once: what comes to it afterwards is spared.
    "existing": "WHOLE",
    "hive_flat": "WHOLE",
    "hive_part": "PART",
    "hive_parts": "PART",
    "loaded": "WHOLE",
    "loaded_part": "PART",
    "DROPPED": "WHOLE",
    "EMPTIED": "WHOLE",
}


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
    extent = written(overwritten, name).facets.get("headwater_extent", {}).get("replaced")

    assert extent == EXTENTS[name]
    assert left[name] is (extent != "WHOLE")
