"""What two runs of a pipeline did differently, step by step."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any

import pandas as pd

from headwater_pandas.answers import dataset_of
from headwater_pandas.observe import alone
from headwater_records.columns import WHOLE, numbers
from headwater_records.graph import Dataset, ancestors

_COLUMNS = ["step", "change", "records_before", "records_after", "columns_gone", "columns_new"]


def diff(before: Any, after: Any) -> Any:
    """The steps behind two frames, or models, side by side, in their order.

    ``change`` is `added`, `removed`, `changed` (it looks at or gives other columns), `records` (it leaves another
    number of records), or empty. ``columns_gone`` and ``columns_new`` are names of columns that only one of both has.
    """
    with alone():
        one, other = ancestors([dataset_of(before)]), ancestors([dataset_of(after)])
        matcher = SequenceMatcher(
            None, [each.step for each in one], [each.step for each in other], autojunk=False
        )
        lines: list[tuple[Any, ...]] = []
        for kind, start, end, first, last in matcher.get_opcodes():
            if kind == "equal":
                lines += [_both(a, b) for a, b in zip(one[start:end], other[first:last], strict=True)]
            else:
                lines += [
                    (each.step, "removed", each.rows, None, _names(each), "") for each in one[start:end]
                ]
                lines += [
                    (each.step, "added", None, each.rows, "", _names(each)) for each in other[first:last]
                ]
        return pd.DataFrame(lines, columns=_COLUMNS).astype(
            {"records_before": "Int64", "records_after": "Int64"}
        )


def _both(one: Dataset, other: Dataset) -> tuple[Any, ...]:
    here, there = list(map(str, one.columns)), list(map(str, other.columns))
    gone = ", ".join(name for name in here if name not in there)
    new = ", ".join(name for name in there if name not in here)
    changed = here != there or _looks_at(one) != _looks_at(other)
    change = "changed" if changed else "records" if one.rows != other.rows else ""
    return one.step, change, one.rows, other.rows, gone, new


def _looks_at(dataset: Dataset) -> list[list[str]]:
    """The columns that decide in a step, by its inputs."""
    return [
        [str(step.dataset.columns[number]) for number in numbers(step.accessed & _all(step.dataset))]
        for step in dataset.inputs
        if step.accessed != WHOLE
    ]


def _all(dataset: Dataset) -> int:
    return (1 << len(dataset.columns)) - 1


def _names(dataset: Dataset) -> str:
    return ", ".join(map(str, dataset.columns))
