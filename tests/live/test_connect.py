"""Spark Connect: the agent watches the server, and tells of its clients as themselves."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kit.connect import connect_server
from kit.events import validate_event
from kit.eye import surroundings
from kit.jobs import JOBS
from kit.shared import shared
from kit.spark_lines import SPARK_4, SPARK_35, SparkLine

pytestmark = pytest.mark.spark

BOTH = [
    pytest.param(SPARK_35, marks=pytest.mark.slow, id=str(SPARK_35)),
    pytest.param(SPARK_4, id=str(SPARK_4)),
]


def run_client(line: SparkLine, server: str, out: Path) -> subprocess.CompletedProcess[str]:
    tweets = str(shared("data/tweets/tweets.ndjson"))
    return subprocess.run(
        [str(line.python), str(JOBS / "connect_client.py"), server, tweets, str(out)],
        env=surroundings(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def runs_of(events: list[dict[str, Any]], application: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for event in events:
        if event["job"]["name"].startswith(f"{application}."):
            found.setdefault(event["job"]["name"], []).append(event["eventType"])
    return found


@pytest.mark.parametrize("line", BOTH)
def test_what_a_client_does_is_reported_under_its_own_name_and_user(line: SparkLine, tmp_path: Path) -> None:
    conf = {"spark.headwater.access.enabled": "true"}
    with connect_server(line, tmp_path, **conf) as server:
        done = run_client(line, server, tmp_path / "out")
        assert done.returncode == 0, done.stdout + done.stderr

    events = [json.loads(text) for text in (tmp_path / "events.ndjson").read_text("utf-8").splitlines()]
    for event in events:
        validate_event(event)
    assert runs_of(events, "client_job") == {
        f"client_job.execute_insert_into_hadoop_fs_relation_command.{tmp_path.name}_out": [
            "START",
            "COMPLETE",
        ],
        "client_job.read.tweets_tweets_ndjson": ["START", "COMPLETE"],
    }
    written = next(event for event in events if event["outputs"] and event["eventType"] == "COMPLETE")
    assert written["run"]["facets"]["spark_applicationDetails"]["userName"] == "ada"
    (field,) = written["outputs"][0]["facets"]["headwater_pathLineage"]["fields"]
    assert (field["path"], field["inputFields"][0]["path"]) == (["who"], ["user", "name"])
    parent = written["run"]["facets"]["parent"]
    assert parent["run"]["runId"] == events[0]["run"]["runId"]


def test_a_frame_that_goes_on_in_pandas_is_a_source_whose_place_nobody_knows(tmp_path: Path) -> None:
    to_file = {
        "OPENLINEAGE__TRANSPORT__TYPE": "file",
        "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH": str(tmp_path / "pandas.ndjson"),
        "OPENLINEAGE__TRANSPORT__APPEND": "true",
    }
    with connect_server(SPARK_4, tmp_path) as server:
        done = subprocess.run(
            [str(SPARK_4.python), str(JOBS / "connect_frames.py"), server, str(tmp_path)],
            env=surroundings(to_file),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert (found["same"], found["known"]) == (True, [["toPandas", 2]])
    assert "Spark Connect" in found["refused"]
    last = json.loads((tmp_path / "pandas.ndjson").read_text("utf-8").splitlines()[-1])
    validate_event(last)
    facet = last["outputs"][0]["facets"]["headwater_pathLineage"]
    assert [each["reason"] for each in facet["incomplete"]] == ["UNKNOWN_SOURCE"]
    assert (facet["fields"], facet["generated"], facet["complete"]) == ([], [], False)
