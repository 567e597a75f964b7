"""The edges of lineage that is no longer current, over records alone."""

from __future__ import annotations

from headwater_backend.in_force.copies import Copies, End
from headwater_backend.in_force.earlier import EdgeOfSlot, left_of_earlier
from headwater_backend.in_force.observed import Observed
from unit.backend.in_force.test_copies import FOREVER, Listed

SLOT = "j/load/a/x/"
OLD = EdgeOfSlot(SLOT, "old", "a/p/mail/", "a/x/mail/", "[]")
NEW = EdgeOfSlot(SLOT, "new", "a/p/name/", "a/x/name/", "[]")


def observed(version: str, time: int) -> Observed:
    return Observed(SLOT, f"run {time}", version, 1, False, time, time, False, time, None, time)


def earlier(history: Listed, *edges: EdgeOfSlot, at: int = FOREVER) -> list[EdgeOfSlot]:
    seen = [observed("old", 1), observed("new", 3)]
    return [left.edge for left in left_of_earlier(seen, edges, {}, Copies(history, at), at)]


def test_what_is_not_current_may_be_left_until_all_was_replaced() -> None:
    assert earlier(Listed([]), OLD, NEW) == [OLD]
    assert earlier(Listed([End("a/x/", 2, 2, "r")]), OLD, NEW) == []


def test_what_current_lineage_has_as_well_is_no_earlier_one() -> None:
    assert earlier(Listed([]), OLD, OLD._replace(version="new")) == []


def test_a_moment_has_its_own() -> None:
    assert earlier(Listed([]), OLD, NEW, at=2) == []
