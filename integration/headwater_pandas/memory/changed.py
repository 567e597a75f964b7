"""What becomes of a dataset when the program changed its object without a call that could be observed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from headwater_records.associations import SAME, Every, Same
from headwater_records.columns import MadeColumns, MovedColumns, NoColumns
from headwater_records.graph import Dataset, Input

PROGRAM: Final = "values of the program"
"""The step of a source that the program made itself, so that nobody knows where its values are from."""
CHANGED: Final = "changed in place"
"""The step of what the program changed without a call that was observed."""


def changed(before: Dataset, columns: Iterable[int]) -> Dataset:
    """The dataset with anything in these columns: values of all its records, and of the program; the others stay."""
    places, every = sorted(columns), Every(before.rows, before.rows)
    inputs = (
        _left(before, places),
        Input(before, every, _any_of(before, places), exact=False),
        Input(Dataset(PROGRAM, before.rows, ("value",), known=False), SAME, _into(places, 1)),
    )
    return Dataset(CHANGED, before.rows, before.columns, inputs)


def laid_out_anew(before: Dataset, rows: int, columns: Sequence[object]) -> Dataset:
    """Other records with other columns, anything of the dataset and of the program in each of them."""
    places = list(range(len(columns)))
    inputs = (
        Input(before, Every(before.rows, rows), _any_of(before, places), exact=False),
        Input(Dataset(PROGRAM, rows, ("value",), known=False), SAME, _into(places, 1)),
    )
    return Dataset(CHANGED, rows, columns, inputs)


def regrouped(before: Dataset, behind: Dataset, now: Dataset) -> Dataset:
    """What is behind groups that were made of a dataset, when their frame is another one now."""
    stay = _left_in(behind, now)
    width = len(behind.columns)
    places = [number for number in range(width) if number not in stay]
    inputs = [_left(before, places)]
    for each in (before, now) if places else ():
        every = Every(each.rows, before.rows)
        inputs.append(Input(each, every, _any_of(each, places), exact=False))
    return Dataset(CHANGED, before.rows, before.columns, inputs)


def _left(before: Dataset, places: list[int]) -> Input:
    """All columns but these, as they were."""
    gone = set(places)
    stay = tuple(-1 if number in gone else number for number in range(len(before.columns)))
    return Input(before, SAME, MovedColumns(stay))


def _any_of(dataset: Dataset, places: list[int]) -> MadeColumns:
    """Any column of the dataset in each of these."""
    return _into(places, (1 << len(dataset.columns)) - 1)


def _into(places: list[int], columns: int) -> MadeColumns:
    return MadeColumns(tuple((place, columns) for place in places), NoColumns())


def _left_in(before: Dataset, now: Dataset) -> set[int]:
    """The columns of a dataset that are still there, as they were, in what its object was made into in place."""
    places = {number: number for number in range(len(before.columns))}
    steps = []
    while now is not before:
        if not now.inputs or not isinstance(now.inputs[0].rows, Same):
            return set()
        steps.append(now)
        now = now.inputs[0].dataset
    for step in reversed(steps):
        first, *others = step.inputs
        moved_to = {number: first.columns.forward(1 << place) for number, place in places.items()}
        places = {
            number: column.bit_length() - 1
            for number, column in moved_to.items()
            if column.bit_count() == 1 and not any(other.columns.backward(column) for other in others)
        }
    return set(places)
