"""Functions as users write them: what is said of them against what they do when their inputs change."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path

import pytest

from functions.oracle import judge

FOLDER = Path(__file__).parents[2] / "functions"
LEAST_EXACT = {"corpus_before": 0.7, "corpus_hostile": 0.25}
"""Of those in the manner of real code, and of those that hide what they do, which may well be opaque."""


@pytest.mark.parametrize("half", LEAST_EXACT)
def test_no_change_of_a_result_is_missed_and_most_functions_are_read_exactly(half: str) -> None:
    verdicts = []
    for file in sorted((FOLDER / half).glob("[a-z]*.py")):
        module = importlib.import_module(f"functions.{half}.{file.stem}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            verdicts += [judge(e.function, e.arguments) for e in module.EXAMPLES]
    assert [(v.name, v.misses) for v in verdicts if v.misses] == []
    assert [(v.name, v.weakened) for v in verdicts if v.weakened] == []
    exact = sum(v.exact for v in verdicts)
    print(f"{half}: {exact} of {len(verdicts)} exact")
    assert exact >= LEAST_EXACT[half] * len(verdicts)
