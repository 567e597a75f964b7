"""Observing pandas: its public functions are replaced by ones that call them and track what they give.

The replaced functions are installed when something is first tracked, and `remove` puts every one back. Calls in which
nothing is tracked go straight through.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.core import indexing
from pandas.core import sample as draws
from pandas.core.arrays.categorical import CategoricalAccessor
from pandas.core.groupby.groupby import BaseGroupBy
from pandas.core.indexes import accessors
from pandas.core.resample import Resampler
from pandas.core.reshape import encoding, merge
from pandas.core.strings.accessor import StringMethods
from pandas.core.window.ewm import ExponentialMovingWindow
from pandas.core.window.expanding import Expanding
from pandas.core.window.rolling import Rolling, Window
from pandas.util import _exceptions

from headwater_pandas import observe
from headwater_pandas.given.named import named_in
from headwater_pandas.held import anything_held, held
from headwater_pandas.rules import table, values
from headwater_pandas.shape import is_data

_MISSING = object()
_REPLACED: list[tuple[Any, str, Any]] = []
_SPECIAL = frozenset(
    {
        "__getitem__",
        "__setitem__",
        "__delitem__",
        "__array_ufunc__",
        "__array__",
        "__iter__",
        "__float__",
        "__int__",
    }
)
_ASKING = frozenset({"__getitem__", "__setitem__"})
"""What asks a function for a key, as `frame.loc[lambda frame: …]`."""
_READING_NAMES = frozenset({"query", "eval"})
"""What looks for names of the program (`@limit`) so many calls above itself as its `level` says."""
_INDEXES = (
    pd.Index, pd.MultiIndex, pd.DatetimeIndex, pd.TimedeltaIndex, pd.PeriodIndex, pd.CategoricalIndex, pd.IntervalIndex,
)  # fmt: skip
"""The classes of indexes but `RangeIndex`, whose labels are numbers alone."""
_GIVING_LABELS = frozenset(
    {"__iter__", "__getitem__", "__array__", "tolist", "to_list", "to_numpy", "values", "array"}
)
"""What gives the labels of an index as values, unless it gives another index."""
_COUNTING = frozenset({"__len__", "shape", "size", "empty"})
"""What gives how many records, or columns, there are."""
_COUNTING_LABELS = frozenset({"__getitem__", "__iter__", "stop", "max", "tolist", "to_numpy", "values"})
"""What gives labels that only number the records: the last one says how many there are."""
_TRUTHS = ("hasnans", "is_monotonic_decreasing", "is_monotonic_increasing", "is_unique")
"""What says something about all values of a series."""
_CHOOSING = frozenset({"where", "mask"})
"""What asks functions for a condition and for other values."""
_OWN, _OF_PANDAS = (f"{Path(each).parent}/" for each in (__file__, pd.__file__))
_TESTS = f"{_OF_PANDAS}tests/"
_NOT_OBSERVED = table.PASSED | {
    "keys",
    "info",
    "plot",
    "hist",
    "boxplot",
    "style",
    "memory_usage",
    "ndim",
}


def installed() -> bool:
    """Whether pandas is observed."""
    return bool(_REPLACED)


def install() -> None:
    """Observe pandas from now on; a second call has nothing to do."""
    if installed():
        return
    _classes()
    _accessors()
    _modules()
    _labels()
    _counts()
    _insides()
    _warnings()


def remove() -> None:
    """Put back every function that was replaced."""
    while _REPLACED:
        _put_back(*_REPLACED.pop())


def replace(owner: Any, name: str, new: Any) -> None:
    """Put something in the place of an attribute, until `remove`."""
    _REPLACED.append((owner, name, _put(owner, name, new)))


@contextmanager
def replaced(changes: Iterable[tuple[Any, str, Any]]) -> Iterator[None]:
    """Put things in the places of attributes, and put back what was there."""
    former = [(owner, name, _put(owner, name, new)) for owner, name, new in changes]
    try:
        yield
    finally:
        for each in reversed(former):
            _put_back(*each)


def _put(owner: Any, name: str, new: Any) -> Any:
    """What was there before, which may be nothing."""
    former = vars(owner).get(name, _MISSING)
    setattr(owner, name, new)
    return former


def _put_back(owner: Any, name: str, former: Any) -> None:
    if former is _MISSING:
        delattr(owner, name)
    else:
        setattr(owner, name, former)


def _classes() -> None:
    for owner, rules in ((pd.DataFrame, table.FRAMES), (pd.Series, table.SERIES)):
        _methods(owner, rules)
        replace(owner, "_set_axis", _observed("_set_axis", owner._set_axis, rules["_set_axis"]))
        _properties(owner, {"T": rules["transpose"], "values": rules["to_numpy"], "array": rules["to_numpy"]})
        replace(owner, "__init__", _constructing(owner.__name__, owner.__init__))
        replace(owner, "items", _each_column(owner.items))
    _properties(pd.Series, dict.fromkeys(_TRUTHS))
    for owner in (pd.core.groupby.DataFrameGroupBy, pd.core.groupby.SeriesGroupBy):
        _methods(owner, table.GROUPED)
        replace(owner, "__iter__", _each_group(owner.__iter__))
    for owner in (Rolling, Expanding, ExponentialMovingWindow, Window):
        _methods(owner, table.WINDOWS)
    _methods(Resampler, table.RESAMPLED)
    replace(Resampler, "__iter__", _each_group(Resampler.__iter__))
    replace(pd.Categorical, "__init__", _constructing("Categorical", pd.Categorical.__init__))
    for owner in (indexing._LocationIndexer, indexing._ScalarAccessIndexer):
        for name, rule in table.LOCATED.items():
            replace(owner, name, _observed(name, getattr(owner, name), rule))


def _methods(owner: Any, rules: Mapping[str, table.Rule]) -> None:
    for name in dir(owner):
        public = not name.startswith("_") or name in rules or name in _SPECIAL
        function = inspect.getattr_static(owner, name)
        if public and inspect.isfunction(function) and name not in _NOT_OBSERVED:
            observed = _observed(name, function, rules.get(name))
            vars(observed)["__signature__"] = _signature(function)
            replace(owner, name, observed)


@functools.cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """The arguments, which pandas looks at to see whether there is an `axis` (`frame.apply("sum", axis=1)`)."""
    return inspect.signature(function)


def _properties(owner: Any, rules: Mapping[str, table.Rule | None]) -> None:
    for name, rule in rules.items():
        former = inspect.getattr_static(owner, name, None)
        if isinstance(former, property) and former.fget is not None:
            replace(owner, name, property(_observed(name, former.fget, rule), doc=former.__doc__))


def _accessors() -> None:
    named = dict.fromkeys(dir(StringMethods), table.accessor)
    _methods(StringMethods, named)
    for owner in (accessors.DatetimeProperties, accessors.TimedeltaProperties, accessors.PeriodProperties):
        public = [name for name in dir(owner) if not name.startswith("_")]
        _methods(owner, dict.fromkeys(public, table.accessor))
        _properties(owner, dict.fromkeys(public, table.accessor))
    replace(CategoricalAccessor, "__init__", _accessing(CategoricalAccessor.__init__))
    _methods(CategoricalAccessor, dict.fromkeys(dir(CategoricalAccessor), table.accessor))
    _properties(CategoricalAccessor, {"codes": values.fitted, "categories": None})


def _accessing(original: Callable[..., None]) -> Callable[..., None]:
    """An accessor that keeps the values of a series knows the series that they are of."""

    @functools.wraps(original)
    def access(accessor: Any, series: Any) -> None:
        accessor._orig = series
        with observe.alone():
            original(accessor, series)

    return access


def _modules() -> None:
    for name in filter(partial(hasattr, pd), (*table.FUNCTIONS, *table.UNKNOWN_FUNCTIONS)):
        replace(pd, name, _observed(name, getattr(pd, name), table.FUNCTIONS.get(name)))
    replace(np, "where", _observed("numpy.where", np.where, table.numpy_where))
    replace(np, "select", _observed("numpy.select", np.select, table.numpy_select))


def _labels() -> None:
    """What gives a program the labels of an index as values."""
    for owner in _INDEXES:
        _wrap(
            owner,
            _GIVING_LABELS if owner is pd.Index else _GIVING_LABELS & vars(owner).keys(),
            _giving_labels,
        )


def _giving_labels(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def call(index: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(index, *args, **kwargs)
        if not observe.STATE.busy and not isinstance(result, pd.Index):
            observe.note_labels(index, result)
        return result

    return call


def _counts() -> None:
    """What gives a program the number of records."""
    for owner in (pd.DataFrame, pd.Series, pd.Index):
        _wrap(owner, _COUNTING, _counting)
    for owner in _INDEXES[1:]:
        _wrap(owner, _COUNTING & vars(owner).keys(), _counting)
    _wrap(pd.RangeIndex, (_COUNTING | _COUNTING_LABELS) & vars(pd.RangeIndex).keys(), _counting)
    for name, function in (("__len__", BaseGroupBy.__len__), ("ngroups", BaseGroupBy.ngroups.fget)):
        counting = _observed(name, function, table.NUMBER_OF_GROUPS)
        replace(BaseGroupBy, name, counting if name == "__len__" else property(counting))


def _wrap(owner: Any, names: Iterable[str], wrapped: Callable[..., Any]) -> None:
    """Replace functions and properties of a class by what is made of them."""
    for name in names:
        former = inspect.getattr_static(owner, name)
        if isinstance(former, property) and former.fget is not None:
            replace(owner, name, property(wrapped(former.fget), doc=former.__doc__))
        elif inspect.isfunction(former):
            replace(owner, name, wrapped(former))


def _counting(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def count(thing: Any, *args: Any, **named: Any) -> Any:
        if observe.STATE.busy or not anything_held():
            return original(thing, *args, **named)
        with observe.alone():
            result = original(thing, *args, **named)
        if not isinstance(result, pd.Index):
            observe.note_count(thing, result if isinstance(result, tuple) else (result,))
        return result

    return count


def _insides() -> None:
    """What pandas finds inside a call, and does not give: pairs of a join, columns of an encoding, a sample."""
    former_join, former_dummies = merge._MergeOperation._get_join_info, encoding._get_dummies_1d
    former_draw = draws.sample

    def join_info(operation: Any) -> Any:
        found = former_join(operation)
        observe.note_join(operation, found)
        return found

    def dummies(data: Any, *args: Any, **kwargs: Any) -> Any:
        found = former_dummies(data, *args, **kwargs)
        observe.note_dummies(getattr(data, "name", None), found.shape[1])
        return found

    def drawn(*args: Any, **kwargs: Any) -> Any:
        places = former_draw(*args, **kwargs)
        observe.note_drawn(places)
        return places

    replace(draws, "sample", drawn)
    replace(merge._MergeOperation, "_get_join_info", join_info)
    replace(encoding, "_get_dummies_1d", dummies)


def _warnings() -> None:
    """Warnings of pandas name the line of the program, and not the one in here that calls pandas."""
    former = _exceptions.find_stack_level
    for module in [each for name, each in sys.modules.items() if name.startswith("pandas.")]:
        if vars(module).get("find_stack_level") is former:
            replace(module, "find_stack_level", _level_of_the_program)


def _level_of_the_program() -> int:
    """How many calls there are from this one up to the first that is neither in pandas nor in here."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _is_between(frame.f_code.co_filename):
        level, frame = level + 1, frame.f_back
    return level


