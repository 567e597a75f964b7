"""RDDs that are saved as files: writes that no query of Spark SQL shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.shared import shared
from kit.spark_lines import EITHER_LINE, SparkLine

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def job(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    line: SparkLine = request.param
    folder: Path = tmp_path_factory.mktemp("rdd-writes")
    tweets = str(shared("data/tweets/tweets.ndjson"))
    done = run_job(line, folder, "rdd_writes.py", tweets, str(folder / "out"))
    assert done.code == 0, done.output
    for event in done.events:
        validate_event(event)
    return done


def writes(job: Job) -> dict[str, tuple[str, dict[str, Any]]]:
    """What was written, by its short name, with the state of its run."""
    ended = [event for event in job.events if event["eventType"] != "START" and event["outputs"]]
    return {
        dataset["name"].rpartition("/")[2]: (event["eventType"], dataset["facets"])
        for event in ended
        for dataset in event["outputs"]
    }


def lineage(facets: dict[str, Any]) -> set[tuple[str, str, str]]:
    """(written path, dataset read, path read) of each value that may flow."""
    return {
        (".".join(field["path"]), each["name"].rpartition("/")[2], ".".join(each["path"]))
        for field in facets["headwater_pathLineage"]["fields"]
        for each in field["inputFields"]
        if any(way["type"] == "DIRECT" for way in each["transformations"])
    }


def test_every_saved_rdd_is_a_run_with_its_output(job: Job) -> None:
    states = {name: state for name, (state, _) in writes(job).items()}
    complete = ("text", "pickle", "sequence", "new", "again", "constants")
    assert states == {**dict.fromkeys(complete, "COMPLETE"), "failed": "FAIL"}


def test_what_it_may_hold_is_all_that_the_rdd_reads(job: Job) -> None:
    written = writes(job)
    text = lineage(written["text"][1])
    assert {(target, source) for target, _, source in text} == {("value", "lang"), ("value", "id_str")}
    assert lineage(written["sequence"][1]) == {("", "text", "")}
    assert lineage(written["new"][1]) == {("value", "text", "")}
    assert lineage(written["again"][1]) == {("lang", "pickle", "")}


def test_it_is_opaque_and_incomplete(job: Job) -> None:
    for name in ("text", "pickle", "sequence", "new"):
        facet = writes(job)[name][1]["headwater_pathLineage"]
        assert not facet["complete"], name
        assert {each["reason"] for each in facet["opaque"]} == {"RDD"}, name
        assert [""] not in [path for gap in facet["incomplete"] for path in gap.get("paths", ())], name


def test_only_a_text_file_has_a_known_column(job: Job) -> None:
    fields = {name: facets.get("schema", {}).get("fields") for name, (_, facets) in writes(job).items()}
    assert [field["name"] for field in fields["text"]] == ["value"]
    assert fields["pickle"] is None
    assert fields["sequence"] is None
