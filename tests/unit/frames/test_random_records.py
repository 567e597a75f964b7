"""Programs over frames with an index of each kind: a value that a changed cell changes lists that cell."""

from __future__ import annotations

import random

import pytest

from kit import frame_steps
from kit.frame_records import INDEXES, misses


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("step", frame_steps.COMMON + frame_steps.TELLING)
def test_each_step_lists_what_it_takes(step: str, index: str) -> None:
    assert misses([INDEXES[index], step], random.Random(step), 4) == []


@pytest.mark.slow
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("step", frame_steps.EVERY)
def test_each_way_to_say_it_lists_what_it_takes(step: str, index: str) -> None:
    assert misses([INDEXES[index], step], random.Random(step), 12) == []


@pytest.mark.parametrize("seed", range(200))
def test_random_programs_list_what_they_take(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 9000))
def test_many_random_programs_list_what_they_take(seed: int) -> None:
    check(seed)


def check(seed: int) -> None:
    chance = random.Random(seed)
    steps = [
        chance.choice(list(INDEXES.values())),
        *chance.choices(frame_steps.EVERY, k=chance.randint(1, 3)),
    ]
    assert misses(steps, chance, 8) == [], steps
