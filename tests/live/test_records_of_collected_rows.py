"""Records of a pandas program that `toPandas` began, followed into Spark: tokens in the values judge."""

from __future__ import annotations

from typing import Any

import pytest

from kit.jobs import found_by
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark
KNOWN = {
    "every type", "nested", "other columns", "join", "one side", "group", "sum", "explode", "cells", "equal names",
    "limit", "captured", "two frames", "changed", "without Arrow",
}  # fmt: skip


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the job found."""
    folder = tmp_path_factory.mktemp("collected")
    return found_by(request.param, "records_of_collected_rows.py", str(folder), "write")


def test_what_is_collected_is_as_it_would_be(found: Any) -> None:
    assert found["same"] and all(found["same"])


def test_values_are_of_the_first_records_whose_tokens_they_carry(found: Any) -> None:
    claims = found["claims"]
    assert claims.keys() == KNOWN and all(claims.values())
    for case, each in claims.items():
        assert all(carried for carried, _, _ in each), case
        assert [claim for claim in each if claim[0] != claim[1] or claim[2]] == [], case


def test_equal_rows_are_of_what_all_of_them_are_made_of_and_that_is_listed(found: Any) -> None:
    of, wanted, unknown = found["alike"]
    assert of == wanted
    assert unknown == ["rows of it are equal: not all of these records are certain"]


def test_all_equal_rows_together_are_certain(found: Any) -> None:
    of, unknown = found["all alike"]
    assert len(of) == 24 and unknown == []


def test_what_only_decided_in_spark_influences(found: Any) -> None:
    assert found["decided"] == ["id"]


def test_the_number_of_a_row_is_of_its_place_alone(found: Any) -> None:
    assert found["place"] == [[1, []]]


def test_the_steps_in_spark_follow_those_in_pandas(found: Any) -> None:
    first, second = found["stages"]
    assert first == ["(data frame)"] and second[0] == "(collected rows)" and second[2:] == ["filter"]


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("time", "the frame gives other rows when it runs again than toPandas gave"),
        (
            "shuffled rows",
            "records cannot be traced through LogicalRDD: its rows come out of a shuffle in no order that lasts",
        ),
        ("failing", "Spark could not find the rows of toPandas: PythonException"),
        ("changed", "is not what it was"),
    ],
)
def test_what_is_not_known_is_listed_with_its_reason(found: Any, case: str, reason: str) -> None:
    (listed,) = found["unknown"][case]
    assert reason in listed
