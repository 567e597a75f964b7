"""Fixtures of the oracles that execute generated programs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kit.spark_lines import EITHER_LINE, Planner


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def planner(request: pytest.FixtureRequest) -> Iterator[Planner]:
    """A planning session of each line, for a file."""
    planner = Planner(request.param)
    yield planner
    planner.close()
