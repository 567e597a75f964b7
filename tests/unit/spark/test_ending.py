"""How an application ended: as far as the driver knows, and exactly with ``headwater run``."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from headwater_spark.capture.application_end import ApplicationEnd
from headwater_spark.capture.frames import frame
from headwater_spark.runs.deferred_ends import DeferredEnds
from headwater_spark.runs.summary import read_summaries
from kit.events import validate_event
from kit.executions import APPLICATION_DOCUMENT

END = {"v": 1, "kind": "application-end", "time": 1_767_225_609_000, "dropped": 0}
SECRET = "s3cret"


def brain(folder: Path, end: Mapping[str, Any], **conf: str) -> None:
    """The agent's process over an application that does nothing."""
    settings = {
        **APPLICATION_DOCUMENT["conf"],
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(folder / "events.ndjson"),
        "spark.headwater.spool.dir": str(folder / "spool"),
        **{key.replace("__", "."): value for key, value in conf.items()},
    }
    documents = frame({**APPLICATION_DOCUMENT, "conf": settings}) + frame(dict(end))
    command = [sys.executable, "-m", "headwater_spark.brain"]
    done = subprocess.run(command, input=documents, capture_output=True, timeout=60, check=True)
    assert done.stderr == b""


def events(folder: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in (folder / "events.ndjson").read_text().splitlines()]
    for event in found:
        validate_event(event)
    return found


def outcome(event: dict[str, Any]) -> tuple[str, str]:
    return event["eventType"], event["run"]["facets"].get("errorMessage", {}).get("message", "")


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({}, ("COMPLETE", "")),
        ({"signal": "SIGTERM"}, ("ABORT", "the program was ended by SIGTERM")),
        ({"exitCode": 3}, ("FAIL", "the program ended with exit code 3")),
        ({"exitCode": 0}, ("COMPLETE", "")),
        ({"failed": True}, ("FAIL", "the program failed; its exit code is unknown")),
    ],
)
def test_the_last_event_has_the_state_that_the_driver_knows(
    tmp_path: Path, known: Mapping[str, Any], expected: tuple[str, str]
) -> None:
    brain(tmp_path, {**END, **known})
    start, end = events(tmp_path)
    assert (outcome(start), outcome(end)) == (("START", ""), expected)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (0, ("COMPLETE", "")),
        (3, ("FAIL", "the program ended with exit code 3")),
        (-15, ("ABORT", "the program was ended by SIGTERM")),
        (-99, ("ABORT", "the program was ended by signal 99")),
    ],
)
def test_the_command_that_runs_the_program_tells_its_end_and_nobody_else(
    tmp_path: Path, code: int, expected: tuple[str, str]
) -> None:
    marker = tmp_path / "running"
    marker.mkdir()
    ends = DeferredEnds(marker)
    brain(tmp_path, END, spark__headwater__marker=str(marker), spark__openlineage__transport__key=SECRET)
    assert len(events(tmp_path)) == 1

    ends.send(ApplicationEnd.from_exit_code(code))
    start, end = events(tmp_path)
    assert outcome(end) == expected
    assert (start["run"]["runId"], start["job"]["name"]) == (end["run"]["runId"], end["job"]["name"])
    assert end["eventTime"] == "2026-01-01T00:00:09.000Z"
    seen = read_summaries(marker)
    assert seen is not None
    assert seen.line() == "2 events, no datasets, no gaps"
    assert SECRET not in "".join(path.read_text() for path in marker.iterdir() if path.is_file())


def test_where_nobody_waits_for_the_program_the_agent_tells_the_end(tmp_path: Path) -> None:
    marker = tmp_path / "running"
    marker.mkdir()
    DeferredEnds(marker).send(ApplicationEnd())
    brain(tmp_path, {**END, "signal": "SIGTERM"}, spark__headwater__marker=str(marker))
    assert [event["eventType"] for event in events(tmp_path)] == ["START", "ABORT"]
