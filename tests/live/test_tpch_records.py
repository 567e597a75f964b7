"""Which records made a row of TPC-H's queries, judged by running each query again over these alone."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kit.shared import ROOT, shared
from kit.spark_lines import LINES, SHORT_LIVED, SPARK_4, SparkLine

pytestmark = pytest.mark.spark
JOB = Path(__file__).parent / "jobs" / "tpch.py"


def judged(line: SparkLine, *queries: str) -> Any:
    """What the job found, by query."""
    surroundings = {
        **os.environ,
        **SHORT_LIVED,
        "PYSPARK_PYTHON": str(line.python),
        "PYTHONPATH": str(ROOT / "integration"),
    }
    command = [str(line.python), str(JOB), str(shared("data/tpch")), *queries]
    done = subprocess.run(
        command, env=surroundings, capture_output=True, text=True, timeout=3600, check=False
    )
    lines = [each for each in done.stdout.splitlines() if each.startswith("FOUND ")]
    assert lines, done.stderr[-3000:]
    return json.loads(lines[0].removeprefix("FOUND "))


def test_correlated_subqueries_in_subqueries_are_traced() -> None:
    found = judged(SPARK_4, "q20")["q20"]
    assert found["again"]
    assert set(found["records"]) == {"supplier", "nation", "partsupp", "part", "lineitem"}


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=str)
def test_all_queries_are_answered_and_their_rows_come_again(line: SparkLine) -> None:
    found = judged(line)
    assert len(found) == 22
    assert {name: each["refused"] for name, each in found.items() if "refused" in each} == {}
    assert {name for name, each in found.items() if each["rows"] == 0} == set()
    assert {name for name, each in found.items() if not each["again"]} == set()
