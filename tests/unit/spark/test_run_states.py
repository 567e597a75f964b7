"""The life of an execution is what its table of transitions says, and what its page draws."""

from __future__ import annotations

import re

import pytest

from headwater_spark.runs import states
from headwater_spark.runs.states import TRANSITIONS, Change, State


def reached(*changes: Change) -> State:
    state = State.NEW
    for change in changes:
        state = TRANSITIONS.get((state, change), state)
    return state


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ((Change.ANNOUNCE, Change.START, Change.END), State.ENDED),
        ((Change.WAIT, Change.ANNOUNCE), State.ANNOUNCED),
        ((Change.WAIT, Change.JOIN), State.FOLDED),
        ((Change.START,), State.NEW),
        ((Change.JOIN, Change.ANNOUNCE, Change.START), State.FOLDED),
        ((Change.ANNOUNCE, Change.START, Change.ANNOUNCE, Change.START), State.STARTED),
        ((Change.ANNOUNCE, Change.END, Change.START), State.ENDED),
    ],
)
def test_a_state_follows_from_what_happened(changes: tuple[Change, ...], state: State) -> None:
    assert reached(*changes) is state


def test_nothing_follows_the_end_of_a_run_or_of_what_is_a_part_of_one() -> None:
    assert {state for state, _ in TRANSITIONS}.isdisjoint({State.ENDED, State.FOLDED})


def test_the_page_draws_all_states_and_changes() -> None:
    drawn = states.__doc__ or ""
    assert {state.name for state in State} <= set(re.findall(r"[A-Z]{3,}", drawn))
    assert {change.name.lower() for change in Change} <= set(re.findall(r"[a-z]+", drawn))
