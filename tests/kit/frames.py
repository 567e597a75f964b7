"""Judging the provenance of programs over frames: run them plainly and tracked, and change single values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

import headwater_pandas as hp
from headwater_pandas import observe
from headwater_pandas.held import held
from headwater_pandas.memory.changed import PROGRAM

Program = Callable[..., Any]
Cell = tuple[str, int, object]
Claims = tuple[list[set[Cell]], set[tuple[str, object]]]
"""What each value of a column lists, and the columns that are listed for any of them (as influences)."""


@contextmanager
def strict() -> Iterator[None]:
    """Track nothing before and after, and raise what a rule raises."""
    hp.stop()
    observe.STRICT = True
    try:
        yield
    finally:
        observe.STRICT = False
        hp.stop()


def run(program: Program, *frames: Any) -> Any:
    """The program's result over tracked copies of the frames, which are `frame 0`, `frame 1` …; it is the plain one."""
    with_plain = program(*(frame.copy() for frame in frames))
    tracked = [hp.track(frame.copy(), f"frame {number}") for number, frame in enumerate(frames)]
    result = program(*tracked)
    same(with_plain, result)
    return result


def same(one: Any, other: Any) -> None:
    """Two results are the same to the last detail."""
    assert type(one) is type(other)
    compare = (
        pd.testing.assert_frame_equal if isinstance(one, pd.DataFrame) else pd.testing.assert_series_equal
    )
    compare(one, other)


def cells(answer: Any) -> set[Cell]:
    """The values of an answer."""
    return {
        (name, int(row), column)
        for name, row, column in zip(answer["dataset"], answer["row"], answer["column"], strict=True)
    }


def records(answer: Any) -> set[tuple[str, int]]:
    """The records of an answer."""
    return {(name, int(row)) for name, row in zip(answer["dataset"], answer["row"], strict=True)}


def misses(program: Program, *frames: Any, known: bool = True) -> list[tuple[Cell, int, object]]:
    """Input cells whose change changed a value of the result that does not list them; labels have to stay.

    Unless all has to be ``known``, a value may list `values of the program` instead, or the result be not tracked; what
    decides about other values of the result is no excuse then, unless it is listed as an influence.

    A record that a changed key brings into another group, or next to another partner, was no part of that result: it is
    enough that its column is listed for any value of the result's column.
    """
    result = run(program, *frames)
    assert result.size, "a program that gives nothing shows nothing"
    if not known and held(result) is None:
        return []
    claims = [_claims(result, name, known=known) for name in _columns_of(result)]
    # All claims are there: to observe how they are judged would take half of the time, and change nothing.
    with observe.alone():
        return list(_not_claimed(program, frames, _as_frame(result), claims, known=known))


def _not_claimed(
    program: Program, frames: tuple[Any, ...], before: Any, claims: list[Claims], *, known: bool
) -> Iterator[tuple[Cell, int, object]]:
    """What ``misses`` says, of a result and of what its columns claim."""
    values, missing = before.astype(object).to_numpy(), before.isna().to_numpy()
    for cell, changed in _changes(frames):
        after = _plainly(program, changed)
        if after is None or after.shape != before.shape or not after.index.equals(before.index):
            continue
        for row, place in np.argwhere(_different(values, missing, after)).tolist():
            made, deciding = claims[place]
            if not known and any(name == PROGRAM for name, *_ in made[row]):
                continue
            if cell not in made[row] and (cell[0], cell[2]) not in deciding:
                yield cell, row, before.columns[place]


def _claims(result: Any, column: object, *, known: bool) -> Claims:
    influences = [cells(hp.influence(result, row, [column])) for row in range(len(result))]
    made = [cells(hp.why(result, row, [column])) | influences[row] for row in range(len(result))]
    decide = made if known else influences
    return made, {(name, decides) for each in decide for name, _, decides in each}


def _plainly(program: Program, frames: list[Any]) -> Any:
    try:
        with observe.alone():
            return _as_frame(program(*frames))
    except (ValueError, TypeError, KeyError, OverflowError):
        return None


def _columns_of(result: Any) -> list[Any]:
    return list(result.columns) if isinstance(result, pd.DataFrame) else [result.name]


def _as_frame(result: Any) -> Any:
    return result if isinstance(result, pd.DataFrame) else result.to_frame("only")


def _different(values: Any, missing: Any, after: Any) -> Any:
    others, gone = after.astype(object).to_numpy(), after.isna().to_numpy()
    there = ~missing & ~gone
    found = missing != gone
    for place in zip(*np.nonzero(there), strict=True):
        one, other = values[place], others[place]
        found[place] = not (one is other or one == other)
    return found


def _changes(frames: tuple[Any, ...]) -> Iterator[tuple[Cell, list[Any]]]:
    for number, frame in enumerate(frames):
        for row in range(len(frame)):
            for place, column in enumerate(frame.columns):
                for value in _other_values(frame.iloc[:, place], row):
                    changed = [each.copy() for each in frames]
                    changed[number].iloc[row, place] = value
                    yield (f"frame {number}", row, column), changed


def _other_values(series: Any, row: int) -> list[Any]:
    """Values that the cell does not have: others of its column, one that is new, and none."""
    there = series.iloc[row]
    others = [value for value in series.dropna().unique() if value is not there and value != there][:1]
    if pd.api.types.is_float_dtype(series.dtype):
        others += [np.nan]
    elif pd.api.types.is_integer_dtype(series.dtype):
        others += [54321]
    elif series.dtype == object:
        others += ["Zebra"]
    return others
