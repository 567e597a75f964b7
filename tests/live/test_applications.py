"""The ways in which people run Spark: submitted, as SQL, with threads and sessions, and for a long time."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from kit.class_archive import in_front
from kit.events import validate_event
from kit.eye import surroundings, wait_for
from kit.faults import agent, run
from kit.jobs import JOBS, SETTINGS, run_job
from kit.spark_lines import EITHER_LINE, SPARK_4, SparkLine, short_lived, spark_home

pytestmark = pytest.mark.spark


def events_in(folder: Path) -> list[dict[str, Any]]:
    file = folder / "events.ndjson"
    events = [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
    for event in events:
        validate_event(event)
    return events


def completed(events: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The completed writes, by the last step of what they wrote."""
    return {
        event["outputs"][0]["name"].rpartition("/")[2]: event
        for event in events
        if event["eventType"] == "COMPLETE" and event["outputs"]
    }


def assert_each_run_starts_and_ends_once(events: list[dict[str, Any]]) -> None:
    runs: dict[str, list[str]] = {}
    for event in events:
        runs.setdefault(event["run"]["runId"], []).append(event["eventType"])
    assert set(map(tuple, runs.values())) == {("START", "COMPLETE")}


def program(line: SparkLine, folder: Path, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A program of the line's Spark, with the agent switched on by a properties file alone."""
    home = spark_home(line)
    conf = in_front(line.home, {**SETTINGS, **agent()})
    conf["spark.openlineage.transport.location"] = str(folder / "events.ndjson")
    properties = folder / "agent.conf"
    properties.write_text("\n".join(f"{key} {value}" for key, value in conf.items()), "utf-8")
    return subprocess.run(
        [f"{home}/bin/{name}", "--properties-file", str(properties), *arguments],
        cwd=folder,
        env=surroundings(
            {
                **short_lived(line),
                "SPARK_HOME": home,
                "PYSPARK_PYTHON": str(line.python),
                "XDG_CACHE_HOME": str(folder / "cache"),
            }
        ),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_threads_and_sessions_that_write_at_once_are_runs_that_do_not_mix(
    line: SparkLine, tmp_path: Path
) -> None:
    job = run_job(line, tmp_path, "threads.py", str(tmp_path / "out"))
    assert job.code == 0, job.output

    events = events_in(tmp_path)
    assert_each_run_starts_and_ends_once(events)
    writes = completed(events)
    assert set(writes) == {"numbers", "counted", *(f"t{i}" for i in range(6))}
    for i in range(6):
        (field,) = writes[f"t{i}"]["outputs"][0]["facets"]["headwater_pathLineage"]["fields"]
        assert (field["path"], field["inputFields"][0]["path"]) == ([f"t{i}"], ["id"])
        assert writes[f"t{i}"]["job"]["facets"]["sql"]["query"].startswith(f"SELECT id AS t{i} ")
    (application,) = {event["run"]["facets"]["parent"]["run"]["runId"] for event in writes.values()}
    assert application == events[0]["run"]["runId"]


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_a_submitted_script_is_watched(line: SparkLine, tmp_path: Path) -> None:
    done = program(line, tmp_path, "spark-submit", str(JOBS / "threads.py"), str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr

    events = events_in(tmp_path)
    assert_each_run_starts_and_ends_once(events)
    assert len(completed(events)) == 8
    application = [event["run"]["facets"] for event in (events[0], events[-1])]
    assert {facets["spark_applicationDetails"]["deployMode"] for facets in application} == {"client"}


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
@pytest.mark.slow
def test_statements_of_the_sql_shell_are_runs_with_their_text(line: SparkLine, tmp_path: Path) -> None:
    statement = "CREATE TABLE two USING parquet AS SELECT id AS a FROM one WHERE id > 0"
    text = f"CREATE TABLE one USING parquet AS SELECT id FROM range(3); {statement}; SELECT * FROM two;"
    done = program(line, tmp_path, "spark-sql", "-e", text)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1", "2"]

    events = events_in(tmp_path)
    assert_each_run_starts_and_ends_once(events)
    two = completed(events)["two"]
    assert two["job"]["facets"]["sql"]["query"] == statement
    assert two["inputs"][0]["facets"]["catalog"]["name"] == "spark_catalog"
    (field,) = two["outputs"][0]["facets"]["headwater_pathLineage"]["fields"]
    assert field["inputFields"][0]["path"] == ["id"]


@pytest.mark.slow
def test_a_session_that_lives_on_tells_what_it_did_while_it_lives(tmp_path: Path) -> None:
    go_on = tmp_path / "go-on"
    ended: list[Any] = []
    arguments = (SPARK_4, tmp_path, "lives_on.py", str(tmp_path / "out"), str(go_on))
    session = threading.Thread(target=lambda: ended.append(run_job(*arguments)))
    session.start()
    try:
        wait_for(lambda: "first" in completed(events_in(tmp_path)), 60)
        assert session.is_alive()
    finally:
        go_on.touch()
        session.join()
    assert ended[0].code == 0, ended[0].output
    assert set(completed(events_in(tmp_path))) == {"first", "second"}
    assert_each_run_starts_and_ends_once(events_in(tmp_path))


REFUSED = """
import time
statements = ("SELECT nope FROM range(3)", "CREATE TABLE x USING parquet AS SELECT nope FROM range(3)", "TABLE nowhere")
began = time.perf_counter()
for statement in statements:
    try:
        spark.sql(statement).collect()
    except Exception as error:
        print("caught", type(error).__name__)
spark.range(3).write.parquet("after")
print("took", time.perf_counter() - began)
print("result", 3)
began = time.perf_counter()
spark.stop()
print("stopped in", time.perf_counter() - began)
"""


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
@pytest.mark.slow
def test_of_a_statement_that_spark_refuses_there_is_nothing_to_tell(line: SparkLine, tmp_path: Path) -> None:
    ran = run(line, tmp_path, agent(), REFUSED)

    assert ran.output.count("caught AnalysisException") == 3
    assert ran.warnings == []
    events = events_in(tmp_path)
    assert_each_run_starts_and_ends_once(events)
    assert list(completed(events)) == ["after"]
    assert len(events) == 4
