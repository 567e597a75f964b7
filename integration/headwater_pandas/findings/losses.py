"""Whom a pipeline drops: how many records of each group are left after each of its steps."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from headwater_pandas.answers import NotTrackedError, dataset_of, frames_held
from headwater_pandas.observe import alone
from headwater_records import questions
from headwater_records.columns import WHOLE
from headwater_records.graph import Dataset, ancestors, question
from headwater_records.lists import Numbers


def lost(frame: Any = None, *, of: Any = None, by: Hashable) -> Any:
    """How many records of the frame ``of`` still reach each step on the way to ``frame``, by the values of a column.

    A line for each step, a column for each value: what a step drops of one group more than of another stands out. A
    record counts as long as something of it is in the step's result. Without ``frame`` these are the steps to all
    frames that the program has; without ``of`` the source is the one that it has with such a column. Raises
    ``NotTrackedError`` if it has none (any more), and ``ValueError`` if it has several.
    """
    with alone(), question():
        ends = list(frames_held()) if frame is None else [dataset_of(frame)]
        people = _with_column(by, ends) if of is None else of
        source, values = dataset_of(people), people[by]
        groups = {value: np.flatnonzero(values.eq(value).to_numpy()) for value in values.dropna().unique()}
        if values.isna().any():
            groups[np.nan] = np.flatnonzero(values.isna().to_numpy())
        within = _between(source, ends)
        left = {value: _left(source, rows, within) for value, rows in groups.items()}
        return pd.DataFrame({"step": [each.step for each in within], **left})


def _with_column(name: Hashable, ends: list[Dataset]) -> Any:
    """The only source of these datasets that the program still has as a frame, and that has such a column."""
    frames = frames_held()
    sources = [each for each in ancestors(ends) if not each.made_of and name in each.columns]
    held = [each for each in sources if each in frames]
    if len(held) > 1:
        listed = ", ".join(each.step for each in held)
        raise ValueError(f"{len(held)} sources have a column {name!r} ({listed}): name one of them with of=")
    if not held:
        gone = ", ".join(each.step for each in sources)
        raise NotTrackedError(
            f"{gone} has a column {name!r}, but the program no longer has the frame: keep it in a variable"
            if sources
            else f"no source has a column {name!r}: name the frame that has it with of="
        )
    return frames[held[0]]


def _between(source: Dataset, ends: list[Dataset]) -> list[Dataset]:
    """The source, the ends, and what lies between, in the order of making; not what was only looked at."""
    behind, before = {source}, set(ends)
    datasets = ancestors(ends)
    for each in datasets:
        if any(step.contributes and step.dataset in behind for step in each.inputs):
            behind.add(each)
    for each in reversed(datasets):
        if each in before:
            before.update(step.dataset for step in each.inputs if step.contributes)
    return [each for each in datasets if each in behind and each in before]


def _left(source: Dataset, rows: Numbers, within: list[Dataset]) -> list[int]:
    """How many of these records of the source are in each of the datasets."""
    trace = questions.derived(source, {WHOLE: rows}, within)
    left = []
    for each in within:
        back = questions.contributing(each, {WHOLE: questions.records_at(each, trace)})
        left.append(int(np.isin(questions.records_at(source, back), rows).sum()) if source in back else 0)
    return left
