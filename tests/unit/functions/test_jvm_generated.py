"""Functions in Java that are written by chance: what is read of their instructions against what they do."""

from __future__ import annotations

import pytest

from functions import generated_jvm

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    ("seed", "count"), [(7, 100), *(pytest.param(s, 1_000, marks=pytest.mark.slow) for s in (1, 2, 3))]
)
def test_no_change_is_missed_of_functions_in_java_that_are_written_by_chance(seed: int, count: int) -> None:
    found = list(generated_jvm.found(seed, count))
    assert [(each.source, each.missed()) for each in found if each.missed()] == []
    assert sum(not each.opaque for each in found) > 0.6 * len(found) > 0.5 * count
