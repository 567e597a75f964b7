"""Functions as users write them, and generated ones: what is stated of them against what they do when inputs change."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

import pytest

from functions import (
    generated_classes,
    generated_frames,
    generated_objects,
    generated_series,
    generated_values,
    generated_work,
    generating,
    oracle,
)
from functions.oracle import judge

FOLDER = Path(__file__).parents[2] / "functions"
LEAST_EXACT = {
    "corpus_before": 0.7,
    "corpus_apart": 0.7,
    "corpus_after": 0.65,
    "corpus_hostile": 0.25,
    "corpus_frames": 0.65,
    "corpus_selected": 0.85,
    "corpus_objects": 0.7,
    "corpus_later": 0.65,
    "corpus_parts": 0.45,
    "corpus_fresh": 0.6,
    "corpus_attempts": 0.1,
    "corpus_domains": 0.55,
}
"""Of those in the manner of real code, and of those that hide what they do, which may well be opaque."""
LEAST_READ = {
    generated_values: 0.9,
    generated_work: 0.8,
    generated_series: 0.3,
    generated_frames: 0.5,
    generated_objects: 0.5,
    generated_classes: 0.6,
}
SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "half",
    [
        "corpus_before",
        "corpus_apart",
        "corpus_after",
        "corpus_hostile",
        "corpus_selected",
        "corpus_objects",
        "corpus_later",
        "corpus_parts",
        "corpus_attempts",
        pytest.param("corpus_frames", marks=SLOW),
        pytest.param("corpus_fresh", marks=SLOW),
        pytest.param("corpus_domains", marks=SLOW),
    ],
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


def _many(module: Any, seeds: int, count: int, few: int) -> list[Any]:
    name = module.__name__.rpartition("_")[2]
    return [
        pytest.param(module, 7, few, id=f"a few {name}"),
        *(pytest.param(module, s, count, marks=SLOW, id=f"{name} {s}") for s in range(1, seeds + 1)),
    ]


@pytest.mark.parametrize(
    ("module", "seed", "count"),
    [
        *_many(generated_values, 4, 500, 10),
        *_many(generated_work, 16, 500, 10),
        *_many(generated_series, 2, 250, 5),
        *_many(generated_frames, 1, 500, 6),
        *_many(generated_objects, 5, 500, 10),
        *_many(generated_classes, 4, 500, 20),
    ],
)
def test_no_change_is_missed_of_functions_that_are_written_by_chance(
    module: Any, seed: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for few in ("FEW_STARTS", "FEW_OTHERS", "FEW_CHANGES", "FEW_VARIANTS"):
        monkeypatch.setattr(oracle, few, getattr(module, few, getattr(oracle, few)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        written = generating.examples(module.GENERATOR, seed, count)
        found = [(source, generating.judged(module.GENERATOR, source, e)) for source, e in written]
    assert [(source, v.misses, v.weakened) for source, v in found if v.misses or v.weakened] == []
    assert sum(v.narrowed for _, v in found) > LEAST_READ[module] * count
