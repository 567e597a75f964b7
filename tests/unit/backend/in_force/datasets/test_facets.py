"""The newest state of each facet, over rows alone."""

from __future__ import annotations

from itertools import permutations

from headwater_backend.in_force.datasets.facets import FacetRow, newest


def test_the_latest_state_is_in_force_in_whatever_order_they_come() -> None:
    rows = [
        FacetRow("dataset a/x/", "schema", 1, "a", '{"v": 1}'),
        FacetRow("dataset a/y/", "schema", 2, "a", '{"v": 2}'),
        FacetRow("dataset a/z/", "schema", 2, "b", '{"v": 3}'),
    ]
    assert [dict(newest(order)) for order in permutations(rows)] == [{"schema": {"v": 3}}] * 6


def test_a_facet_that_was_deleted_last_is_not_there() -> None:
    rows = [FacetRow("dataset a/x/", "tags", 1, "a", "{}"), FacetRow("dataset a/x/", "tags", 2, "a", None)]
    assert "tags" not in newest(rows)
    assert "tags" in newest(rows[:1])
