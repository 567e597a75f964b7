"""Random programs: what changes an output is listed; where a token can be read, its column is listed as readable."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kit import frame_steps
from kit.frame_changes import misses


@pytest.fixture(autouse=True)
def _without_receiver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")


def program(seed: int, steps: list[str]) -> list[str]:
    chance = random.Random(seed)
    return [chance.choice(steps) for _ in range(chance.randint(1, 5))]


@pytest.mark.parametrize("step", frame_steps.COMMON + frame_steps.TELLING)
def test_each_step_alone_misses_nothing(step: str, tmp_path: Path) -> None:
    assert misses([step], tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("step", frame_steps.STEPS)
def test_each_way_to_say_it_misses_nothing(step: str, tmp_path: Path) -> None:
    assert misses([step], tmp_path) == []


@pytest.mark.parametrize("seed", range(80))
def test_random_programs_miss_nothing(seed: int, tmp_path: Path) -> None:
    steps = program(seed, frame_steps.EVERY if seed % 2 else frame_steps.COMMON)
    assert misses(steps, tmp_path) == [], steps


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 3000))
def test_many_random_programs_miss_nothing(seed: int, tmp_path: Path) -> None:
    steps = program(seed, frame_steps.EVERY if seed % 2 else frame_steps.COMMON)
    assert misses(steps, tmp_path) == [], steps