def _is_between(file: str) -> bool:
    return file.startswith(_OWN) or (file.startswith(_OF_PANDAS) and not file.startswith(_TESTS))


def _observed(name: str, original: Callable[..., Any], rule: table.Rule | None) -> Callable[..., Any]:
    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        straight = observe.STATE.busy or not anything_held()
        if name == "concat" and not straight:
            args, kwargs = _all_at_once(args, kwargs)
        if name in _READING_NAMES:
            kwargs["level"] = kwargs.get("level", 0) + (1 if straight else 3)
        if straight:
            return original(*args, **kwargs)
        if name in _ASKING or name in _CHOOSING:
            args, kwargs = _resolved(name, args, kwargs)
        named = named_in(args[1] if len(args) > 1 else kwargs.get("expr")) if name in _READING_NAMES else ()
        return observe.observe(name, original, rule, args, kwargs, named=named)

    return call


def _constructing(name: str, original: Callable[..., None]) -> Callable[..., None]:
    """A frame or a series that is made of tracked objects."""

    @functools.wraps(original)
    def construct(new: Any, *args: Any, **kwargs: Any) -> None:
        if observe.STATE.busy or not anything_held():
            original(new, *args, **kwargs)
        else:
            observe.construct(name, original, new, args, kwargs)

    return construct


