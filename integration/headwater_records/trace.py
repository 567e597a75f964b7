"""Tracing through the graph, in both directions, for many records and values at once.

What is found at each dataset is kept by role: CONTRIBUTES, or one of the flags that a way collects. DOUBTFUL: it went
through a step that was not understood. INFLUENCES: it was looked at, and is not in the result. COUNTED, with that: of a
record it matters only that it is there, which is what decided about it that goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush
from typing import Final

import numpy as np

from headwater_records.cells import Cells, add
from headwater_records.columns import WHOLE, Counted
from headwater_records.graph import Dataset, Input
from headwater_records.lists import Numbers

CONTRIBUTES: Final = 0
DOUBTFUL: Final = 1
INFLUENCES: Final = 2
COUNTED: Final = 4

Roles = dict[int, Cells]
Trace = dict[Dataset, Roles]
"""What was found at each dataset on the way, the start included."""


def backward(start: Mapping[Dataset, Cells], *, influences: bool = False) -> Trace:
    """What the cells were made of, and what influenced them, at every dataset before; all ways are united."""
    found: Trace = {dataset: {CONTRIBUTES: dict(cells)} for dataset, cells in start.items()}
    waiting = [(-dataset.number, dataset) for dataset in found]
    waiting.sort(key=lambda each: each[0])
    while waiting:
        dataset = heappop(waiting)[1]
        for each in dataset.inputs:
            new = each.dataset not in found
            roles = found.setdefault(each.dataset, {})
            _undo(each, found[dataset], roles, influences)
            if not roles:
                del found[each.dataset]
            elif new:
                heappush(waiting, (-each.dataset.number, each.dataset))
    return found


def _undo(step: Input, output: Roles, roles: Roles, influences: bool) -> None:
    doubt = CONTRIBUTES if step.exact else DOUBTFUL
    for role, cells in output.items():
        for columns, rows in cells.items():
            _put(roles, role | doubt, step.columns.backward(columns), rows, step)
            if influences and isinstance(step.columns, Counted):
                _put(roles, role | doubt | INFLUENCES | COUNTED, WHOLE, rows, step)
            if influences:
                whole = columns == WHOLE and not role & COUNTED
                decided = (role | doubt | INFLUENCES) & ~COUNTED
                accessed = step.accessed if columns & step.decides else 0
                _put(roles, decided, WHOLE if accessed and whole else accessed, rows, step)
                _fitted(step, columns, roles, decided, whole=whole)
                if role & COUNTED and not step.exact:
                    _put(roles, decided, (1 << len(step.dataset.columns)) - 1, rows, step)


def _put(roles: Roles, role: int, columns: int, rows: Numbers, step: Input) -> None:
    if columns and len(rows):
        add(roles.setdefault(role, {}), columns, step.rows.backward(rows))
        if not roles[role]:
            del roles[role]


def _fitted(step: Input, columns: int, roles: Roles, role: int, *, whole: bool) -> None:
    for outputs, inputs in step.fits:
        if columns & outputs and step.dataset.rows:
            everywhere = np.arange(step.dataset.rows)
            add(roles.setdefault(role, {}), WHOLE if whole else inputs, everywhere)


def forward(start: Mapping[Dataset, Cells], within: Iterable[Dataset], *, influences: bool = False) -> Trace:
    """What was made of the cells, at each dataset of ``within`` (in the order of making)."""
    found: Trace = {dataset: {CONTRIBUTES: dict(cells)} for dataset, cells in start.items()}
    for dataset in within:
        roles = found.get(dataset, {})
        for each in dataset.inputs:
            if each.dataset in found:
                _redo(each, found[each.dataset], roles, dataset, influences)
        if roles:
            found[dataset] = roles
    return found


def _redo(step: Input, before: Roles, roles: Roles, dataset: Dataset, influences: bool) -> None:
    doubt = CONTRIBUTES if step.exact else DOUBTFUL
    everything = (1 << len(dataset.columns)) - 1
    for role, cells in before.items():
        for columns, rows in cells.items():
            decided = everything & step.decides
            whole = columns == WHOLE
            _advance(roles, role | doubt, step.columns.forward(columns), rows, step)
            if not influences:
                continue
            if isinstance(step.columns, Counted) and (whole or role & INFLUENCES):
                _advance(roles, role | doubt | INFLUENCES, WHOLE if whole else everything, rows, step)
            if columns & step.accessed:
                _advance(roles, role | doubt | INFLUENCES, WHOLE if whole else decided, rows, step)
            for outputs, inputs in step.fits:
                if columns & inputs and dataset.rows:
                    reached = WHOLE if whole else outputs
                    add(roles.setdefault(role | doubt | INFLUENCES, {}), reached, np.arange(dataset.rows))


def _advance(roles: Roles, role: int, columns: int, rows: Numbers, step: Input) -> None:
    if columns and len(rows):
        add(roles.setdefault(role, {}), columns, step.rows.forward(rows))
        if not roles[role]:
            del roles[role]
