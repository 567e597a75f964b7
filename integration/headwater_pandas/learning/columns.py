"""Which columns of its input each column that a fitted transformer gives was made of."""

from __future__ import annotations

from typing import Any, Final

from headwater_records.columns import bits, numbers

_BY_COLUMN: Final = frozenset(
    {"StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "Binarizer", "SimpleImputer"}
    | {"OrdinalEncoder", "QuantileTransformer", "PowerTransformer"}
)
"""Transformers that make each column of the one at its place."""


def made_of(model: Any, width: int, results: int) -> list[int] | None:
    """The columns (bits) of an input with ``width`` columns that each of the ``results`` is of; None: of any."""
    found = _made_of(model, width)
    return found if found is not None and len(found) == results else None


def _made_of(model: Any, width: int) -> list[int] | None:
    name = type(model).__name__
    if not type(model).__module__.startswith("sklearn."):
        return None
    if name in _BY_COLUMN or (name == "FunctionTransformer" and model.func is None):
        return [1 << number for number in range(width)]
    if name == "OneHotEncoder":
        return [1 << number for number, out in enumerate(model._n_features_outs) for _ in range(out)]
    if name == "ColumnTransformer":
        return _of_parts(model)
    if name == "Pipeline":
        return _of_steps(model, width)
    if hasattr(model, "get_support"):
        return [1 << int(number) for number in model.get_support(indices=True)]
    return None


def _of_steps(pipeline: Any, width: int) -> list[int] | None:
    """Step after step."""
    found: list[int] | None = [1 << number for number in range(width)]
    for _, step in pipeline.steps:
        if step is None or step == "passthrough":
            continue
        made = _made_of(step, len(found or ())) if found is not None else None
        before = found or []
        found = None if made is None else [_united(each, before) for each in made]
    return found


def _of_parts(transformer: Any) -> list[int] | None:
    """Each part makes a slice of the results of its columns."""
    width = max((part.stop for part in transformer.output_indices_.values()), default=0)
    found = [0] * width
    for name, part, _ in transformer.transformers_:
        if part == "drop":
            continue
        columns = [1 << int(number) for number in transformer._transformer_to_input_indices[name]]
        place = transformer.output_indices_[name]
        many = place.stop - place.start
        made = list(columns) if part == "passthrough" else None
        if made is None:
            inner = made_of(part, len(columns), many)
            made = None if inner is None else [_united(each, columns) for each in inner]
        whole = bits(number for each in columns for number in numbers(each))
        found[place] = made if made is not None and len(made) == many else [whole] * many
    return found


def _united(columns: int, before: list[int]) -> int:
    """What these columns were made of before."""
    found = 0
    for number in numbers(columns):
        found |= before[number]
    return found
