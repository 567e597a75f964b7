"""The Spark lines that the tests run on, each with its own interpreter, and one planning session for each."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kit import class_archive, spark_worker
from kit.shared import ROOT

WORKER = Path(__file__).with_name("spark_worker.py")


@dataclass(frozen=True)
class SparkLine:
    """A supported Spark line: its name and the interpreter that has its pyspark."""

    name: str
    python: Path

    @property
    def home(self) -> Path | None:
        """The Spark distribution inside the line's pyspark, what ``SPARK_HOME`` names; None without one."""
        return next(self.python.parent.parent.glob("lib/python*/site-packages/pyspark"), None)

    def __str__(self) -> str:
        return self.name


SPARK_4 = SparkLine("spark-4", Path(sys.executable))
SPARK_35 = SparkLine(
    "spark-3.5",
    Path(os.environ.get("HEADWATER_SPARK35_PYTHON", ROOT / ".venv-spark35" / "bin" / "python")),
)
SPARK_41 = SparkLine(
    "spark-4.1",
    Path(os.environ.get("HEADWATER_SPARK41_PYTHON", ROOT / ".venv-spark41" / "bin" / "python")),
)
"""The newest Spark for which Delta Lake and Iceberg are released."""
LINES = (SPARK_35, SPARK_4)
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SHORT_LIVED = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_SUBMIT_OPTS": _QUICK}
"""The environment of Sparks that live for seconds: to compile more than a little would cost them more than it gives."""
EITHER_LINE = (SPARK_4, pytest.param(SPARK_35, marks=pytest.mark.slow))
"""For what is hardly another on the other line: each run tries the newer one, a long run both."""


def installed(line: SparkLine) -> SparkLine:
    """The line itself; fails the test where its interpreter is missing."""
    if not line.python.exists():
        target = "test-all" if line is SPARK_41 else "test"
        pytest.fail(f"{line.python} is missing: `make {target}` sets it up")
    return line


def short_lived(line: SparkLine) -> dict[str, str]:
    """As `SHORT_LIVED`, for programs whose settings have `class_archive.class_path`: most classes are loaded."""
    archived = class_archive.options(line.python, line.home, _QUICK)
    return {**SHORT_LIVED, "SPARK_SUBMIT_OPTS": f"{_QUICK} {archived}".strip()}


def quickly_started(line: SparkLine) -> dict[str, str]:
    """As `short_lived`, for programs that set nothing of the kind: Spark's defaults have the class path."""
    return {**short_lived(line), "SPARK_CONF_DIR": str(class_archive.defaults(line.python, line.home))}


def spark_home(line: SparkLine) -> str:
    """The line's ``SPARK_HOME``."""
    assert line.home, f"{line} has no pyspark: `make test` sets it up"
    return str(line.home)


def spark_version(line: SparkLine) -> str:
    """The version of pyspark that is installed for the line, read from its files; empty where there is none."""
    found = line.python.parent.parent.glob("lib/python*/site-packages/pyspark-*.dist-info")
    return next((folder.name.removeprefix("pyspark-").removesuffix(".dist-info") for folder in found), "")


@contextmanager
def spark_of(line: SparkLine) -> Iterator[tuple[str, ...]]:
    """Where Python finds the PySpark of a line; the backend that plans need is beside it."""
    if line is SPARK_4:
        yield ()
        return
    home = installed(line).home
    assert home is not None
    with tempfile.TemporaryDirectory() as folder:
        for name in ("pyspark", "py4j"):
            Path(folder, name).symlink_to(home.with_name(name))
        yield (folder,)


def run_beside(
    line: SparkLine, folder: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Python with these arguments in a folder: the PySpark of a line beside all else of this environment."""
    with spark_of(line) as path:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env={
                **os.environ,
                **quickly_started(line),
                "PYSPARK_PYTHON": str(line.python),
                "PYTHONPATH": os.pathsep.join(path),
                **environment,
            },
            capture_output=True,
            text=True,
            check=False,
        )


def plan_script(
    line: SparkLine, folder: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """``headwater plan`` in a folder, with the PySpark of a line beside this environment's backend."""
    return run_beside(line, folder, "-m", "headwater_cli", "plan", *arguments, **environment)


def what_answers() -> str:
    """The text of what decides about a worker's plans and rows, whatever starts its Spark."""
    return inspect.getsource(spark_worker.Planner) + json.dumps(spark_worker.SETTINGS)


class Planner:
    """A worker process of one line. Answers are in the order of the questions; a dead worker is an error."""

    def __init__(self, line: SparkLine) -> None:
        self.line = installed(line)
        self._process = subprocess.Popen(
            [str(line.python), str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **short_lived(line), "PYSPARK_PYTHON": str(line.python)},
            text=True,
        )

    def plan(self, tables: dict[str, str], **program: str) -> tuple[dict[str, Any], str]:
        """The plan document of a program (``sql=`` or ``python=``) over empty tables, and Spark's version."""
        answer = self._ask({"tables": tables, **program})
        return answer["plan"], answer["version"]

    def results(
        self, tables: dict[str, str], contents: Sequence[dict[str, Any]], **program: str
    ) -> list[list[dict[str, Any]] | None]:
        """The rows that a program gives over each content (table name to rows) of its tables, None where it fails."""
        answer = self._ask({"tables": tables, "rows": contents, **program})
        return [None if rows is None else [json.loads(row) for row in rows] for rows in answer["results"]]

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the planning session of {self.line} ended with {self._process.wait()}"
        answer: dict[str, Any] = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer

    def close(self) -> None:
        """End the session and wait for it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()
