"""What follows from changes, over rows alone: those of runs that failed, or have only begun, are left out."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.in_force.aliases import Link
from headwater_backend.in_force.closing import Drop
from headwater_backend.in_force.copies import Copied, End
from headwater_backend.in_force.datasets.changes import (
    ChangeOfRun,
    copied,
    counting,
    drop_row,
    dropped,
    dropped_at,
    drops,
    end_row,
    ends,
    forgotten_with_runs,
    in_order,
    links,
)

COMPLETED, BEGUN, FAILED, ABORTED, NO_RUN = (
    (1, None, 2, None, None),
    (1, 1, None, None, None),
    (1, None, 2, 3, None),
    (1, None, None, None, 3),
    (None, None, None, None, None),
)
OUTCOMES = [(COMPLETED, True), (BEGUN, False), (FAILED, False), (ABORTED, False), (NO_RUN, True)]
Row = tuple[Any, ...]


@pytest.mark.parametrize(("outcome", "counts"), OUTCOMES)
def test_drops_ends_and_states_need_a_run_that_happened(outcome: Row, *, counts: bool) -> None:
    drop = drop_row(("slot", "a/x/", "a/x/", 5, "r", 0, *outcome))
    assert drops([drop], 0) == ({Drop("a/x/", 5, "r"): {"slot": "a/x/"}} if counts else {})
    end = end_row(("a/x/", 5, "r", 0, "", None, None, *outcome))
    assert ends([end], 0, 0) == ([End("a/x/", 5, 5, "r")] if counts else [])
    assert len(counting([("a/x/", "a/x/", "DROP", 5, "r", "", None, "", *outcome)])) == counts


@pytest.mark.parametrize(("outcome", "counts"), [*OUTCOMES[:1], (BEGUN, True), *OUTCOMES[2:]])
def test_names_need_one_that_did_not_fail(outcome: Row, *, counts: bool) -> None:
    assert links([("a/y/", "a/x/", 5, "RENAME", *outcome[3:])]) == (
        [Link("a/y/", "a/x/", 5, "RENAME")] if counts else []
    )
    assert copied([("a/x/", 5, 5, 0, *outcome[3:])]) == ([Copied("a/x/", 5, 5)] if counts else [])


def test_a_drop_is_one_for_all_slots_whose_output_it_may_be_and_what_was_received_later_is_not_there() -> (
    None
):
    rows = [drop_row((slot, "a/x/", "a/y/", 5, "r", 7, *COMPLETED)) for slot in ("one", "two")]
    assert drops(rows, 7) == {Drop("a/y/", 5, "r"): {"one": "a/x/", "two": "a/x/"}}
    assert drops(rows, 6) == {}


def test_an_end_lasts_as_long_as_its_run_and_what_was_accepted_was_never_late() -> None:
    row = end_row(("a/x/", 5, "r", 9, "who", 3, 8, *COMPLETED))
    assert ends([row], 9, 0) == [End("a/x/", 3, 8, "r", 9, "who")]
    assert ends([row], 9, 9) == [End("a/x/", 3, 8, "r", 0, "who")]
    assert ends([row], 8, 0) == []


def test_a_dataset_is_gone_whose_last_change_is_a_drop_and_that_nobody_writes() -> None:
    rows = [
        ("a/x/", "a/x/", "DROP", 5, "r", "", None, ""),
        ("a/x/", "a/x/", "CREATE", 4, "r", "", None, ""),
        ("a/y/", "a/y/", "DROP", 4, "r", "", None, ""),
        ("a/y/", "a/y/", "CREATE", 5, "r", "", None, ""),
    ]
    changes = counting((*row, *COMPLETED) for row in rows)
    assert dropped(changes, 5) == ["a/x/"]
    assert dropped(changes, 4) == ["a/y/"], "as it was then"
    newest_first = in_order(change for change in changes if change.of == "a/x/")[::-1]
    assert dropped_at(newest_first, alive=False) == 5
    assert dropped_at(newest_first, alive=True) is None
    assert dropped_at([], alive=False) is None


def test_with_a_run_go_the_changes_that_nothing_follows_from() -> None:
    lasting = ("a/x/", "DROP", 5, "r", "")
    assert forgotten_with_runs([(*lasting, *COMPLETED), (*lasting, *NO_RUN)]) == []
    for outcome in (BEGUN, FAILED, ABORTED):
        assert forgotten_with_runs([(*lasting, *outcome)]) == [ChangeOfRun(*lasting)]
    found = ("a/x/", "FOUND", 5, "r", "")
    assert forgotten_with_runs([(*found, *COMPLETED)]) == [ChangeOfRun(*found)]
