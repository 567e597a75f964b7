"""What of a program would have to be made again without some records: frames, arrays and models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from headwater_pandas.answers import dataset_of
from headwater_pandas.held import things
from headwater_pandas.observe import alone
from headwater_pandas.shape import is_data
from headwater_records import questions
from headwater_records.cells import checked
from headwater_records.columns import WHOLE
from headwater_records.graph import Dataset, ancestors
from headwater_records.trace import DOUBTFUL, INFLUENCES


def erasure(frame: Any, rows: Iterable[int] | int) -> Any:
    """All objects of the program that have something of these records, or that these had an influence on.

    A line for each: ``object`` (DataFrame, LogisticRegression …), the ``step`` that made it, how many ``records`` of it
    were made of them, whether it ``holds`` something of them or was only decided about, and whether that is certain.
    """
    with alone():
        start = dataset_of(frame)
        asked = checked([rows] if isinstance(rows, int) else rows, start.rows)
        held = [(thing, known.dataset) for thing, known in things() if start in ancestors([known.dataset])]
        trace = questions.derived(start, {WHOLE: asked}, [each for _, each in held], influences=True)
        found = {}
        for thing, dataset in held:
            if dataset in trace and thing is not frame:
                kind = type(thing).__name__ if is_data(thing) or dataset.columns == ("model",) else "grouped"
                found[kind, dataset] = _line(dataset, trace[dataset])
        lines = [(kind, dataset.step, *line) for (kind, dataset), line in found.items()]
        return pd.DataFrame(lines, columns=["object", "step", "records", "holds", "certain"])


def _line(dataset: Dataset, roles: Any) -> tuple[int, bool, bool]:
    holding = {role: cells for role, cells in roles.items() if not role & INFLUENCES}
    shown = holding or roles
    records = {int(row) for cells in shown.values() for rows in cells.values() for row in rows}
    return len(records), bool(holding), any(not role & DOUBTFUL for role in shown)
