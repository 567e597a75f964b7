"""Damaged pickles and code: reading them ends with an analysis or a reason, and does nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.cloudpickle import dumps

from functions.damaged import VERSION
from headwater_functions.confined import confined
from headwater_functions.pickles.cloudpickled import read_function
from headwater_functions.result import analyse
from headwater_functions.unreadable import UnreadableError

TESTS = Path(__file__).parents[2]
SLOW = pytest.mark.slow
A_MILLION = [pytest.param(seed, 125_000, (), marks=SLOW) for seed in range(10, 18)]


@pytest.mark.parametrize(
    ("seed", "count", "kinds"),
    [
        (1, 3_000, ()),
        (2, 300, ("nested", "doubled", "cyclic", "numbers", "written", "repeated")),
        (3, 20, ("programs",)),
        (5, 400, ("objects", "bound")),
        pytest.param(4, 3_000, ("programs", "written", "repeated"), marks=SLOW),
        *A_MILLION,
    ],
)
def test_damaged_functions_are_read_or_refused_and_nothing_else(
    seed: int, count: int, kinds: tuple[str, ...]
) -> None:
    """In a process of its own, whose end, size and actions are watched."""
    command = [sys.executable, "-m", "functions.damage", "--seed", str(seed), "--count", str(count)]
    found = subprocess.run(
        [*command, *(["--kinds", *kinds] if kinds else [])],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout.splitlines()[-1:] == [f"{count} damaged pickles of seed {seed}: 0 wrong"], found


def test_what_reads_can_open_nothing(tmp_path: Path) -> None:
    file = tmp_path / "any"
    file.touch()

    @confined
    def opens() -> None:
        file.read_text()

    with pytest.raises(UnreadableError, match="more than compute"):
        opens()
    assert file.read_text() == ""


def test_functions_that_are_bound_to_each_other_twice_are_read_as_quickly_as_few() -> None:
    def took(depth: int) -> float:
        lines = "".join(f"    if x: y = lambda a=y, b=y: {'ab'[i % 2]}\n" for i in range(depth))
        scope: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(f"def f(x, y):\n{lines}    return y()\n", "jobs.py", "exec"), scope)
        function = read_function(dumps((scope["f"], None), 4), VERSION)
        began = time.process_time()
        analyse(function, 2)
        return time.process_time() - began

    assert min(took(12) for _ in range(3)) < 100 * max(took(4) for _ in range(3))
