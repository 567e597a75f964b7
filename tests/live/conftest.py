"""Documents that the eye made of the jobs in ``kit/plan_jobs.py``, captured once for each Spark line of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kit.eye import python
from kit.shared import ROOT, shared
from kit.spark_lines import EITHER_LINE, SparkLine

Captured = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="session", params=EITHER_LINE, ids=str)
def captured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Captured]:
    """Job name -> its documents, the application's first."""
    line: SparkLine = request.param
    shared("data/tweets/tweets.ndjson")
    folder = tmp_path_factory.mktemp("captured")
    job = ROOT / "tests" / "kit" / "plan_jobs.py"
    # Without it, the functions of the jobs run in whatever python3 there is, without pandas and Arrow.
    environment = {"PYSPARK_PYTHON": str(line.python)}
    done = python(line, job, str(folder), environment=environment, timeout=600)
    assert done.code == 0, done.output
    yield {file.stem: _documents(file) for file in sorted(folder.glob("*.ndjson"))}


def _documents(file: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in file.read_text("utf-8").splitlines()]
