"""Observing estimators: their methods are replaced, where scikit-learn is loaded, by ones that call them and note."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, Final

from headwater_pandas import interception, observe
from headwater_pandas.call import data_in
from headwater_pandas.given.values import program
from headwater_pandas.held import anything_held, changing, held, hold
from headwater_pandas.learning.columns import made_of
from headwater_pandas.shape import Shape, is_data, shape_of
from headwater_records.associations import Every, Same
from headwater_records.columns import AllColumns, ColumnMap, MadeColumns, NoColumns, moved
from headwater_records.graph import Dataset, Input

_FITS: Final = frozenset({"fit", "partial_fit", "fit_transform", "fit_predict"})
_GIVES: Final = frozenset(
    {"transform", "predict", "predict_proba", "predict_log_proba", "decision_function", "score_samples"}
    | {"inverse_transform", "fit_transform", "fit_predict"}
)
_BASES: Final = ("BaseEstimator", "TransformerMixin", "ClusterMixin", "OutlierMixin")
MODEL: Final = "model"
"""The one column of the one record that a model is."""


def install() -> None:
    """Observe the estimators that are loaded; those that are observed already stay so."""
    base = sys.modules.get("sklearn.base")
    for owner in _classes([getattr(base, name) for name in _BASES]) if base is not None else ():
        for name in _FITS | _GIVES:
            method = vars(owner).get(name)
            if method is not None and hasattr(method, "__get__") and not isinstance(method, _Watched):
                interception.replace(owner, name, _Watched(name, method))


def _classes(bases: list[Any]) -> Iterator[Any]:
    found, waiting = set(bases), list(bases)
    while waiting:
        each = waiting.pop()
        yield each
        new = [cls for cls in type.__subclasses__(each) if cls not in found]
        found.update(new)
        waiting += new


class _Watched:
    """A method that is observed, as the descriptor that it was: some are there for some models only."""

    def __init__(self, name: str, method: Any) -> None:
        self._name = name
        self._method = method

    def __get__(self, model: Any, owner: Any = None) -> Any:
        method = self._method.__get__(model, owner)
        if model is None or observe.STATE.busy or not anything_held():
            return method

        @functools.wraps(method)
        def call(*args: Any, **named: Any) -> Any:
            with observe.alone():
                given = [each for part in (*args, *named.values()) for each in data_in(part)]
                known = held(model) is not None or any(held(each) is not None for each in given)
                with changing(given, themselves=True) if known and _may_change(model) else nullcontext():
                    result = method(*args, **named)
                    if known or held(model) is not None:
                        observe.guarded(functools.partial(_note, self._name, model, given, result))
            return result

        return call


def _may_change(model: Any) -> bool:
    """Whether a model may write into what it is given: it is not to copy that, or is not scikit-learn's alone."""
    try:
        settings = model.get_params()
    except Exception:  # noqa: BLE001 - a model of the program may be anything
        return True
    return not _is_of_sklearn(model) or any(
        (name.rpartition("__")[2].startswith("copy") and not each)
        or callable(each)
        or (hasattr(each, "fit") and not _is_of_sklearn(each))
        for name, each in settings.items()
    )


def _is_of_sklearn(model: Any) -> bool:
    return type(model).__module__.startswith("sklearn.")


def _note(name: str, model: Any, given: list[Any], result: Any) -> None:
    """Track the model that was fitted, and what it gave."""
    step = f"{type(model).__name__}.{name}"
    if name in _FITS:
        hold(model, _fitted(step, model, given, again=name == "partial_fit"))
    if name in _GIVES and given and result is not model:
        dataset = _given(step, model, given[0], result)
        if is_data(result):
            hold(result, dataset)
        if not hasattr(result, "iloc"):  # an array's values are the program's
            observe.notify_taken(dataset)


def _known(thing: Any) -> Dataset:
    known = held(thing)
    return known.dataset if known is not None and not known.turned else program(thing)


def _fitted(step: str, model: Any, given: list[Any], *, again: bool) -> Dataset:
    """A model is made of all records that it was given, and of what it was before if it learns on."""
    before = held(model) if again else None
    sources = [*(_known(each) for each in given), *([before.dataset] if before else [])]
    inputs = tuple(Input(each, Every(each.rows, 1), AllColumns(len(each.columns), 1)) for each in sources)
    return Dataset(step, 1, (MODEL,), inputs)


def _given(step: str, model: Any, given: Any, result: Any) -> Dataset:
    """Each record is made of the one at its place; the model decides about all."""
    source, before = _known(given), shape_of(given)
    after = shape_of(result) if is_data(result) else Shape(range(before.rows), range(result.shape[1]))
    known = held(model)
    fit = known.dataset if known is not None else Dataset(MODEL, 1, (MODEL,), known=False)
    levels = after.levels if is_data(result) else 0
    width = after.width + levels
    decided = Input(fit, Every(1, after.rows), NoColumns(), fits=(((1 << width) - 1, 1),))
    labels = after.labels if is_data(result) else tuple(range(after.width))
    if after.rows != before.rows:
        everything = Input(source, Every(source.rows, after.rows), AllColumns(len(source.columns), width))
        return Dataset(step, after.rows, labels, (decided, everything))
    columns = _columns(step, model, before, after, levels)
    return Dataset(step, after.rows, labels, (decided, Input(source, Same(), columns)))


def _columns(step: str, model: Any, before: Shape, after: Shape, levels: int) -> ColumnMap:
    """The columns of what was given that each result was made of; the index stays where there is one."""
    transforms = step.endswith("transform") and not step.endswith("inverse_transform")
    found = made_of(model, before.width, after.width) if transforms else None
    every = before.own_columns
    made = found if found is not None else [every] * after.width
    kept = before.level_numbers() if levels == before.levels else [-1] * levels
    index = moved((*[-1] * after.width, *kept))
    return MadeColumns(tuple(enumerate(made)), index)
