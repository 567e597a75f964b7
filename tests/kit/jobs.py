"""Runs the example jobs as a user does: `headwater run` under a Spark line's interpreter, in an empty folder."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit.class_archive import class_path
from kit.shared import ROOT
from kit.spark_lines import SparkLine, quickly_started, short_lived

JOBS = ROOT / "tests" / "live" / "jobs"
SETTINGS = {"spark.driver.memory": "1g", "spark.master": "local[2]", "spark.ui.enabled": "false"}


@dataclass(frozen=True)
class Job:
    """A job that has ended."""

    code: int
    output: str
    folder: Path

    @property
    def events(self) -> list[dict[str, Any]]:
        """Its events, in order of arrival."""
        file = self.folder / "events.ndjson"
        return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []

    def path(self, name: str) -> str:
        """The absolute path of something in its folder: how a file is named as a dataset."""
        return str(self.folder / name)


def headwater(
    line: SparkLine, folder: Path, *args: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The `headwater` command of a line's environment, in that folder, with a spool of its own."""
    return subprocess.run(
        [str(line.python), "-m", "headwater_cli", *args],
        cwd=folder,
        env={
            **os.environ,
            **short_lived(line),
            "PYSPARK_PYTHON": str(line.python),
            "XDG_CACHE_HOME": str(folder / "cache"),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def run_job(
    line: SparkLine,
    folder: Path,
    script: str,
    *args: str,
    to: tuple[str, ...] = (),
    conf: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Job:
    """The script of `tests/live/jobs`, run under the agent; events go to a file, or to ``to``."""
    settings = {**SETTINGS, **class_path(line.home), **(conf or {})}
    surroundings = folder / "conf"
    surroundings.mkdir(exist_ok=True)
    lines = [f"{key} {value}" for key, value in settings.items()]
    (surroundings / "spark-defaults.conf").write_text("\n".join(lines), "utf-8")
    destination = to or ("--events", "events.ndjson")
    variables = {"SPARK_CONF_DIR": str(surroundings), **(environment or {})}
    done = headwater(line, folder, "run", *destination, str(JOBS / script), *args, **variables)
    return Job(done.returncode, done.stdout + done.stderr, folder)


def found_by(
    line: SparkLine, script: str, *args: str, timeout: float = 850, conf: Mapping[str, str] | None = None
) -> Any:
    """What a script of `tests/live/jobs` prints after ``FOUND``, with settings ``conf`` and no agent."""
    settings = [f"--conf {shlex.quote(f'{key}={value}')}" for key, value in (conf or {}).items()]
    done = subprocess.run(
        [str(line.python), str(JOBS / script), *args],
        env={
            **os.environ,
            **quickly_started(line),
            "PYSPARK_PYTHON": str(line.python),
            "PYTHONPATH": str(ROOT / "integration"),
            "PYSPARK_SUBMIT_ARGS": " ".join((*settings, "pyspark-shell")),
        },
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    lines = [each for each in done.stdout.splitlines() if each.startswith("FOUND ")]
    assert lines, done.stderr[-3000:]
    return json.loads(lines[0].removeprefix("FOUND "))
