"""Which records made rows of TPC-DS's queries, judged by running each query again over these alone."""

from __future__ import annotations

from typing import Any

import pytest

from kit import tpcds
from kit.jobs import SETTINGS, found_by
from kit.spark_lines import SPARK_4

pytestmark = [pytest.mark.spark, pytest.mark.slow]
LARGE = ("q14", "q23", "q70")
"""Queries that do not end in minutes, or not in this memory: their rows each carry the records of large groups."""
MEMORY = {**SETTINGS, "spark.driver.memory": "2g"}
JUDGED = tuple(name for name in (f"q{number}" for number in range(1, 100)) if name not in LARGE)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the job found, by query; each selects something."""
    folder = tmp_path_factory.mktemp("tpcds")
    assert tpcds.make(folder) == []
    queries = str(folder / tpcds.QUERIES)
    return found_by(SPARK_4, "queries_again.py", str(folder), queries, *JUDGED, conf=MEMORY, timeout=2 * 3600)


def test_queries_are_traced(found: Any) -> None:
    assert {name for name, each in found.items() if "refused" in each} == set()
    assert set(found) == set(JUDGED)


def test_rows_come_again_from_their_records_alone(found: Any) -> None:
    rows = {name: each["found"] for name, each in found.items()}
    assert {name for name, each in rows.items() if not each or not all(row["again"] for row in each)} == set()
    assert {name for name, each in rows.items() if not all(row["records"] for row in each)} == set()
