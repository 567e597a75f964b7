"""Rules for groups. A grouped object keeps what it was grouped of, and by what."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.core.groupby.ops import BinGrouper

from headwater_pandas.call import Call
from headwater_pandas.inputs import aligned, looked_at, made, opaque, own, picked, same_index
from headwater_pandas.shape import Shape, shape_of
from headwater_records.associations import Every, Grouped, Peers, Same
from headwater_records.columns import AllColumns, SameColumns, bits, moved
from headwater_records.graph import Dataset, Input
from headwater_records.lists import Lists, Numbers, compact


class Groups(NamedTuple):
    """The number of each record's group (-1: in none), how many there are, and the columns of the keys."""

    codes: Numbers
    number: int
    keys: list[int]
    levels: list[int]

    @property
    def accessed(self) -> int:
        """The columns and levels that the keys are, as bits; all levels for a function of the index."""
        return bits(number for key in self.keys for number in (self.levels if key < 0 else [key]))


def groups_of(grouped: Any, shape: Shape) -> Groups:
    """What pandas found when it grouped; the column of a key is -1 where it is none of the frame's."""
    inside = grouped._grouper
    codes, _, count = (
        inside.group_info if hasattr(inside, "group_info") else (inside.ids, None, inside.ngroups)
    )
    keys = [_key(each, shape, binned=isinstance(inside, BinGrouper)) for each in inside.groupings]
    return Groups(np.asarray(codes), int(count), keys, shape.level_numbers())


def _key(grouping: Any, shape: Shape, *, binned: bool) -> int:
    """The column or the level that a key is; bins of time are named after theirs."""
    columns = list(shape.columns)
    if grouping.in_axis:
        return columns.index(grouping.name) if grouping.name in columns else -1
    if binned and grouping.name in columns and grouping.name not in shape.index.names:
        return columns.index(grouping.name)
    if isinstance(grouping.level, int):
        return shape.width + grouping.level
    names = list(shape.index.names)
    return shape.width + names.index(grouping.name) if grouping.name in names else -1


def grouped(call: Call) -> Dataset:
    """What is behind a grouped object: the frame, and what it was grouped by if that was no column of it."""
    before = call.before
    keys = []
    for each in call.others():
        rows = Same() if isinstance(each, np.ndarray) else aligned(shape_of(each).index, before.index)
        keys.append(looked_at(each, rows or Every(shape_of(each).rows, before.rows), before.all_columns))
    if not keys:
        return call.dataset
    return Dataset(call.name, before.rows, before.labels, (own(call), *keys))


def in_order(call: Call, dataset: Dataset) -> Dataset:
    """The dataset as a grouped object has it: by time, pandas sorts what it groups."""
    before, inside = call.before, getattr(call.result, "obj", None)
    if not isinstance(inside, pd.DataFrame | pd.Series) or same_index(before.index, inside.index):
        return dataset
    found = getattr(call.result, "_indexer", None)
    if found is None and before.index.is_unique and len(inside) == before.rows:
        found = before.index.get_indexer(inside.index)
    if found is None or len(found) != before.rows or int(found.min()) < 0:
        rows, columns = Every(before.rows, before.rows), AllColumns(len(before.labels), len(before.labels))
        return Dataset(call.name, before.rows, before.labels, (Input(dataset, rows, columns, exact=False),))
    return Dataset(
        call.name, before.rows, before.labels, (Input(dataset, picked(call, found), SameColumns()),)
    )


def aggregated(call: Call) -> Dataset | None:
    """One record for each group, of all its members."""
    groups = groups_of(call.subject, call.before)
    if call.after.rows != groups.number or len(groups.codes) != call.before.rows:
        return None
    columns = arguments(call)
    if columns is None:
        return None
    levels = groups.keys if len(groups.keys) == call.after.levels else [-1] * call.after.levels
    keys: set[int] = set()
    if not getattr(call.subject, "as_index", True):
        levels, keys = [-1] * call.after.levels, set(groups.keys)
    rows = Grouped.by(groups.codes, groups.number)
    named = [
        "" if number in keys else function for number, function in zip(columns, functions(call), strict=True)
    ]
    return made(call, own(call, rows, moved((*columns, *levels)), groups.accessed), functions=named)


def functions(call: Call) -> list[str]:
    """The function that made each column: what `agg` and `transform` are given, or the method's own name."""
    given = call.argument("func") if call.name in {"agg", "aggregate", "transform"} else call.name
    named = {new: pair[1] for new, pair in call.kwargs.items() if isinstance(pair, tuple) and len(pair) == 2}
    return [_function(given, named, label) for label in call.after.columns]


