"""Rules for what a program makes of tracked objects: frames, series (`pandas.Series(…)`) and categories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from headwater_pandas.call import Call
from headwater_pandas.given.values import of_single
from headwater_pandas.inputs import by_position, made, operand, operand_columns
from headwater_pandas.shape import Shape, is_data, shape_of
from headwater_records.columns import ColumnMap, MadeColumns, NoColumns, bits, moved
from headwater_records.graph import Dataset, Input


def constructed(call: Call) -> Dataset | None:
    """Of a dictionary, column by column; of a frame, a series or an array, as it is."""
    data, after = call.argument("data"), call.after
    if isinstance(call.result, pd.Categorical):
        values = call.argument("values")
        return made(call, by_position(call, values, 0)) if is_data(values) else None
    if isinstance(data, dict):
        single = bits(place for place, name in enumerate(after.columns) if _is_single(data.get(name)))
        return made(call, *_by_column(call, data), constant=single)
    if not is_data(data) or isinstance(data, pd.Index):
        return None
    before = shape_of(data)
    if isinstance(data, pd.DataFrame | pd.Series) and isinstance(call.result, type(data)):
        columns = operand_columns(before, after)
    elif before.width == after.width:
        columns = moved((*range(before.width), *[-1] * after.levels))
    else:
        return None
    return made(call, _kept_index(operand(call, data, columns), before, after, data))


def _by_column(call: Call, data: dict[Any, Any]) -> Iterator[Input]:
    for number, name in enumerate(call.after.columns):
        value = data.get(name)
        if _is_single(value):
            yield from of_single(call, value, 1 << number)
            continue
        value = value if is_data(value) else np.asarray(value, dtype=object)
        yield operand(call, value, MadeColumns(((number, 1),), _labels(call, value)))


def _is_single(value: Any) -> bool:
    return value is None or bool(pd.api.types.is_scalar(value))


def _labels(call: Call, value: Any) -> ColumnMap:
    """The index of a series stays with its values, unless another one is given."""
    before, after = shape_of(value), call.after
    if (
        not isinstance(value, pd.Series)
        or call.argument("index") is not None
        or before.levels != after.levels
    ):
        return NoColumns()
    return moved((*[-1] * after.width, *before.level_numbers()))


def _kept_index(found: Input, before: Shape, after: Shape, data: Any) -> Input:
    """The index of a frame or a series stays with its records."""
    if not isinstance(data, pd.DataFrame | pd.Series) or before.levels != after.levels or not found.exact:
        return found
    columns = [*found_sources(found, after), *before.level_numbers()]
    return Input(found.dataset, found.rows, moved(tuple(columns)))


def found_sources(found: Input, after: Shape) -> list[int]:
    """The column of the input that each column of the result is."""
    each = (found.columns.backward(1 << number) for number in range(after.width))
    return [bits.bit_length() - 1 for bits in each]
