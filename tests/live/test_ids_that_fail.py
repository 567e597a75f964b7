"""What keeps ids from being written costs the records of a write, and never the write."""

from __future__ import annotations

from typing import Any

import pytest

from kit.jobs import found_by
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """By fault what became of a write."""
    return found_by(request.param, "ids_that_fail.py", str(tmp_path_factory.mktemp("faults")))


def test_a_session_that_cannot_write_ids_writes_what_it_would(found: Any) -> None:
    assert found["task"] == {
        "same": True,
        "left": [],
        "carried": False,
        "refused": True,
        "warned": ["RecordsWarning"],
    }


def test_without_a_fault_the_same_write_carries_them(found: Any) -> None:
    assert found["none"] == {"same": True, "left": [], "carried": True, "refused": False, "warned": []}
