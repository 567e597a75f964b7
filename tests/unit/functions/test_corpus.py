"""Functions as users write them, and generated ones: what is said of them against what they do when inputs change."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path

import pytest

from functions import generated_values, oracle
from functions.generated_frames import examples
from functions.oracle import judge

FOLDER = Path(__file__).parents[2] / "functions"
LEAST_EXACT = {"corpus_before": 0.7, "corpus_hostile": 0.25, "corpus_frames": 0.65}
"""Of those in the manner of real code, and of those that hide what they do, which may well be opaque."""
SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "half", ["corpus_before", "corpus_hostile", pytest.param("corpus_frames", marks=SLOW)]
)
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


@pytest.mark.parametrize(("seed", "count"), [(7, 6), pytest.param(1, 500, marks=SLOW)], ids=["a few", "many"])
def test_no_change_is_missed_of_pipelines_over_frames(
    seed: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oracle, "FEW_CHANGES", 2)
    monkeypatch.setattr(oracle, "FEW_VARIANTS", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [(source, judge(e.function, e.arguments)) for source, e in examples(seed, count)]
    assert [(source, v.misses) for source, v in found if v.misses or v.weakened] == []
    assert sum(v.narrowed for _, v in found) > count / 2


@pytest.mark.parametrize(
    ("seed", "count"), [(7, 10), *(pytest.param(seed, 500, marks=SLOW) for seed in (1, 2, 3, 4))], ids=str
)
def test_no_change_is_missed_of_functions_of_values(
    seed: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oracle, "FEW_STARTS", generated_values.FEW_STARTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            (source, judge(e.function, e.arguments)) for source, e in generated_values.examples(seed, count)
        ]
    assert [(source, v.misses) for source, v in found if v.misses or v.weakened] == []
    assert sum(v.narrowed for _, v in found) > 0.9 * count
