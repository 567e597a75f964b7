"""The questions, for frames: records are asked by position, columns by name, and answers are frames.

An answer has a line for each record (or value) that was found: the dataset, the position of the record in it, the
column if columns were asked, and whether it is certain. It is not where the way there leads through a step that was
not understood. Sources that the program made itself are listed as `values of the program`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from headwater_pandas.collected import origins_of
from headwater_pandas.held import held, things
from headwater_pandas.observe import alone
from headwater_pandas.shape import is_data, shape_of
from headwater_records import questions
from headwater_records.cells import Cells, checked
from headwater_records.columns import WHOLE, bits, numbers
from headwater_records.graph import Dataset, ancestors, question
from headwater_records.lists import Numbers
from headwater_records.trace import DOUBTFUL, INFLUENCES, Trace

Rows = Iterable[int] | int | np.integer[Any] | None
Columns = Iterable[Hashable] | str | None


class NotTrackedError(LookupError):
    """Nothing is known of an object."""

    code = "not_tracked"
    hint = "call headwater_pandas.track on the frame it was made of, or read it within headwater_pandas.tracking()"


def why(frame: Any, rows: Rows = None, columns: Columns = None, *, of: Any = None) -> Any:
    """What the records (or their values in these columns) were made of, in the sources, or in the frame ``of``."""
    return _backward(frame, rows, columns, of, lambda role: not role & INFLUENCES)


def influence(frame: Any, rows: Rows = None, columns: Columns = None, *, of: Any = None) -> Any:
    """What decided about them and is not in them: predicates, keys, and all records of a fit."""
    return _backward(frame, rows, columns, of, lambda role: bool(role & INFLUENCES))


def forward(
    frame: Any, rows: Rows = None, columns: Columns = None, *, to: Any = None, influences: bool = False
) -> Any:
    """What was made of the records (or values), in the frame ``to``, or in all frames that the program has."""
    with alone(), question():
        dataset, cells = asked_of(frame, rows, columns)
        ends = _ends(to, dataset)
        trace = questions.derived(dataset, cells, ends, influences=influences)

        def wanted(role: int) -> bool:
            return influences or not role & INFLUENCES

        return _answer(ends, trace, wanted, columns is not None)


def how(frame: Any, rows: Rows = None, columns: Columns = None, *, to: Any = None) -> Any:
    """The steps on the way from the sources, or (with ``to``) on the way to that frame, in their order."""
    with alone(), question():
        dataset, cells = asked_of(frame, rows, columns)
        if to is None:
            trace = questions.contributing(dataset, cells)
        else:
            end = dataset_of(to)
            trace = questions.derived(dataset, cells, [end])
            before = questions.contributing(end, {WHOLE: questions.records_at(end, trace)})
            trace = {each: roles for each, roles in trace.items() if each in before}
        return _steps(trace)


def _steps(trace: Trace) -> Any:
    found = [
        (
            each.step,
            _names(each, questions.columns_at(each, trace)),
            len(_all_records(each, trace)),
            each.exact,
        )
        for each in questions.steps_of(trace)
    ]
    return pd.DataFrame(found, columns=["step", "columns", "records", "exact"])


def transformations(frame: Any, columns: Columns = None) -> Any:
    """All steps behind the frame (or behind these columns of it), in their order."""
    with alone(), question():
        dataset = dataset_of(frame)
        wanted = WHOLE if columns is None else _bits(frame, columns)
        steps = questions.transformations(dataset, wanted)
        found = [(each.step, each.rows, len(each.columns), each.exact) for each in steps]
        return pd.DataFrame(found, columns=["step", "records", "columns", "exact"])


def co_contributory(frame: Any, rows: Rows, other: Any, *, to: Any = None) -> Any:
    """The records of ``other`` that were used together with these for one output."""
    with alone(), question():
        dataset, cells = asked_of(frame, rows, None)
        found = questions.co_contributory(dataset, cells[WHOLE], dataset_of(other), _ends(to, dataset))
        return _positions(dataset_of(other), found)


def co_dependent(frame: Any, rows: Rows, other: Any) -> Any:
    """The records of ``other`` that stem from the same records of a source."""
    with alone(), question():
        dataset, cells = asked_of(frame, rows, None)
        return _positions(dataset_of(other), questions.co_dependent(dataset, cells[WHOLE], dataset_of(other)))


def explain(frame: Any, row: int | None = None, column: Hashable = None) -> str:
    """A sentence: what a record (or a value) was made of, and by which steps.

    Instead of a frame with a row, a single value that was taken out of one will do (`frame.loc[3, "score"]`). Equal
    values that were taken of other places each have a sentence.
    """
    if row is None:
        return _explained(frame)
    asked = None if column is None else [column]
    made, steps = why(frame, row, asked), how(frame, row, asked)
    what = f"record {row}" if column is None else f"{column!s} of record {row}"
    return _sentence(what, made, steps)


def _explained(value: Any) -> str:
    """A sentence for each place that the program took such a value of."""
    found = origins_of(value) if pd.api.types.is_scalar(value) else ()
    if not found:
        raise NotTrackedError(
            f"no {type(value).__name__} like this was taken out of a tracked frame: name its row"
        )
    with alone(), question():
        return " ".join(_of_figure(each) for each in found)


def _of_figure(dataset: Dataset) -> str:
    every = bits(range(len(dataset.columns)))
    trace = questions.contributing(dataset, {every: np.arange(dataset.rows)}, influences=False)
    made = _answer(_sources(trace), trace, lambda role: not role & INFLUENCES, by_column=True)
    return _sentence("It", made, _steps(trace))


def _sentence(what: str, made: Any, steps: Any) -> str:
    if made.empty:
        return f"{what} was made of no record: {_listed(steps['step'])}."
    parts = [_part(name, group) for name, group in made.groupby("dataset", sort=False)]
    doubt = (
        ""
        if made["certain"].all()
        else " Not all of these are certain: a step on the way was not understood."
    )
    return f"{what} was made of {'; and of '.join(parts)}. Steps: {_listed(steps['step'])}.{doubt}"


def _part(name: str, group: Any) -> str:
    rows = [str(each) for each in group["row"].unique()]
    shown = ", ".join(rows[:5]) + (f" and {len(rows) - 5} more" if len(rows) > 5 else "")
    columns = f"{_listed(group['column'].unique())} of " if "column" in group else ""
    return f"{columns}record{'s' if len(rows) > 1 else ''} {shown} in {name}"


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(str(each) for each in names)


def _backward(frame: Any, rows: Rows, columns: Columns, of: Any, wanted: Callable[[int], bool]) -> Any:
    with alone(), question():
        dataset, cells = asked_of(frame, rows, columns)
        trace = questions.contributing(dataset, cells, influences=wanted(INFLUENCES))
        ends = _sources(trace) if of is None else [dataset_of(of)]
        return _answer(ends, trace, wanted, columns is not None)


def _sources(trace: Trace) -> list[Dataset]:
    return [each for each in questions.steps_of(trace) if not each.made_of]


def _answer(ends: list[Dataset], trace: Trace, wanted: Callable[[int], bool], by_column: bool) -> Any:
    found: list[tuple[Dataset, int, int, Numbers]] = []
    for end in ends:
        here = (each for each in questions.found_at(end, trace) if wanted(each[0]))
        found += [(end, *each) for each in here if each[1] != WHOLE or not by_column]
    lengths = [len(rows) for *_, rows in found]
    answer = {
        "dataset": np.repeat(np.array([end.step for end, *_ in found], object), lengths),
        "row": np.concatenate([rows for *_, rows in found]) if found else np.empty(0, np.int64),
    }
    if by_column:
        names = np.empty(len(found), object)
        names[:] = [end.columns[column] for end, _, column, _ in found]
        answer["column"] = np.repeat(names, lengths)
    answer["certain"] = np.repeat(np.array([not role & DOUBTFUL for _, role, *_ in found], bool), lengths)
    return pd.DataFrame(answer)


def _positions(dataset: Dataset, rows: Numbers) -> Any:
    return pd.DataFrame({"dataset": np.full(len(rows), dataset.step, object), "row": rows})


def _all_records(dataset: Dataset, trace: Trace) -> Numbers:
    return questions.records_at(dataset, trace)


def asked_of(frame: Any, rows: Rows, columns: Columns) -> tuple[Dataset, Cells]:
    dataset = dataset_of(frame)
    if rows is None:
        positions: Numbers = np.arange(dataset.rows)
    else:
        positions = checked([int(rows)] if isinstance(rows, int | np.integer) else rows, dataset.rows)
    return dataset, {WHOLE if columns is None else _bits(frame, columns): positions}


def _bits(frame: Any, columns: Columns) -> int:
    labels = list(shape_of(frame).labels if is_data(frame) else dataset_of(frame).columns)
    wanted = [columns] if isinstance(columns, str) else list(columns or [])
    unknown = [name for name in wanted if name not in labels]
    if unknown:
        raise KeyError(unknown[0])
    return bits(number for number, label in enumerate(labels) if label in wanted)


def _names(dataset: Dataset, columns: int) -> str:
    if columns == WHOLE:
        return ""
    return ", ".join(str(dataset.columns[number]) for number in numbers(columns))


def dataset_of(frame: Any) -> Dataset:
    """The dataset behind a frame. Raises ``NotTrackedError``."""
    known = held(frame)
    if known is None:
        raise NotTrackedError(f"this {type(frame).__name__} is not tracked: {NotTrackedError.hint}")
    return known.dataset


def _ends(to: Any, start: Dataset) -> list[Dataset]:
    """The frame that is asked for, or all that the program has behind the start."""
    if to is not None:
        return [dataset_of(to)]
    return [each for each in frames_held() if each is not start and start in ancestors([each])]


def frames_held() -> dict[Dataset, Any]:
    """The frames that the program has, by their datasets."""
    return {known.dataset: thing for thing, known in things() if isinstance(thing, pd.DataFrame)}
