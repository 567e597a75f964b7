"""How hard fuzzing tries: the same few examples in every run, and many others, found by chance, in the slow ones."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

EFFORTS = pytest.mark.parametrize(
    "effort",
    [pytest.param(1, id="the same few"), pytest.param(20, id="many by chance", marks=pytest.mark.slow)],
)


def effort_of(effort: int, examples: int) -> settings:
    """Settings for that many examples, times the effort."""
    return settings(
        max_examples=examples * effort,
        derandomize=effort == 1,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