def _function(given: Any, named: dict[str, Any], label: Any) -> str:
    """The name of one of several functions; one of the program may bear the name of one of pandas."""
    found = named.get(label, given)
    if isinstance(found, dict):
        name = label[0] if isinstance(label, tuple) and label not in found else label
        found = found.get(name)
    if isinstance(found, list):
        found = _of_list(found, label)
    if isinstance(found, str):
        return found
    return found.__name__ if getattr(found, "__module__", None) == "numpy" else "function of the program"


def _of_list(functions: list[Any], label: Any) -> Any:
    """The one that a column is of, which pandas names behind the column; None where that does not tell."""
    if isinstance(label, tuple) and label[-1] in functions:
        return label[-1]
    return functions[0] if len(functions) == 1 else None


def arguments(call: Call) -> list[int] | None:
    """The column that each column of the result was computed of."""
    labels, after = list(call.before.columns), call.after
    named = {new: given[0] for new, given in call.kwargs.items() if isinstance(given, tuple)}
    selected = getattr(call.subject, "_selection", None)
    found = []
    for label in after.columns:
        name = named.get(label, label[0] if isinstance(label, tuple) and label not in labels else label)
        if isinstance(call.subject, pd.core.groupby.SeriesGroupBy):
            own_name = call.subject.obj.name
            name = selected if selected is not None else own_name if own_name in labels else labels[0]
        if call.name == "size" and name not in labels:
            found.append(-1)
        elif name in labels:
            found.append(labels.index(name))
        else:
            return None
    return found


def transformed(call: Call) -> Dataset | None:
    """Each value is made of those of its column in all records of its group."""
    groups = groups_of(call.subject, call.before)
    if not same_index(call.before.index, call.after.index):
        return None
    columns = arguments(call)
    if columns is None:
        return None
    levels = call.before.level_numbers() if call.before.levels == call.after.levels else []
    peers = Peers(groups.codes, groups.number)
    whole = own(call, peers, moved((*columns, *[-1] * call.after.levels)), groups.accessed)
    kept = own(call, columns=moved((*[-1] * call.after.width, *levels)))
    return made(call, kept, whole, functions=functions(call))


def chosen(call: Call) -> Dataset | None:
    """Some records of each group, as they were (`head`, `filter`); the groups decide."""
    groups = groups_of(call.subject, call.before)
    if not call.before.index.is_unique:
        return None
    found = call.before.index.get_indexer(call.after.index)
    columns = arguments(call)
    if columns is None or (len(found) and int(found.min()) < 0):
        return None
    levels = (
        call.before.level_numbers() if call.before.levels == call.after.levels else [-1] * call.after.levels
    )
    every = ((call.after.all_columns, call.before.all_columns),)
    return made(call, own(call, picked(call, found), moved((*columns, *levels)), groups.accessed, fits=every))


def applied(call: Call) -> Dataset | None:
    """A function of each group: its records are made of all members of it; inside it is not known."""
    groups = groups_of(call.subject, call.before)
    made_of = _groups_of_result(call, groups)
    if made_of is None or len(groups.codes) != call.before.rows:
        return None
    unknown = opaque(call).inputs
    members = Grouped.by(groups.codes, groups.number)
    sizes = np.diff(members.lists.offsets)[made_of]
    offsets = compact(np.concatenate(([0], np.cumsum(sizes))))
    rows = Grouped(Lists(offsets, members.lists.of(made_of)), call.before.rows)
    return made(
        call, *(Input(each.dataset, rows, each.columns, groups.accessed, exact=False) for each in unknown[:1])
    )


def _groups_of_result(call: Call, groups: Groups) -> Numbers | None:
    """The number of the group of each record of the result; None where its labels do not tell."""
    if call.after.rows == groups.number and not getattr(call.subject, "as_index", True):
        return np.arange(groups.number)
    labels, after = call.subject._grouper.result_index, call.after.index
    if after.nlevels < labels.nlevels or list(after.names[: labels.nlevels]) != list(labels.names):
        return None
    keys = (
        after.droplevel(list(range(labels.nlevels, after.nlevels)))
        if after.nlevels > labels.nlevels
        else after
    )
    found = labels.get_indexer(keys) if labels.is_unique else None
    return None if found is None or (len(found) and int(found.min()) < 0) else found
