"""Writes with sums of doubles, captured: which group made each row is known, or not kept, on both lines of Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kit.jobs import found_by
from kit.spark_lines import LINES, SPARK_4

pytestmark = pytest.mark.spark


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((SPARK_4, 117, 4), id="some"),
        *(pytest.param((line, 84, 60), id=str(line), marks=pytest.mark.slow) for line in LINES),
    ],
)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """By seed what became of the records of a random query."""
    line, first, many = request.param
    folder: Path = tmp_path_factory.mktemp("rounded")
    found = found_by(line, "rounded_records.py", str(folder), str(first), str(many), timeout=3600)
    assert len(found) == many
    return found


def test_no_row_is_made_of_another_group(found: Any) -> None:
    assert {seed: (each["query"], each["wrong"]) for seed, each in found.items() if each["wrong"]} == {}


def test_most_are_kept_also_where_the_sums_are_others_when_the_plan_runs_again(found: Any) -> None:
    kept = [each for each in found.values() if not each["refused"]]
    assert len(kept) >= len(found) / 3
    assert any(each["rounded"] for each in kept)
