"""A program that fails has an application that failed, wherever that can be known."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kit.class_archive import in_front
from kit.eye import script, surroundings, wait_for
from kit.faults import agent
from kit.jobs import SETTINGS, headwater
from kit.spark_lines import EITHER_LINE, SPARK_4, SparkLine, short_lived, spark_home

pytestmark = pytest.mark.spark

WRITES = "import os, signal, sys\nspark.range(3).write.mode('overwrite').parquet('out')\n"
ENDS = {
    "exit code 3 of a session that was stopped": ("spark.stop(); sys.exit(3)", 3, "FAIL", "exit code 3"),
    "exit code 5 of one that was not": ("sys.exit(5)", 5, "FAIL", "exit code 5"),
    "an exception": ("raise ValueError('no')", 1, "FAIL", "exit code 1"),
    "SIGTERM": ("os.kill(os.getpid(), signal.SIGTERM)", 143, "ABORT", "SIGTERM"),
    "well, and not stopped": ("", 0, "COMPLETE", ""),
}


def end_of_application(folder: Path) -> tuple[str, str]:
    """The state and the error of the only end that the application has."""
    events: list[dict[str, Any]] = [
        json.loads(line) for line in (folder / "events.ndjson").read_text("utf-8").splitlines()
    ]
    run = events[0]["run"]["runId"]
    ((state, facets),) = [
        (event["eventType"], event["run"]["facets"]) for event in events[1:] if event["run"]["runId"] == run
    ]
    return state, facets.get("errorMessage", {}).get("message", "")


@pytest.mark.parametrize("end", ENDS)
def test_headwater_run_tells_how_its_script_ended(end: str, tmp_path: Path) -> None:
    last, code, state, reason = ENDS[end]
    job = script(tmp_path, WRITES + last, stop=False)
    done = headwater(SPARK_4, tmp_path, "run", "--events", "events.ndjson", str(job))
    assert done.returncode == code, done.stderr
    found, message = end_of_application(tmp_path)
    assert found == state
    assert reason in message


def submitted(line: SparkLine, folder: Path, last: str) -> subprocess.Popen[bytes]:
    home = spark_home(line)
    conf = in_front(line.home, {**SETTINGS, **agent()})
    conf["spark.openlineage.transport.location"] = str(folder / "events.ndjson")
    (folder / "agent.conf").write_text("\n".join(f"{key} {value}" for key, value in conf.items()), "utf-8")
    job = script(folder, WRITES + last, stop=False)
    environment = {
        **short_lived(line),
        "SPARK_HOME": home,
        "PYSPARK_PYTHON": str(line.python),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    command = [f"{home}/bin/spark-submit", "--properties-file", str(folder / "agent.conf"), str(job)]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=surroundings(environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_a_submitted_program_that_fails_is_reported_as_failed(line: SparkLine, tmp_path: Path) -> None:
    with submitted(line, tmp_path, "sys.exit(3)") as process:
        assert process.wait(180) == 3
    assert end_of_application(tmp_path)[0] == "FAIL"


@pytest.mark.slow
@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_a_submitted_program_that_ends_well_is_reported_as_complete(line: SparkLine, tmp_path: Path) -> None:
    with submitted(line, tmp_path, "") as process:
        assert process.wait(180) == 0
    assert end_of_application(tmp_path) == ("COMPLETE", "")


def test_a_driver_that_a_signal_ends_is_reported_as_aborted(tmp_path: Path) -> None:
    waits = "import time\nopen('written', 'w').close()\ntime.sleep(60)"
    with submitted(SPARK_4, tmp_path, waits) as process:
        wait_for((tmp_path / "written").exists, 120)
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM
    assert end_of_application(tmp_path) == ("ABORT", "the program was ended by SIGTERM")