def _all_at_once(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with a list of what a generator or a view gives, as pandas makes one: it can be read only once."""
    objects = args[0] if args else kwargs.get("objs")
    if (
        not isinstance(objects, Iterable)
        or isinstance(objects, list | tuple | Mapping | str)
        or is_data(objects)
    ):
        return args, kwargs
    if args:
        return ([*objects], *args[1:]), kwargs
    return args, {**kwargs, "objs": [*objects]}


def _resolved(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with what functions among them give for the frame: a mask, which is tracked then.

    To `loc` and `iloc`, a tuple is one thing and a function that gives a tuple another.
    """
    asked = args[0]
    frame = asked if is_data(asked) else getattr(asked, "obj", asked)  # a column may be called "obj"

    def given(each: Any) -> Any:
        if not callable(each):
            return each
        gave = each(frame)
        return (lambda _: gave) if isinstance(gave, tuple) and frame is not asked else gave

    if name in _ASKING:
        key = args[1]
        key = tuple(map(given, key)) if type(key) is tuple and any(map(callable, key)) else given(key)
        return (args[0], key, *args[2:]), kwargs
    named = {key: given(each) if key in {"cond", "other"} else each for key, each in kwargs.items()}
    return (args[0], *map(given, args[1:3]), *args[3:]), named


def _each_group(original: Callable[..., Iterator[tuple[Any, Any]]]) -> Callable[..., Any]:
    """The groups that a program goes through are tracked, too."""

    @functools.wraps(original)
    def groups(grouped: Any) -> Iterator[tuple[Any, Any]]:
        pairs = original(grouped)
        return (
            pairs if observe.STATE.busy or held(grouped) is None else observe.each_group(grouped, iter(pairs))
        )

    return groups


def _each_column(original: Callable[..., Iterator[tuple[Any, Any]]]) -> Callable[..., Any]:
    """`items` of a tracked frame gives columns that are tracked, too."""

    @functools.wraps(original)
    def items(subject: Any) -> Iterator[tuple[Any, Any]]:
        if observe.STATE.busy or not isinstance(subject, pd.DataFrame) or not subject.columns.is_unique:
            return original(subject)
        return ((name, subject[name]) for name in subject.columns)

    return items
