"""Which rule is for which function, by what it is called on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from headwater_pandas.call import Call
from headwater_pandas.given.values import given, of_single
from headwater_pandas.inputs import looked_at, made, operand
from headwater_pandas.rules import (
    choose,
    combine,
    constructed,
    groups,
    pivots,
    reshape,
    setting,
    values,
    windows,
)
from headwater_pandas.rules.applied import of_columns
from headwater_pandas.shape import is_data
from headwater_records.associations import Same
from headwater_records.graph import Dataset, Input

Rule = Callable[[Call], Dataset | None]

_OPERATORS: Final = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"]
_COMPARISONS: Final = ["eq", "ne", "lt", "le", "gt", "ge"]
_UNARY: Final = ["invert", "neg", "pos", "abs"]
IN_PLACE: Final = frozenset({"__setitem__", "__delitem__", "insert", "_set_axis", "update"}) | {
    f"__i{name}__" for name in _OPERATORS
}
"""Functions that change their subject, and give nothing or the subject itself."""
PASSED: Final = frozenset({"assign", "pipe", "pop"})
"""Functions that are written in terms of others, each of which is a step of its own."""

_SAME = [
    "astype",
    "rename",
    "rename_axis",
    "add_prefix",
    "add_suffix",
    "copy",
    "round",
    "abs",
    "isna",
    "isnull",
    "notna",
    "notnull",
    "map",
    "applymap",
    "infer_objects",
    "convert_dtypes",
    "tz_localize",
    "tz_convert",
    "set_flags",
    "to_timestamp",
    "to_period",
]
_ELEMENTWISE = [
    "between",
    "add",
    "radd",
    "sub",
    "subtract",
    "rsub",
    "mul",
    "multiply",
    "rmul",
    "div",
    "divide",
    "truediv",
    "rdiv",
    "rtruediv",
    "floordiv",
    "rfloordiv",
    "mod",
    "rmod",
    "pow",
    "rpow",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "clip",
    "combine_first",
    "update",
    "__array_ufunc__",
]
_RUNNING = ["cumsum", "cumprod", "cummax", "cummin"]
_REDUCED = [
    "sum",
    "mean",
    "median",
    "min",
    "max",
    "std",
    "var",
    "sem",
    "skew",
    "kurt",
    "kurtosis",
    "prod",
    "product",
    "count",
    "nunique",
    "any",
    "all",
    "quantile",
    "first",
    "last",
    "agg",
    "aggregate",
    "idxmin",
    "idxmax",
]


def _frames() -> dict[str, Rule]:
    found: dict[str, Rule] = dict.fromkeys(_SAME, values.same)
    found |= dict.fromkeys(_ELEMENTWISE, values.elementwise)
    found |= dict.fromkeys((f"__{name}__" for name in (*_UNARY, *_COMPARISONS)), values.elementwise)
    for name in _OPERATORS:
        found |= dict.fromkeys((f"__{name}__", f"__r{name}__", f"__i{name}__"), values.elementwise)
    found |= dict.fromkeys(_RUNNING, windows.running)
    found |= dict.fromkeys(("ffill", "pad", "bfill", "backfill"), windows.filled_along)
    found |= {"interpolate": values.by_column, "pivot": pivots.pivot, "pivot_table": pivots.pivot_table}
    found |= {"stack": pivots.stack, "unstack": pivots.unstack, "transpose": pivots.transposed}
    found |= dict.fromkeys(_REDUCED, values.reduced)
    found |= {"rank": values.fitted, "fillna": values.filled, "where": values.choice, "mask": values.choice}
    found |= {"replace": values.replaced, "transform": of_columns}
    found |= {"apply": values.applied, "shift": values.shifted, "diff": values.difference}
    found |= {"pct_change": values.difference, "isin": values.contained, "to_frame": values.to_frame}
    found |= {"reset_index": values.reset_index, "set_index": values.set_index, "to_numpy": values.to_array}
    found |= {"__array__": values.to_array}
    found |= dict.fromkeys(("head", "tail"), choose.ends)
    found |= {"truncate": choose.truncated, "take": choose.taken_at, "sample": choose.sample}
    found |= {"set_axis": setting.set_axis}
    found |= dict.fromkeys(("nlargest", "nsmallest"), choose.extremes)
    found |= {"dropna": choose.dropna, "drop": choose.drop, "query": choose.query, "explode": choose.explode}
    found |= {"sort_values": choose.sort_values, "sort_index": choose.sort_index, "reindex": choose.reindex}
    found |= {"drop_duplicates": choose.duplicates, "filter": choose.columns, "select_dtypes": choose.columns}
    found |= {"__getitem__": choose.getitem, "reindex_like": choose.reindex, "melt": reshape.melt}
    found |= {"xs": choose.cross_section, "asfreq": choose.at_each_time, "duplicated": choose.repeated}
    found |= {"eval": values.evaluated, "value_counts": groups.counted_values}
    found |= {"__setitem__": setting.setitem, "__delitem__": setting.delitem, "insert": setting.insert}
    return found | {"_set_axis": setting.labelled, "merge": combine.merge, "join": combine.merge}


FRAMES: Final[Mapping[str, Rule]] = _frames()
SERIES: Final[Mapping[str, Rule]] = {**FRAMES, "map": values.looked_up}
LOCATED: Final[Mapping[str, Rule]] = {"__getitem__": choose.located, "__setitem__": setting.located}
GROUPED: Final[Mapping[str, Rule]] = {
    **dict.fromkeys([*_REDUCED, "size"], groups.aggregated),
    **dict.fromkeys(
        [
            "transform",
            "cumsum",
            "cumprod",
            "cummin",
            "cummax",
            "cumcount",
            "ngroup",
            "rank",
            "shift",
            "diff",
            "ffill",
            "bfill",
            "fillna",
            "pct_change",
        ],
        groups.transformed,
    ),
    **dict.fromkeys(["head", "tail", "filter", "sample"], groups.chosen),
    "get_group": groups.named,
    "apply": groups.applied,
    "_nth": groups.chosen,
}
NUMBER_OF_GROUPS: Final = groups.counted
WINDOWS: Final[Mapping[str, Rule]] = dict.fromkeys([*_REDUCED, "apply"], windows.windowed)
RESAMPLED: Final[Mapping[str, Rule]] = dict.fromkeys([*_REDUCED, "size"], windows.resampled)


def accessor(call: Call) -> Dataset | None:
    """`series.str`, `series.dt` and `series.cat`: value by value; several columns may each be made of the one."""
    if not is_data(call.result) or call.before.rows != call.after.rows:
        return None
    if isinstance(call.result, pd.DataFrame) and not any(call.others()):
        return values.parts(call)
    texts = [each for each in (*call.args[1:], *call.kwargs.values()) if isinstance(each, str)]
    return values.of_operands(call, *given(call, texts))


def numpy_where(call: Call) -> Dataset | None:
    """`numpy.where(condition, one, other)`: the condition decides between values at the same place."""
    given = [each for each in call.args if is_data(each)]
    if len(call.args) != 3 or any(len(each) != call.after.rows or np.ndim(each) != 1 for each in given):
        return None
    condition, *chosen = call.args
    inputs = [*(operand(call, each) for each in chosen if is_data(each)), *_single(call, chosen)]
    if is_data(condition):
        inputs.append(looked_at(condition, Same(), call.after.all_columns))
    return made(call, *inputs, constant=_of_scalars(chosen))


def _single(call: Call, chosen: Sequence[Any]) -> Iterator[Input]:
    """Sources for single values that the result may have, if they are no constants."""
    for each in chosen:
        if np.ndim(each) == 0:
            yield from of_single(call, each, 1)


def _of_scalars(chosen: Sequence[Any]) -> int:
    """The column of the result, as bits, if all that may be in it are constants."""
    return 1 if all(np.ndim(each) == 0 for each in chosen) else 0


def numpy_select(call: Call) -> Dataset | None:
    """`numpy.select(conditions, values)`: the conditions decide between values at the same place."""
    names = ("condlist", "choicelist", "default")
    given = {**dict(zip(names, call.args, strict=False)), **call.kwargs}
    conditions, chosen = list(given["condlist"]), [*given["choicelist"], given.get("default", 0)]
    data = [each for each in (*conditions, *chosen) if is_data(each)]
    if any(len(each) != call.after.rows or np.ndim(each) != 1 for each in data):
        return None
    inputs = [*(operand(call, each) for each in chosen if is_data(each)), *_single(call, chosen)]
    looked = [looked_at(each, Same(), call.after.all_columns) for each in conditions if is_data(each)]
    return made(call, *inputs, *looked, constant=_of_scalars(chosen))


CONSTRUCTED: Final = constructed.constructed
FUNCTIONS: Final[Mapping[str, Rule]] = {
    "merge": combine.merge,
    "merge_asof": combine.merge,
    "concat": combine.concat,
    "get_dummies": reshape.get_dummies,
    "cut": reshape.cut,
    "qcut": reshape.cut,
    "melt": reshape.melt,
    "pivot": pivots.pivot,
    "pivot_table": pivots.pivot_table,
    "isna": values.same,
    "isnull": values.same,
    "notna": values.same,
    "notnull": values.same,
    "to_datetime": values.same,
    "to_numeric": values.same,
    "to_timedelta": values.same,
}
"""Functions of the module `pandas`. Others that are given tracked objects are not understood."""
UNKNOWN_FUNCTIONS: Final = [
    "merge_ordered",
    "crosstab",
    "wide_to_long",
    "from_dummies",
    "factorize",
    "unique",
    "lreshape",
    "value_counts",
]
