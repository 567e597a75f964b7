"""Records that a training must not know, and knows by a fit: a mean, a scale, a category, a rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from headwater_pandas.answers import dataset_of
from headwater_pandas.observe import alone
from headwater_records import questions
from headwater_records.cells import without
from headwater_records.columns import WHOLE, numbers
from headwater_records.graph import Dataset, Input, ancestors
from headwater_records.lists import Numbers


def leaks(training: Any, test: Any, *, of: Any) -> Any:
    """The steps behind ``training`` (a frame or a model) that looked at records of ``test`` and not only at its own.

    Both are made of records of the frame ``of``. A line for each step: the columns that it looked at as a whole, and
    how many records of ``of`` that are in the test alone were among them. No line: no leak by what is understood.
    """
    with alone():
        source, end = dataset_of(of), dataset_of(training)
        behind_test = _behind(dataset_of(test), source)
        only = without(behind_test, _behind(end, source), source.rows)
        datasets = ancestors([end])
        trace = questions.derived(source, {WHOLE: only}, datasets) if len(only) else {}
        found = []
        for made, step in _fits(datasets):
            there = questions.records_at(step.dataset, trace)
            if len(there):
                back = questions.contributing(step.dataset, {WHOLE: there})
                known = only[pd.Series(only).isin(questions.records_at(source, back)).to_numpy()]
                found.append((made.step, _columns(step), len(known), step.exact))
        return pd.DataFrame(found, columns=["step", "columns", "records", "exact"])


def _behind(dataset: Dataset, source: Dataset) -> Numbers:
    everything = {WHOLE: pd.RangeIndex(dataset.rows).to_numpy()}
    return questions.records_at(source, questions.contributing(dataset, everything))


def _fits(datasets: list[Dataset]) -> Iterator[tuple[Dataset, Input]]:
    """What steps looked at as a whole."""
    for made in datasets:
        for step in made.inputs:
            if step.fits:
                yield made, step


def _columns(step: Input) -> str:
    looked = 0
    for _, inputs in step.fits:
        looked |= inputs
    names = [
        str(step.dataset.columns[number]) for number in numbers(looked) if number < len(step.dataset.columns)
    ]
    return ", ".join(names)
