"""Whether what a run did counts, by all combinations of the states that it was in."""

from __future__ import annotations

from itertools import product

from headwater_backend.in_force.datasets.outcomes import Outcome, latest_state

ALL = [Outcome(*states) for states in product((None, 1), repeat=5)]


def test_whoever_failed_or_was_aborted_did_nothing_that_lasts_whatever_else_it_says() -> None:
    failed = [each for each in ALL if each.has_failed]
    assert len(failed) == 24
    assert not any(each.has_happened for each in failed)
    assert {latest_state(each) for each in failed} == {"FAIL", "ABORT"}


def test_what_has_only_begun_has_not_happened_yet() -> None:
    begun = [each for each in ALL if not each.has_failed and latest_state(each) in ("START", "RUNNING")]
    assert len(begun) == 3
    assert all(each.has_only_begun and not each.has_happened for each in begun)


def test_what_no_run_is_known_of_and_what_completed_has_happened() -> None:
    others = [each for each in ALL if latest_state(each) in ("COMPLETE", None)]
    assert len(others) == 5
    assert all(each.has_happened for each in others)
    assert latest_state(Outcome(), other=1) == "OTHER"
    assert latest_state(Outcome()) is None
