"""The eleven questions, over the graph.

| question | function |
|---|---|
| Q1, Q3 what was made of these records, or values | ``derived`` |
| Q2, Q4 what these records, or values, were made of | ``contributing`` |
| Q5-Q8 the same with the steps on the way | ``steps_of`` what these two give |
| Q9 all transformations of a dataset, or of columns | ``transformations`` |
| Q10 records of another dataset that were used together with these for one output | ``co_contributory`` |
| Q11 records of another dataset that stem from the same sources | ``co_dependent`` |

Records are asked with the columns WHOLE. Positions count from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from headwater_records.associations import Every, Grouped, Peers, Placed, Spans, UpTo
from headwater_records.cells import Cells, columns_of, records, records_of, values, without
from headwater_records.columns import WHOLE, Counted
from headwater_records.graph import Dataset, Input, ancestors
from headwater_records.lists import NONE, Numbers, ranges, united
from headwater_records.trace import INFLUENCES, Trace, backward, forward

_MANY = (Every, Grouped, Peers, Placed, Spans, UpTo)
"""Associations in which a record of the output may have several of the input."""


def contributing(dataset: Dataset, cells: Cells, *, influences: bool = False) -> Trace:
    """What these cells were made of; with ``influences`` also what only decided about them."""
    return backward({dataset: cells}, influences=influences)


def derived(dataset: Dataset, cells: Cells, sinks: Iterable[Dataset], *, influences: bool = False) -> Trace:
    """What was made of these cells, in the sinks and on the way there."""
    return forward({dataset: cells}, ancestors(sinks), influences=influences)


def steps_of(trace: Trace) -> list[Dataset]:
    """The datasets on the way in the order of making: each has the step that made it."""
    return sorted(trace, key=lambda dataset: dataset.number)


def found_at(dataset: Dataset, trace: Trace) -> Iterator[tuple[int, int, Numbers]]:
    """What was found there: role, column (-1: the record as a whole) and records, each once with its strongest role."""
    before: Cells = {}
    for role, cells in sorted(trace.get(dataset, {}).items()):
        for column, rows in values(cells):
            earlier = records(before) if column == WHOLE else records_of(before, column) if before else NONE
            left = without(rows, earlier, dataset.rows)
            if len(left):
                yield role, column, left
        before = _with(before, cells)


def _with(before: Cells, cells: Cells) -> Cells:
    return {key: united([part[key] for part in (before, cells) if key in part]) for key in before | cells}


def records_at(dataset: Dataset, trace: Trace) -> Numbers:
    """The records that were found there as contributing, surely or perhaps."""
    roles = trace.get(dataset, {})
    return united([records(cells) for role, cells in roles.items() if not role & INFLUENCES])


def transformations(dataset: Dataset, columns: int = WHOLE, *, influences: bool = True) -> list[Dataset]:
    """All steps behind the dataset, or behind these columns of it, in their order."""
    wanted = {dataset: columns}
    for each in reversed(ancestors([dataset])):
        for step in each.inputs if each in wanted else ():
            found = _columns_before(step, wanted[each], influences)
            if found:
                wanted[step.dataset] = wanted.get(step.dataset, 0) | found
    return sorted(wanted, key=lambda each: each.number)


def _columns_before(step: Input, columns: int, influences: bool) -> int:
    counted = influences and isinstance(step.columns, Counted)
    found = WHOLE if counted else step.columns.backward(columns)
    if influences:
        found |= step.accessed
        for outputs, inputs in step.fits:
            found |= inputs if outputs & columns else 0
    return found


def co_dependent(dataset: Dataset, rows: Numbers, other: Dataset) -> Numbers:
    """The records of the other dataset that stem from the same records of a source as these."""
    trace = backward({dataset: {WHOLE: rows}})
    sources = {source: {WHOLE: records_at(source, trace)} for source in trace if not source.made_of}
    return records_at(other, forward(sources, ancestors([other])))


def co_contributory(dataset: Dataset, rows: Numbers, other: Dataset, sinks: Iterable[Dataset]) -> Numbers:
    """The records of the other dataset that were used together with these, in one derivation of one output.

    All members of a group are used together; duplicates that were dropped are alternatives, of which each would have
    been enough. Records that merely reach the same output by different alternatives are not listed.
    """
    ends = list(sinks)
    within = ancestors(ends)
    touched = forward({dataset: {WHOLE: rows}}, within)
    reached = {end: {WHOLE: records_at(end, touched)} for end in ends if end in touched}
    used = backward(reached)
    partners: dict[Dataset, list[Numbers]] = {}
    for each in within:
        if each in used and not each.alternatives:
            _meet(each, touched, records_at(each, used), partners)
    start = {partner: {WHOLE: united(found)} for partner, found in partners.items()}
    return records_at(other, backward(start))


def _meet(made: Dataset, touched: Trace, used: Numbers, partners: dict[Dataset, list[Numbers]]) -> None:
    """What a step took of its inputs beside what was touched of one of them."""
    inputs = made.inputs
    for each in inputs:
        others = [another for another in inputs if another is not each and another.contributes]
        if not each.contributes or not (others or isinstance(each.rows, _MANY)):
            continue
        here = records_at(each.dataset, touched)
        results = _in_both(each.rows.forward(here), used) if len(here) else NONE
        if not len(results):
            continue
        partners.setdefault(each.dataset, []).append(_beside(each, here, results))
        for another in others:
            partners.setdefault(another.dataset, []).append(another.rows.backward(results))


def _in_both(one: Numbers, other: Numbers) -> Numbers:
    """Numbers that are in both, which are ascending."""
    if one is other or np.array_equal(one, other):
        return one
    places = np.minimum(np.searchsorted(other, one), len(other) - 1) if len(other) else NONE
    return one[other[places] == one] if len(other) else NONE


def _beside(step: Input, here: Numbers, results: Numbers) -> Numbers:
    """The other members of the groups that these records are in."""
    if not isinstance(step.rows, Grouped):
        return step.rows.backward(results) if isinstance(step.rows, _MANY) else NONE
    offsets = step.rows.lists.offsets
    lengths = np.diff(offsets)[results]
    members = step.rows.lists.members[ranges(offsets[results], offsets[results + 1])]
    asked = np.isin(members, here)
    group = np.repeat(np.arange(len(results)), lengths)
    alone = np.bincount(group, weights=asked, minlength=len(results))[group] == 1
    return np.unique(members[~(asked & alone)])


def columns_at(dataset: Dataset, trace: Trace) -> int:
    """The columns that were found there, in whichever role."""
    found = 0
    for cells in trace.get(dataset, {}).values():
        found |= columns_of(cells)
    return found
