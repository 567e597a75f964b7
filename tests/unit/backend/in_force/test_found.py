"""Datasets that were read before anybody is known to have written them."""

from __future__ import annotations

import pytest

from headwater_backend.in_force.copies import Copies, End
from headwater_backend.in_force.found import FirstUse, found_there
from unit.backend.in_force.test_copies import FOREVER, Listed


def found(
    read: int | None, written: int | None, history: Listed | None = None, *, itself: bool = False
) -> bool:
    use = FirstUse("a/x/", read, written, itself)
    return found_there([use], Copies(history or Listed([]), FOREVER)) == ["a/x/"]


@pytest.mark.parametrize(
    ("read", "written", "is_found"),
    [(3, None, True), (3, 5, True), (3, 3, False), (None, 3, False), (None, None, False)],
)
def test_what_is_read_before_it_is_written_was_there(
    read: int | None, written: int | None, *, is_found: bool
) -> None:
    assert found(read, written) is is_found


def test_a_run_reads_before_it_writes() -> None:
    assert found(3, 3, itself=True)
    assert found(None, 3, itself=True), "what it read may be named in a later event than what it writes"


def test_what_was_there_ends_when_all_of_it_is_replaced_and_nothing_was_made_of_it() -> None:
    replaced = End("a/x/", 5, 5, "r")
    assert not found(3, 5, Listed([replaced]))
    assert found(3, 5, Listed([replaced], [("a/x/", "a/y/", 3, 3)]))
