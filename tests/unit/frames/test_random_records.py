"""Programs over frames with an index of each kind: a value that a changed cell changes lists that cell."""

from __future__ import annotations

import random

import pytest

from kit import frame_columns, frame_steps
from kit.frame_records import INDEXES, misses
from kit.frames import Cell

OF_THE_PROGRAM = [
    "a['x'] = a['n'].rolling(int(b['w'].min()) - 3).sum()",
    "a['x'] = a[['mail', 'city']].agg('-'.join, axis=1) if a['mail'].notna().all() else 1",
]
"""What the program itself decides, or computes of a figure so that it is a number of its text, is not observed."""
ORDERING = ("argsort", "group", "join", "largest", "merge", "pivot", "smallest", "sort", "stack")
"""Words of steps that put records in order by their keys."""


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("step", frame_steps.COMMON + frame_steps.TELLING)
def test_each_step_lists_what_it_takes(step: str, index: str) -> None:
    assert misses([INDEXES[index], step], random.Random(step), 4) == []


@pytest.mark.parametrize("step", frame_columns.STEPS)
def test_columns_that_are_called_alike_list_what_they_take(step: str) -> None:
    assert misses([frame_columns.COLUMNS["duplicated"], step], random.Random(step), 6) == []


@pytest.mark.slow
@pytest.mark.parametrize("names", frame_columns.COLUMNS)
@pytest.mark.parametrize("step", frame_columns.STEPS)
def test_columns_of_every_kind_of_name_list_what_they_take(step: str, names: str) -> None:
    for index in ("numbers", "duplicated"):
        steps = [frame_columns.COLUMNS[names], INDEXES[index], step]
        assert misses(steps, random.Random(step), 6) == []


@pytest.mark.slow
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("step", [each for each in frame_steps.EVERY if each not in OF_THE_PROGRAM])
def test_each_way_to_say_it_lists_what_it_takes(step: str, index: str) -> None:
    found = misses([INDEXES[index], step], random.Random(step), 12)
    assert [each for each in found if not (puts_in_order([step]) and is_key(each))] == []


@pytest.mark.parametrize("seed", range(200))
def test_random_programs_list_what_they_take(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 5000))
def test_many_random_programs_list_what_they_take(seed: int) -> None:
    check(seed)


def check(seed: int) -> None:
    """A changed key of a join, an order or a group gives the records behind it other places: that is no witness."""
    chance = random.Random(seed)
    known = [each for each in frame_steps.EVERY if each not in OF_THE_PROGRAM]
    steps = [chance.choice(list(INDEXES.values())), *chance.choices(known, k=chance.randint(1, 3))]
    assert [each for each in misses(steps, chance, 8) if not (puts_in_order(steps) and is_key(each))] == [], (
        steps
    )


def puts_in_order(steps: list[str]) -> bool:
    return any(each in step for step in steps for each in ORDERING)


def is_key(miss: tuple[Cell, int, object]) -> bool:
    return miss[0][2] in {"id", "n", "city"}
