"""Which records made rows of TPC-H's queries, judged by running each query again over these alone.

What writes of them carry is judged by what the plan answers, of which that holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kit.jobs import JOBS, found_by
from kit.shared import shared
from kit.spark_lines import LINES, SPARK_4, SparkLine

pytestmark = pytest.mark.spark


def judged(line: SparkLine, *queries: str) -> Any:
    """What the job found, by query."""
    tables = str(shared("data/tpch"))
    return found_by(line, "queries_again.py", tables, str(JOBS / "tpch.sql"), *queries, timeout=3600)


def written(line: SparkLine, folder: Path, *queries: str) -> Any:
    """What the job found of writes, by query."""
    tables = str(shared("data/tpch"))
    return found_by(
        line, "carried_queries.py", tables, str(JOBS / "tpch.sql"), str(folder), *queries, timeout=3600
    )


@pytest.fixture(scope="module")
def some() -> Any:
    """What is found of two queries that are easily misread."""
    return judged(SPARK_4, "q20", "q22")


def test_correlated_subqueries_in_subqueries_are_traced(some: Any) -> None:
    rows = some["q20"]["found"]
    assert [each["again"] for each in rows] == [True] * len(rows)
    for each in rows:
        assert set(each["records"]) == {"supplier", "nation", "partsupp", "part", "lineitem"}


def test_what_an_anti_join_keeps_away_stays_away(some: Any) -> None:
    assert [each["again"] for each in some["q22"]["found"]] == [True]


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=str)
def test_all_queries_are_answered_and_their_rows_come_again(line: SparkLine) -> None:
    found = judged(line)
    assert len(found) == 22
    assert {name: each["refused"] for name, each in found.items() if "refused" in each} == {}
    assert {name for name, each in found.items() if not each["found"]} == set()
    assert {name for name, each in found.items() if not all(row["again"] for row in each["found"])} == set()


def test_a_write_carries_semi_joins_and_scalar_subqueries_in_groups(tmp_path: Path) -> None:
    found = written(SPARK_4, tmp_path, "q4", "q22")
    assert {name: (each["carried"], each["alike"]) for name, each in found.items()} == {
        "q4": (True, True),
        "q22": (True, True),
    }


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=str)
def test_what_writes_of_all_queries_keep_is_what_the_plans_answer(line: SparkLine, tmp_path: Path) -> None:
    found = written(line, tmp_path)
    assert len(found) == 22
    assert {name: each for name, each in found.items() if not each.get("alike")} == {}
    assert {name for name, each in found.items() if not each["carried"]} == {"q2", "q18", "q20", "q21"}
