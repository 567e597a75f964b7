"""Damaged pickles and code: reading them ends with an analysis or a reason, and does nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from headwater_functions.confined import confined
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
