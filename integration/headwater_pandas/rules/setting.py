"""Rules for what changes a frame in place: the frame has another dataset from then on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from headwater_pandas.call import Call, boolean
from headwater_pandas.given.values import of_single
from headwater_pandas.inputs import (
    by_label,
    by_position,
    column_map,
    looked_at,
    made,
    operand,
    own,
    same_index,
)
from headwater_pandas.positions import places
from headwater_pandas.rules.choose import split_key
from headwater_pandas.shape import Shape, is_data, shape_of
from headwater_records.associations import Same
from headwater_records.columns import ColumnMap, MadeColumns, NoColumns, bits
from headwater_records.graph import Dataset, Input


def setitem(call: Call) -> Dataset | None:
    """`frame[key] = value`: whole columns, or values where a mask is true."""
    key, value = call.args[1], call.args[2]
    if isinstance(call.subject, pd.Series) or isinstance(key, pd.DataFrame | slice) or boolean(key):
        return _some_values(call, key, value, list(range(call.before.width)))
    names = key if isinstance(key, list | pd.Index) else [key]
    targets = _targets(call, names)
    if targets is None or call.before.rows not in {0, call.after.rows}:
        return None
    return _whole_columns(call, targets, value)


def insert(call: Call) -> Dataset | None:
    """`frame.insert(place, name, value)`."""
    place, value = call.argument("loc"), call.argument("value")
    return _whole_columns(call, [place], value, inserted=place)


def _targets(call: Call, names: Any) -> list[int] | None:
    found = by_label(call.after.columns, names)
    return None if found is None or -1 in found else found


def _whole_columns(call: Call, targets: list[int], value: Any, inserted: int | None = None) -> Dataset | None:
    """The columns are made of the value, and the others stay."""
    inputs = [own(call, columns=_others_stay(call, targets, inserted))]
    if not pd.api.types.is_scalar(value):
        value = value if is_data(value) else np.asarray(value, dtype=object)
        if not is_data(value):
            return None
        inputs.append(operand(call, value, _into(targets, shape_of(value))))
        return made(call, *inputs, decides=bits(targets))
    inputs += of_single(call, value, bits(targets))
    return made(call, *inputs, decides=bits(targets), constant=bits(targets))


def _others_stay(call: Call, targets: list[int], inserted: int | None) -> ColumnMap:
    before, after = call.before, call.after
    if inserted is None and before.width == after.width:
        return MadeColumns(
            tuple((target, 0) for target in targets), column_map(before, after, range(before.width))
        )
    sources = list(range(before.width))
    if inserted is None:
        sources += [-1] * (after.width - before.width)
    else:
        sources.insert(inserted, -1)
    return column_map(before, after, [-1 if place in targets else each for place, each in enumerate(sources)])


def _into(targets: list[int], value: Shape) -> ColumnMap:
    """The columns of the value go to the targets in their order; one goes to all."""
    one_each = value.width == len(targets)
    pairs = ((target, 1 << place if one_each else 1) for place, target in enumerate(targets))
    return MadeColumns(tuple(pairs), NoColumns())


def located(call: Call) -> Dataset | None:
    """`frame.loc[rows, columns] = value` and `iloc`: some values of some columns."""
    row_key, column_key = split_key(call, call.args[1])
    names = call.after.columns if isinstance(call.after.columns, pd.Index) else pd.Index(call.after.columns)
    here = places(names, column_key, by_position=call.name in {"iloc", "iat"})
    columns = list(range(call.after.width)) if here is None else np.atleast_1d(here).tolist()
    if call.before.rows != call.after.rows or not same_index(call.before.index, call.after.index):
        return None
    return _some_values(call, row_key, call.args[2], columns)


def _some_values(call: Call, key: Any, value: Any, columns: list[int]) -> Dataset | None:
    """Each value is the one that was there, or the given one; a mask decides which."""
    before, after = call.before, call.after
    if before.rows != after.rows:
        return None
    sources = [*range(before.width), *[-1] * (after.width - before.width)]
    inputs = [own(call, columns=column_map(before, after, sources))]
    decides = bits(columns)
    if is_data(key) and boolean(key):
        inputs.append(_mask(call, key, decides))
    elif isinstance(key, pd.DataFrame):
        inputs.append(looked_at(key, Same(), decides))
    if not pd.api.types.is_scalar(value):
        value = value if is_data(value) else np.asarray(value, dtype=object)
        given = _given(call, value, columns)
        if given is None:
            return None
        inputs.append(given)
        return made(call, *inputs, decides=decides)
    inputs += of_single(call, value, decides)
    return made(call, *inputs, decides=decides, constant=decides)


def _mask(call: Call, key: Any, decides: int) -> Input:
    aligned_by = operand(call, key, NoColumns())
    mask = looked_at(key, aligned_by.rows, decides)
    return Input(mask.dataset, mask.rows, mask.columns, mask.accessed, mask.decides, exact=aligned_by.exact)


def _given(call: Call, value: Any, columns: list[int]) -> Input | None:
    if not is_data(value):
        return None
    shape = shape_of(value)
    if not isinstance(value, pd.DataFrame | pd.Series) and shape.rows != call.after.rows:
        return None
    return operand(call, value, _into(columns, shape))


def delitem(call: Call) -> Dataset | None:
    """`del frame[name]`."""
    sources = by_label(call.before.columns, call.after.columns)
    if sources is None:
        return None
    return made(call, own(call, columns=column_map(call.before, call.after, sources)))


def labelled(call: Call) -> Dataset | None:
    """`frame.index = …` and `frame.columns = …`: new labels, which come from elsewhere; the columns stay."""
    # Inside a frame, pandas has the columns as the first axis.
    of_columns = isinstance(call.subject, pd.DataFrame) and call.args[1] == 0
    return _relabelled(call, call.args[2], of_columns=of_columns)


def set_axis(call: Call) -> Dataset | None:
    """`frame.set_axis(labels, axis=…)`: the same."""
    of_columns = call.argument("axis", 0) in {1, "columns"}
    return _relabelled(call, call.argument("labels"), of_columns=of_columns)


def _relabelled(call: Call, labels: Any, *, of_columns: bool) -> Dataset | None:
    before, after = call.before, call.after
    if before.rows != after.rows or before.width != after.width:
        return None
    kept = own(call, columns=column_map(before, after, range(before.width), levels=of_columns))
    index = [by_position(call, labels, after.width)] if not of_columns and _one_level(labels) else []
    return made(call, kept, *index)


def _one_level(labels: Any) -> bool:
    """Whether new labels are an object with records, of one level."""
    return is_data(labels) and getattr(labels, "nlevels", 1) == 1 and labels.ndim == 1
