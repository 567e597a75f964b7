"""What functions keep from one row to the next, and what they change under another name: judged by what they do."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path

from functions.examples import Example
from functions.oracle import in_file, judge
from functions.sequences import changed_pairs, judge_rows

KEPT: list[Example] = importlib.import_module("functions.corpus_between.kept").EXAMPLES
CHANGED: list[Example] = importlib.import_module("functions.corpus_between.changed").EXAMPLES


def test_what_a_row_leaves_behind_is_in_what_is_listed_of_the_next_ones() -> None:
    verdicts = [judge_rows(each.function, each.arguments) for each in KEPT]
    assert [(v.name, v.misses) for v in verdicts if v.misses] == []


def test_what_a_row_leaves_behind_in_a_module_that_was_shipped_is_listed_as_well() -> None:
    source = Path(str(importlib.import_module("functions.corpus_between.kept").__file__)).read_text("utf-8")
    reads = in_file(
        source.replace("@rows\n", "").replace(f"from {Example.__module__} import Example", ""), "shipped"
    )
    named = [each for each in KEPT if hasattr(each.function, "__name__")]
    verdicts = [judge_rows(each.function, each.arguments, reads) for each in named]
    assert [(v.name, v.misses) for v in verdicts if v.misses] == []
    assert sum(v.narrowed for v in verdicts) > 10


def test_the_rows_of_the_examples_do_leave_something_behind() -> None:
    acting = [
        each for each in KEPT if any(a == 0 for a, _, _ in changed_pairs(each.function, each.arguments))
    ]
    assert len(acting) > 0.9 * len(KEPT)


def test_what_is_changed_under_another_name_is_in_what_is_listed() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdicts = [judge(each.function, each.arguments) for each in (*KEPT, *CHANGED)]
    assert [(v.name, v.misses, v.weakened) for v in verdicts if v.misses or v.weakened] == []
    assert sum(v.narrowed for v in verdicts) > 0.4 * len(CHANGED)
