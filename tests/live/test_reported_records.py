"""A run that was captured says where its records are: of each write in the run that wrote it, and no value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.shared import ROOT
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def reported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    folder = tmp_path_factory.mktemp("reported")
    environment = {"PYTHONPATH": str(ROOT / "integration")}
    job = run_job(request.param, folder, "reported_records.py", str(folder / "out"), environment=environment)
    assert job.code == 0, job.output
    for event in job.events:
        validate_event(event)
    return job


def facets(job: Job) -> dict[str, dict[str, Any]]:
    """By the last part of the output's name what its run says of its records."""
    names = {
        event["run"]["runId"]: event["outputs"][0]["name"].rpartition("/")[2]
        for event in job.events
        if event["eventType"] == "COMPLETE" and event.get("outputs")
    }
    found: dict[str, dict[str, Any]] = {}
    for event in job.events:
        facet = event["run"]["facets"].get("headwater_records")
        if facet is not None:
            assert event["eventType"] == "OTHER" and names[event["run"]["runId"]] not in found
            found[names[event["run"]["runId"]]] = facet
    return found


def test_each_captured_write_says_where_its_records_are(reported: Job) -> None:
    found = facets(reported)
    assert sorted(found) == ["demand", "ends", "full", "opaque", "tabled"]
    for name, facet in found.items():
        folder = facet["folder"].removeprefix("file:")
        described = json.loads((Path(folder) / facet["entry"] / "run.json").read_text())
        assert described["mode"] == facet["mode"]
        assert described["output"]["root"].endswith(name)


def test_it_counts_what_was_kept(reported: Job) -> None:
    found = facets(reported)
    assert [found["demand"].get(name) for name in ("rows", "carried", "operators")] == [None] * 3
    assert [found[mode]["rows"] for mode in ("ends", "full", "tabled")] == [10, 10, 16]
    filtered = [each for each in found["full"]["operators"] if each["type"] == "filter"]
    assert [each["rows"] for each in filtered] == [10]
    assert all("rows" not in each for each in found["ends"]["operators"])


def test_a_refusal_names_the_operator(reported: Job) -> None:
    opaque = facets(reported)["opaque"]
    assert (opaque["refused"], opaque["operator"]) == ("untraceable", "MapInPandas")
    assert "rows" not in opaque


def test_no_value_is_reported(reported: Job) -> None:
    assert not any("token-7141" in json.dumps(facet) for facet in facets(reported).values())
