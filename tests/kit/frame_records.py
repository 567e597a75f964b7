"""Judging programs over frames by records: a value that a changed cell changes lists that cell.

It may do so before the change or after it: a changed key brings its record into another group, which has it only then.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

import headwater_pandas as hp
from headwater_pandas import observe
from headwater_pandas.held import held
from headwater_pandas.memory.changed import PROGRAM
from headwater_records import questions
from headwater_records.columns import WHOLE
from kit.frame_tokens import frames
from kit.frames import Cell, strict

INDEXES = {
    "numbers": "pass",
    "filtered": "a = a[a['id'] != 3]",
    "another order": "a = a.iloc[[3, 0, 5, 1, 4, 2]]",
    "texts": "a.index = list('zyxwvu')",
    "duplicated": "a.index = [7, 7, 3, 3, 1, 7]",
    "two levels": "a.index = pd.MultiIndex.from_arrays([list('xyxyxy'), [5, 4, 3, 2, 1, 0]])",
    "times": "a.index = pd.date_range('2026-03-28', periods=6, freq='6h', tz='Europe/Zurich')",
}
"""Steps that give the frame `a` an index of each kind: most rules go by labels, and some by places."""

Listed = Callable[[int, int], set[Cell]]


def misses(steps: list[str], chance: random.Random, count: int) -> list[tuple[Cell, int, object]]:
    """Cells among ``count`` that change a value of the result (its record, its column) which does not list them.

    Results with other rows, labels or columns are no witnesses, nor are those that the program's own values may be in,
    and those with the same records in another order.
    """
    sources = frames()
    before = _plainly(steps, sources)
    if before is None or not before.size:
        return []
    with strict():
        listed = _tracked(steps, sources)
        return list(_not_listed(steps, before, listed, chance, count)) if listed is not None else []


def _not_listed(
    steps: list[str], before: Any, listed: Listed, chance: random.Random, count: int
) -> Iterator[tuple[Cell, int, object]]:
    for cell, changed in _changes(chance, count):
        after = _plainly(steps, changed)
        if after is None or not (after.index.equals(before.index) and after.columns.equals(before.columns)):
            continue
        others = None
        for row, place in _different(before, after):
            if _lists(listed(row, place), cell):
                continue
            others = others or _tracked(steps, changed)
            if others is None or not _lists(others(row, place), cell):
                yield cell, row, before.columns[place]


def _lists(found: set[Cell], cell: Cell) -> bool:
    return cell in found or any(name == PROGRAM for name, *_ in found)


def _changes(chance: random.Random, count: int) -> Iterator[tuple[Cell, dict[str, Any]]]:
    every = [
        (name, row, column)
        for name, frame in frames().items()
        for row in range(len(frame))
        for column in frame.columns
    ]
    for name, row, column in chance.sample(every, count):
        changed = frames()
        values = changed[name][column]
        other = values.iloc[(row + 1) % len(values)]
        new = chance.choice([other, 4 if pd.api.types.is_numeric_dtype(values.dtype) else "Zebra"])
        changed[name].loc[row, column] = new
        yield (name, row, column), changed


def _different(before: Any, after: Any) -> list[tuple[int, int]]:
    """The places of other values; none where the records only stand in another order."""
    one, other = (_texts(each) for each in (before, after))
    moved = sorted(map(str, one)) == sorted(map(str, other)) or _most_moved(one, other)
    rows = enumerate(zip(one, other, strict=True))
    pairs = [(row, place) for row, (these, those) in rows for place in _places(these, those)]
    return [] if moved else pairs


def _places(these: list[str], those: list[str]) -> list[int]:
    return [place for place, (one, other) in enumerate(zip(these, those, strict=True)) if one != other]


def _most_moved(one: list[list[str]], other: list[list[str]]) -> bool:
    """Whether all records but one or two are in both, and more than two stand elsewhere."""
    kept = {str(each) for each in one} & {str(each) for each in other}
    changed = sum(these != those for these, those in zip(one, other, strict=True))
    return len(one) > 2 and len(kept) >= len(one) - 2 and changed > 2


def _texts(frame: Any) -> list[list[str]]:
    return [[_text(value) for value in row] for row in frame.astype(object).to_numpy()]


def _text(value: Any) -> str:
    """Equal for numbers of other types: a missing value among them makes all of them fractions."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return str(float(value)) if number else str(value)


def _plainly(steps: list[str], sources: dict[str, Any]) -> Any:
    """The frame that the program has in the end where nothing is tracked; None where pandas refuses it."""
    try:
        with observe.alone():
            return _as_frame(_done(steps, {name: each.copy() for name, each in sources.items()}))
    except Exception:  # noqa: BLE001 - whatever pandas raises: random programs ask for anything
        return None


def _as_frame(result: Any) -> Any:
    if isinstance(result, pd.DataFrame):
        return result
    return result.to_frame("only") if isinstance(result, pd.Series) else None


def _tracked(steps: list[str], sources: dict[str, Any]) -> Listed | None:
    """What each value of the result lists; None if it is not tracked, or one record laid out along its index."""
    result = _done(steps, {name: hp.track(each.copy(), name) for name, each in sources.items()})
    known = held(result)
    if known is None or known.turned:
        return None

    def listed(row: int, place: int) -> set[Cell]:
        asked = {1 << place: np.array([row])}
        trace = questions.contributing(known.dataset, asked, influences=True)
        sources = [each for each in questions.steps_of(trace) if not each.made_of]
        return {
            (source.step, int(number), source.columns[column])
            for source in sources
            for _, column, numbers in questions.found_at(source, trace)
            for number in numbers
            if column != WHOLE
        }

    return listed


def _done(steps: list[str], scope: dict[str, Any]) -> Any:
    scope |= {"pd": pd, "np": np}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for step in steps:
            exec(step, scope)
    return scope["a"]
