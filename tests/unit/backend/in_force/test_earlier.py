"""The edges of lineage that is no longer current, over records alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater_backend.in_force.copies import Copies, End
from headwater_backend.in_force.drift import ReadAsRow
from headwater_backend.in_force.earlier import (
    EdgeOfSlot,
    Reading,
    earlier_versions,
    left_of_earlier,
    left_of_readings,
)
from headwater_backend.in_force.observed import Observed
from unit.backend.in_force.test_copies import FOREVER, Listed

SLOT = "j/load/a/x/"
MOVED = '[{"subtype":"IDENTITY","type":"DIRECT"}]'
OLD = EdgeOfSlot(SLOT, "old", "a/p/mail/", "a/x/mail/", MOVED)
NEW = EdgeOfSlot(SLOT, "new", "a/p/name/", "a/x/name/", MOVED)


def observed(version: str, time: int) -> Observed:
    return Observed(SLOT, f"run {time}", version, 1, False, time, time, False, time, None, time)


def earlier(history: Listed, *edges: EdgeOfSlot, at: int = FOREVER) -> list[EdgeOfSlot]:
    seen = [observed("old", 1), observed("new", 3)]
    known = earlier_versions(seen, {}, Copies(history, at), at)
    return [left.edge for left in left_of_earlier(edges, known)]


def test_what_is_not_current_may_be_left_until_all_was_replaced() -> None:
    assert earlier(Listed([]), OLD, NEW) == [OLD]
    assert earlier(Listed([End("a/x/", 2, 2, "r")]), OLD, NEW) == []


def test_what_current_lineage_has_as_well_is_no_earlier_one() -> None:
    assert earlier(Listed([]), OLD, OLD._replace(version="new")) == []


def test_a_moment_has_its_own() -> None:
    assert earlier(Listed([]), OLD, NEW, at=2) == []


@pytest.mark.parametrize(
    ("how", "is_left"),
    [
        ({"subtype": "CONDITIONAL", "access": "CONDITION"}, True),
        ({"subtype": "JOIN", "access": "JOIN", "retains": "VALUE"}, True),
        ({"subtype": "FILTER", "access": "FILTER", "retains": "FACT"}, True),
        ({"subtype": "CONDITIONAL", "access": "DRIVER", "manipulation": ["OPAQUE"]}, True),
        ({"subtype": "FILTER", "access": "FILTER"}, False),
        ({"subtype": "SORT", "access": "SORT"}, False),
    ],
)
def test_what_was_revealed_indirectly_may_be_left_and_what_was_influenced_is_not(
    how: dict[str, Any], *, is_left: bool
) -> None:
    indirect = OLD._replace(target="a/x/", transformations=json.dumps([{"type": "INDIRECT", **how}]))
    assert earlier(Listed([]), indirect) == ([indirect] if is_left else [])


WAY = ReadAsRow("a/p/mail/", "a/p/value/", "j/load/", "[]", 1, current=False)
FIRST, SECOND = Reading("a/p/", "j/load/", 1, "a/x/", 1, 2), Reading("a/p/", "j/load/", 5, "a/x/", 5, 6)
REPLACED = End("a/x/", 5, 6, "r")
COPIED = [("a/x/", "a/y/", 3, 3)]


def left_readings(
    history: Listed, *readings: Reading, anew: int = 5, way: ReadAsRow = WAY
) -> list[ReadAsRow]:
    found = left_of_readings([way], readings, {("a/p/", "j/load/"): anew}, Copies(history, FOREVER))
    return [left.way for left in found]


def test_what_a_job_made_of_paths_that_it_no_longer_reads_may_be_left() -> None:
    assert left_readings(Listed([]), FIRST, SECOND) == [WAY]
    assert left_readings(Listed([REPLACED]), FIRST, SECOND) == []
    assert left_readings(Listed([REPLACED], COPIED), FIRST, SECOND) == [WAY], "it was copied before"
    assert left_readings(Listed([]), FIRST, SECOND, way=WAY._replace(current=True)) == []


def test_what_was_read_with_the_newest_layout_is_no_earlier_reading() -> None:
    assert left_readings(Listed([]), SECOND) == []


def test_what_was_read_before_it_was_replaced_is_an_earlier_reading() -> None:
    replaced = End("a/p/", 7, 7, "r")
    assert left_readings(Listed([replaced]), SECOND, anew=1) == [WAY]
    assert left_readings(Listed([replaced, REPLACED._replace(began=8, ended=8)]), SECOND, anew=1) == []
