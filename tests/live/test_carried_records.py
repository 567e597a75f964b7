"""Writes that carry the ids of their records, on both lines of Spark: judged by tokens that pyarrow reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kit.jobs import found_by
from kit.spark_lines import LINES, SPARK_4, SparkLine

pytestmark = pytest.mark.spark
SOME = (
    "failed once", "as lines", "joined", "by commas", "grouped, failed once", "having", "some have partners",
    "above a value", "not sent around", "partners in order", "with one partner", "listed", "counted, listed",
    "listed by number", "first of each", "so far", "neighbours", "beside all",
    "in sets", "between values",
)  # fmt: skip
"""Writes that are tried each time."""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((SPARK_4, SOME), id="some"),
        *(pytest.param((line, ()), id=str(line), marks=pytest.mark.slow) for line in LINES),
    ],
)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """By write what its records are made of."""
    line, some = request.param
    folder: Path = tmp_path_factory.mktemp("carried")
    found = found_by(line, "captured_by_writes.py", str(folder), *some, timeout=1800)
    assert len(found) == (len(some) or 30)
    return found


def test_each_row_is_made_of_the_records_that_have_its_tokens(found: Any) -> None:
    assert {name: each["wrong"] for name, each in found.items() if each["wrong"]} == {}


def test_the_write_carries_the_ids_of_what_needs_no_more_lists_than_it_has(found: Any) -> None:
    again = {name: each["again"] for name, each in found.items() if not all(each["carried"])}
    assert again == {"partners in order": ["its rows are made of lists of records"]}


def test_attempts_that_failed_leave_nothing_twice(found: Any) -> None:
    assert found["failed once"]["rows"] == [200, 200]
    assert {name: each["rows"] for name, each in found.items() if len(set(each["rows"])) > 1} == {}


def test_what_has_to_go_with_a_record_is_a_row_of_it_or_an_aggregate(found: Any) -> None:
    assert found["failed once"]["erased"] == [["left-5", None, 0]]
    assert found["joined"]["erased"] == [["left-5", f"right-{number}", 0] for number in (14, 23, 5)]
    ((_, _, others),) = found["grouped, failed once"]["erased"]
    assert others == len(range(5, 200, 7)) - 1


def test_no_file_of_ids_stays_beside_the_output(found: Any) -> None:
    assert {name: each["left"] for name, each in found.items() if each["left"]} == {}


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=str)
def test_what_random_writes_keep_is_what_their_frames_answer(line: SparkLine, tmp_path: Path) -> None:
    found = found_by(line, "carried_at_random.py", str(tmp_path), "0:6", timeout=3600)
    assert {name: each["wrong"] for name, each in found.items() if each["wrong"]} == {}
    assert sum(each["carried"] for each in found.values()) > len(found) / 2
