"""What stores keep beside observations, and under which conditions versions were made: the rules alone."""

from __future__ import annotations

from typing import Any

from headwater_backend.in_force.copies import Copies
from headwater_backend.in_force.current import Kept, kept
from headwater_backend.in_force.making import MadeUnder, ReportedUnder, alike, made_under
from headwater_backend.in_force.observed import Observed

SLOT = "n/job/n/out/"
DAY = 24 * 60 * 60 * 1_000_000


class Nothing:
    """A history without names, ends and copies."""

    def names_of(self, dataset: str) -> list[str]:
        return [dataset]

    def links_around(self, names: set[str]) -> list[Any]:
        del names
        return []

    def ends(self, names: Any) -> list[Any]:
        del names
        return []

    def copied(self, names: Any, reads: Any) -> list[Any]:
        del names, reads
        return []


def seen(version: str, time: int, run: str = "run", **more: Any) -> Observed:
    known = {"rank": 3, "static": False, "keeps": False, "completed": time, "failed": None, "began": time}
    return Observed(slot=SLOT, run=run, version=version, first=time, last=time, **{**known, **more})


def test_one_observation_of_a_run_has_its_standing_and_all_have_what_is_of_the_run() -> None:
    coarse, fine = seen("coarse", 2, rank=1, keeps=True), seen("fine", 1)
    assert kept([coarse, fine]) == [
        Kept(SLOT, "run", "coarse", None, 2, keeps=True, late=False),
        Kept(SLOT, "run", "fine", 1, 2, keeps=True, late=False),
    ]


def test_a_run_that_failed_has_no_standing_and_one_that_has_only_begun_a_lesser() -> None:
    failed = seen("failed", 1, "failed", failed=1)
    begun = seen("begun", 1, "begun", rank=0, completed=None)
    assert [each.standing for each in kept([begun, failed])] == [0, None]


def test_what_is_reported_after_the_end_or_a_day_after_the_beginning_is_late() -> None:
    ended = [seen("a", 1, known=1, settled=5), seen("b", 2, known=6, settled=5)]
    begun = [seen("a", 1, known=1), seen("b", 2, known=1 + DAY)]
    assert all(each.late for each in kept(ended))
    assert not any(each.late for each in kept(begun))
    assert all(each.late for each in kept([*begun, seen("c", 3, known=2 + DAY)]))


def test_of_versions_of_which_all_runs_stated_the_same_no_history_is_needed() -> None:
    reported = [
        ReportedUnder("v", SLOT, "a b", "x"),
        ReportedUnder("v", SLOT, "a b", "y"),
        ReportedUnder("w", SLOT, "a", "x"),
        ReportedUnder("w", SLOT, "-", "x"),
    ]
    assert alike(reported) == {"v": [MadeUnder("a", ("x", "y")), MadeUnder("b", ("x", "y"))]}


def test_conditions_count_of_all_runs_in_force_and_of_others_that_may_have_left_data() -> None:
    replaced = seen("v", 1, "first", conditions="a", who="x")
    added = seen("v", 3, "third", conditions="c", keeps=True, who="x")
    observed = [replaced, seen("v", 2, "second", conditions="b", who="y"), added]
    assert made_under(observed, {}, Copies(Nothing(), 10), 10) == {
        "v": [MadeUnder("a", ("x",), left=True), MadeUnder("b", ("y",)), MadeUnder("c", ("x",))]
    }
