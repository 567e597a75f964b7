"""Which records made the rows of a micro-batch, and of what was written of it, on both lines of Spark."""

from __future__ import annotations

from typing import Any

import pytest

from kit.jobs import found_by
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark
MODES = ("demand", "ends", "full")


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the job found."""
    folder = str(tmp_path_factory.mktemp("streamed"))
    return found_by(request.param, "streamed_records.py", folder, timeout=1800)


def test_rows_of_a_batch_are_made_of_records_of_its_own_files(found: Any) -> None:
    claims = found["modes"]["demand"]["during"]
    assert len(claims) == 9
    assert [claim for claim in claims if claim[0] != claim[1]] == []


@pytest.mark.parametrize("mode", MODES)
def test_what_batches_wrote_is_asked_about_after_them(found: Any, mode: str) -> None:
    of_mode = found["modes"][mode]
    assert of_mode["runs"] == ["", "", ""]
    assert len(of_mode["after"]) == 6
    assert [claim for claim in of_mode["after"] if claim[0] != claim[1]] == []


def test_what_keeps_a_state_is_refused_by_name(found: Any) -> None:
    assert found["refused"] == {"group": "Aggregate", "duplicates": "Deduplicate"}
