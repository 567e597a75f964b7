"""What the modes of capture keep, judged by each other and by running again, on both lines of Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kit.jobs import found_by
from kit.spark_lines import EITHER_LINE, LINES, SparkLine

pytestmark = pytest.mark.spark
PARTS = 4
"""In how many parts all pipelines are tried, as all of them take many minutes."""
SOME = ("left outer", "collected structs")
"""Pipelines that are tried each time."""
OPERATORS = {
    "barrier": "MapInPandas",
    "shuffled rows": "LogicalRDD",
}
"""The operators that are refused, by pipeline."""


def run(line: SparkLine, folder: Path, *pipelines: str) -> Any:
    """What the job found."""
    return found_by(line, "captured_modes.py", str(folder), *pipelines, timeout=3600)


def wrong(found: Any) -> Any:
    return {name: each for name, each in found.items() if each}


@pytest.mark.slow
@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_every_mode_gives_the_same_answers_and_the_job_the_same_bytes(
    line: SparkLine, tmp_path: Path
) -> None:
    found = run(line, tmp_path, *SOME)
    assert set(found) == set(SOME)
    assert wrong(found) == {}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("line", LINES, ids=str)
def test_so_do_all_pipelines(line: SparkLine, part: int, tmp_path: Path) -> None:
    found = run(line, tmp_path, f"{part}/{PARTS}")
    assert len(found) > 55 // PARTS
    assert wrong(found) == {}


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_what_cannot_be_traced_costs_the_runs_records_and_never_the_job(
    line: SparkLine, tmp_path: Path
) -> None:
    found = run(line, tmp_path, "refused")
    for name, each in found.items():
        pipeline = name.partition(",")[0]
        assert each["job"], name
        if pipeline != "by chance":
            assert each["operator"] == OPERATORS[pipeline], name
            assert each["warned"], name
            assert OPERATORS[pipeline] in each["question"], name
    chance = {
        mode: found[f"by chance, {mode}"]["question"].partition(":")[0] for mode in ("demand", "ends", "full")
    }
    assert chance == {"demand": "UnrepeatableError", "ends": "", "full": ""}, "the write itself has the ids"
