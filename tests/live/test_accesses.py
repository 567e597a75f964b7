"""Reads without a write: who read which nested paths, when accesses are asked for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from kit.events import validate_event
from kit.jobs import JOBS, Job, run_job
from kit.shared import shared
from kit.spark_lines import EITHER_LINE, SPARK_4, SparkLine

pytestmark = pytest.mark.spark

ASKED = {"spark.headwater.access.enabled": "true"}
ACCESSES = [
    ("collect", ["retweet_count FILTER", "text PROJECT", "user.id_str PROJECT"]),
    ("show", ["user.name PROJECT"]),
    ("count", ["lang FILTER"]),
    ("take", ["id_str PROJECT"]),
    ("collect", ["lang FILTER", "text PROJECT"]),
    ("collect", ["retweet_count CONDITION"]),
    ("to_pandas", ["lang PROJECT"]),
    ("to_pandas", ["lang PROJECT"]),
]
THROUGH_RDDS = [
    ("foreach", ["lang FILTER", "text FILTER"]),
    ("foreach_partition", ["text FILTER"]),
    ("collect", ["lang FILTER"]),
    ("count", ["lang FILTER", "text FILTER"]),
    ("count", [" FILTER"]),
    ("count", ["id_str FILTER"]),
]
"""An RDD tells which columns it reads of files, those by which it chooses files included, none of a text file, and not
what its code does with them."""


def run(line: SparkLine, folder: Path, conf: dict[str, str]) -> Job:
    tweets = str(shared("data/tweets/tweets.ndjson"))
    job = run_job(line, folder, "accesses.py", tweets, str(folder / "out"), conf=conf)
    assert job.code == 0, job.output
    for event in job.events:
        validate_event(event)
    return job


def accesses(job: Job) -> list[dict[str, Any]]:
    """The runs that read and did not write, by their last event."""
    ended = [event for event in job.events if event["eventType"] != "START"]
    return [event for event in ended if event["inputs"] and not event["outputs"]]


def touched(event: dict[str, Any]) -> list[str]:
    (dataset,) = event["inputs"]
    paths = dataset["facets"]["headwater_access"]["paths"]
    kinds = {".".join(each["path"]): [kind for kind in each["access"] if kind != "DRIVER"] for each in paths}
    return sorted(f"{path} {' '.join(access)}" for path, access in kinds.items())


def taken(event: dict[str, Any]) -> list[str]:
    """The paths that were handed to the program."""
    (dataset,) = event["inputs"]
    paths = dataset["facets"]["headwater_access"]["paths"]
    return sorted(".".join(each["path"]) for each in paths if "DRIVER" in each["access"])


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_each_action_is_one_run_that_says_what_was_read_and_by_whom(line: SparkLine, tmp_path: Path) -> None:
    job = run(line, tmp_path, ASKED)
    found = accesses(job)[: len(ACCESSES)]

    assert [(event["job"]["name"].split(".")[1], touched(event)) for event in found] == ACCESSES
    assert [event["eventType"] for event in found] == ["COMPLETE"] * 5 + ["FAIL", "COMPLETE", "COMPLETE"]
    names = {event["job"]["name"].split(".", 2)[2] for event in found}
    assert names == {"tweets_tweets_ndjson", *(f"tweets_tweets_ndjson.{number}" for number in (2, 3))}
    assert all(event["run"]["facets"]["spark_applicationDetails"]["userName"] for event in found)
    assert {event["job"]["facets"]["jobType"]["jobType"] for event in found} == {"QUERY"}
    assert found[0]["inputs"][0]["inputFacets"]["inputStatistics"]["rowCount"] > 0
    runs = [(event["run"]["runId"], event["eventType"]) for event in job.events]
    assert len(runs) == len(set(runs)) == 2 * (1 + 2 + len(ACCESSES) + len(THROUGH_RDDS))

    through = accesses(job)[len(ACCESSES) :]
    assert [(event["job"]["name"].split(".")[1], touched(event)) for event in through] == THROUGH_RDDS
    assert [event["eventType"] for event in through] == ["COMPLETE"] * 5 + ["FAIL"]
    assert {event["inputs"][0]["name"].rpartition("/")[2] for event in through} == {"texts", "tweets.ndjson"}
    assert "its inputs are known" in str(through[0]["run"]["facets"]["extractionError"])


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
@pytest.mark.slow
def test_a_job_says_its_sql_and_the_users_line_where_spark_notes_them(
    line: SparkLine, tmp_path: Path
) -> None:
    job = run(line, tmp_path, ASKED)
    collected = accesses(job)[4]["job"]["facets"]
    written = [event["job"]["facets"] for event in job.events if event["outputs"]]

    query = collected["sql"]["query"]
    assert re.fullmatch(r"SELECT text FROM tweets WHERE lang = '?token:[0-9a-f]+:[0-9a-f]+'?", query), query
    assert collected["sourceCodeLocation"]["url"].startswith((JOBS / "accesses.py").as_uri() + "#L")
    assert "sql" not in accesses(job)[0]["job"]["facets"]
    assert "sql" not in written[0]
    assert written[-1]["sql"]["query"].startswith("INSERT OVERWRITE DIRECTORY")
    assert "sourceCodeLocation" not in written[0], "PySpark notes no line for a write"


def test_without_being_asked_only_what_is_handed_over_is_reported_and_hidden_constants_are_nowhere(
    tmp_path: Path,
) -> None:
    job = run(SPARK_4, tmp_path, {"spark.headwater.literals": "hide"})

    handed = {(event["job"]["name"].split(".")[1], *taken(event)) for event in accesses(job)}
    assert handed == {
        ("collect", "text", "user.id_str"),
        ("take", "id_str"),
        ("collect", "text"),
        ("to_pandas", "lang"),
        ("foreach", "lang", "text"),
        ("foreach_partition", "text"),
        ("collect", "lang"),
        # Functions of Python count an RDD, which nobody has read: one in front of them may send on what it is given.
        ("count", "lang", "text"),
        ("count", ""),
        ("count", "id_str"),
    }
    assert "secret" not in str([event["job"]["facets"] for event in job.events])
    ended = [event for event in job.events if event["eventType"] == "COMPLETE" and event["outputs"]]
    (written,) = [event for event in ended if "sql" in event["job"]["facets"]]
    assert written["job"]["facets"]["sql"]["query"].endswith("SELECT text, <string> AS s FROM tweets")
    lineage = written["outputs"][0]["facets"]["headwater_pathLineage"]
    assert [each["how"] for each in lineage["generated"]] == ["<string>"]


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_an_rdd_is_named_by_what_the_program_asked_for(line: SparkLine, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    job = run_job(line, tmp_path, "single_files.py", str(files), conf=ASKED)
    assert job.code == 0, job.output
    names = [Path(dataset["name"]).name for event in accesses(job) for dataset in event["inputs"]]
    assert names == ["one.csv", "one.csv", "one.log", "one.json", "files", "files"]
