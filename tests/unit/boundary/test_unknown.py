"""Values that a planned program would have collected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from headwater_boundary.planning.unknown import MARK, NotKnownError, Unknown

ROWS = Unknown("collect()", "job.py:3")


def test_parts_of_it_and_what_is_computed_of_it_are_not_known_either() -> None:
    for each in (ROWS[0]["name"], ROWS.name, ROWS + 1, 1 - ROWS, ROWS > 3, ROWS.upper(), round(ROWS)):
        assert isinstance(each, Unknown)


def test_a_program_that_goes_on_by_it_is_stopped_at_its_line() -> None:
    uses: tuple[Callable[[Any], object], ...] = (bool, list, len, int, float, set, hash, range)
    for use in uses:
        with pytest.raises(NotKnownError, match=r"collect\(\) at job.py:3"):
            use(ROWS)


def test_its_text_can_be_found_again() -> None:
    assert MARK in f"{ROWS} rows" and MARK in str(ROWS) and MARK in f"{ROWS:>10}"
