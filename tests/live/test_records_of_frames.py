"""Records of a pandas program, followed into the jobs of Spark whose files it read: tokens in the values judge."""

from __future__ import annotations

from typing import Any

import pytest

from kit.jobs import found_by
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark
EXACT = ("folder", "one column", "partitions", "files", "several files", "nothing between", "before")


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the job found."""
    return found_by(request.param, "records_of_frames.py", str(tmp_path_factory.mktemp("frames")), "write")


@pytest.mark.parametrize("case", EXACT)
def test_values_are_of_the_first_records_whose_tokens_they_carry(found: Any, case: str) -> None:
    assert found[case] and all(carried for carried, _, _ in found[case])
    assert [claim for claim in found[case] if claim[0] != claim[1] or claim[2]] == []


def test_of_text_which_has_no_names_the_records_are_of_all_columns(found: Any) -> None:
    ((carried, traced, unknown),) = found["text"]
    assert set(carried) < set(traced) and unknown == []


def test_what_only_decided_influences(found: Any) -> None:
    assert found["decided"] == ["id"]


def test_the_first_stage_is_the_frame_with_its_steps(found: Any) -> None:
    assert found["stages"] == [["(data frame)", "agg"]]


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("names", "it was read as 2 records, and has 3"),
        ("filters", "read_parquet was called with filters: it may leave out records"),
        ("rows", "read_csv was called with skiprows: it may leave out records"),
        ("program", "its records have no positions in files"),
        ("link", "captured runs wrote to its folder by another name, which a link leads to or from"),
        ("changed", "it was changed after it had been captured, and before it was read"),
    ],
)
def test_what_is_not_known_is_listed_with_its_reason(found: Any, case: str, reason: str) -> None:
    assert found["unknown"][case] == [reason]
