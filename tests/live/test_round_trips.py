"""Data that goes through the driver: what comes back lists what was collected, and what was collected is reported.

The truth is found by trying: the job runs on two inputs that differ in one collected column only. Each output that
differs must list that column.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.spark_lines import EITHER_LINE, SPARK_35, SparkLine

pytestmark = pytest.mark.spark

BY_VALUE = {
    *("local", "parallel", "strings", "literal", "looked_up", "text", "values", "parameter"),
    *("closure", "broadcast", "frame"),
}
"""Outputs in which a collected value stands,"""
SCRIPTED = {"looped", "scripted"}
"""those of SQL scripts among them (Spark 3.5 has none),"""
TRACED = {"variable"}
"""one that no action hands over, so that its lineage is known (Spark 3.5 has no variables),"""
DECIDED = {"filtered", "chosen"}
"""or on which it decides,"""
UNTOUCHED = {"before", "inferred", "plain"}
"""and others."""


def run(line: SparkLine, folder: Path, *numbers: str) -> Job:
    folder.mkdir()
    people = [{"id": n, "name": f"N{n}", "ssn": ssn} for n, ssn in enumerate(numbers)]
    (folder / "people.json").write_text("\n".join(map(json.dumps, people)), "utf-8")
    job = run_job(line, folder, "round_trips.py", str(folder / "people.json"), str(folder / "out"))
    assert job.code == 0, job.output
    for event in job.events:
        validate_event(event)
    return job


def outputs(job: Job) -> dict[str, str]:
    """What was written, by the output's name."""
    parts = sorted(job.folder.glob("out/*/part-*"))
    return {part.parent.name: part.read_text("utf-8") for part in parts}


def lineage(job: Job) -> dict[str, dict[str, Any]]:
    """The path lineage of each output, by its name."""
    ended = [event for event in job.events if event["eventType"] == "COMPLETE"]
    return {
        output["name"].rpartition("/")[2]: output["facets"]["headwater_pathLineage"]
        for event in ended
        for output in event["outputs"]
    }


def listed(reported: dict[str, Any]) -> dict[tuple[str, ...], set[str | None]]:
    """The input paths with their kinds of access, of fields and of the whole."""
    found: dict[tuple[str, ...], set[str | None]] = {}
    for each in [*(i for field in reported["fields"] for i in field["inputFields"]), *reported["dataset"]]:
        kinds = {way.get("access") for way in each["transformations"]}
        found.setdefault(tuple(each["path"]), set()).update(kinds)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_what_comes_back_from_the_driver_lists_what_was_collected(line: SparkLine, tmp_path: Path) -> None:
    one = run(line, tmp_path / "one", "111-11", "222-22")
    other = run(line, tmp_path / "other", "911-11", "922-22")
    before, after, reported = outputs(one), outputs(other), lineage(one)

    changed = {name for name in before if before[name] != after.get(name)}
    by_value = BY_VALUE | (changed & SCRIPTED)
    assert changed >= (by_value if line == SPARK_35 else by_value | SCRIPTED)
    assert changed <= by_value | DECIDED | TRACED
    assert {name for name in changed if ("ssn",) not in listed(reported[name])} == set()
    assert {name for name in changed - TRACED if "DRIVER" not in listed(reported[name])[("ssn",)]} == set()
    assert {name for name in by_value if reported[name]["complete"]} == set()
    reasons = {each["reason"] for name in by_value for each in reported[name]["incomplete"]}
    assert reasons <= {"DRIVER", "RDD", "PROGRAM"}  # rows may have the names that were found in the JSON, too
    traced = changed & TRACED
    assert {name for name in DECIDED | UNTOUCHED | traced if not reported[name]["complete"]} == set()
    assert {
        name for name in UNTOUCHED if any("DRIVER" in kinds for kinds in listed(reported[name]).values())
    } == set()
    check_what_was_handed_over(one)


def check_what_was_handed_over(job: Job) -> None:
    """Each different access once, and nothing of what only counts or prints."""
    ended = [event for event in job.events if event["eventType"] == "COMPLETE" and event["inputs"]]
    accesses = [event for event in ended if not event["outputs"]]
    assert not any(event["job"]["name"].split(".")[1] in ("count", "show", "is_empty") for event in accesses)
    handed = [
        tuple(
            sorted(
                ".".join(e["path"])
                for e in each["facets"]["headwater_access"]["paths"]
                if "DRIVER" in e["access"]
            )
        )
        for event in accesses
        for each in event["inputs"]
    ]
    assert {("id", "ssn"), ("ssn",), ("name",)} <= set(handed)
    assert len(accesses) < 12
