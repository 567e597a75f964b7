"""Which line of the user's program a run comes from, where the driver's Python was asked to note it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from kit.events import validate_event
from kit.jobs import JOBS, Job, run_job
from kit.spark_lines import EITHER_LINE, SPARK_4, SparkLine

pytestmark = pytest.mark.spark

SCRIPT = JOBS / "call_sites.py"
WRITTEN = ("parquet", "saved", "made", "second", "ctas", "directory", "chained", "by_function", "described")
STREAMED = ("streamed", "to_table", "in_batch", "inner")
ACTIONS = ("count", "show", "collect", "to_pandas")


def expected(name: str) -> set[str]:
    """The places of the lines that say so in the job's text."""
    lines = enumerate(SCRIPT.read_text("utf-8").splitlines(), 1)
    return {f"{SCRIPT.as_uri()}#L{number}" for number, text in lines if text.endswith(f"# LINE {name}")}


def run(line: SparkLine, folder: Path, **environment: str) -> Job:
    conf = {"spark.headwater.access.enabled": "true"}
    job = run_job(line, folder, SCRIPT.name, str(folder / "out"), conf=conf, environment=environment)
    assert job.code == 0, job.output
    return job


def lines_of(job: Job) -> dict[str, set[str | None]]:
    """The lines that are reported for each dataset that was written and of each action, also while a query goes on."""
    found: dict[str, set[str | None]] = {}
    for event in job.events:
        validate_event(event)
        if event["eventType"] != "START" and event["inputs"] + event["outputs"]:
            name = _name(event)
            found.setdefault(name, set()).add(event["job"]["facets"].get("sourceCodeLocation", {}).get("url"))
    return found


def _name(event: dict[str, Any]) -> str:
    outputs = event["outputs"]
    name = outputs[0]["name"].rpartition("/")[2] if outputs else event["job"]["name"].split(".")[1]
    return re.sub(r"^thread.*", "thread", name)


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_each_write_says_the_line_that_made_it(line: SparkLine, tmp_path: Path) -> None:
    job = run(line, tmp_path)
    lines = lines_of(job)

    for name in (*WRITTEN, "thread", "last", "failed", *STREAMED, *ACTIONS):
        assert lines[name] == expected(name), name
    assert lines["before"] == {None}
    assert lines["own_words"] == {"file:///elsewhere/own.py#L7"}
    assert re.search(r"^caught \w+ in failing$", job.output, re.MULTILINE)


@pytest.mark.slow
def test_without_pinned_threads_nothing_is_reported_rather_than_something_wrong(tmp_path: Path) -> None:
    lines = lines_of(run(SPARK_4, tmp_path, PYSPARK_PIN_THREAD="false"))

    assert lines["collect"] == expected("collect")
    assert {line for name in (*WRITTEN, *STREAMED, "thread", "count", "show") for line in lines[name]} == {
        None
    }
