"""Steps as JSON, to be kept beside the tables of ids: what was copied and looked at, by path."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from headwater_records.nested import expressions, steps
from headwater_records.nested.steps import Operator

KINDS: dict[str, type] = {
    each.__name__: each
    for each in (
        *(steps.Read, steps.Same, steps.Select, steps.Flatten, steps.Variants, steps.Join, steps.Matched),
        *(steps.Union, steps.Group, steps.Window, steps.Aggregate, steps.Framed),
        *(
            expressions.Column,
            expressions.Part,
            expressions.EachField,
            expressions.Struct,
            expressions.Listed,
        ),
        *(expressions.Choice, expressions.Computed, expressions.Aggregated),
    )
}


def to_json(value: Any) -> Any:
    """A step, or a part of one, as plain objects; each has the name of its kind under ``is``."""
    if is_dataclass(value):
        parts = {each.name: to_json(getattr(value, each.name)) for each in fields(value)}
        return {"is": type(value).__name__, **parts}
    return [to_json(each) for each in value] if isinstance(value, tuple) else value


def step_of(given: Any) -> Operator:
    """The step of plain objects; a ValueError names a kind that is not known."""
    step = _read(given)
    if not isinstance(step, Operator):
        raise ValueError(f"{type(step).__name__} is no step")
    return step


def _read(given: Any) -> Any:
    if isinstance(given, list):
        return tuple(_read(each) for each in given)
    if not isinstance(given, dict):
        return given
    parts = dict(given)
    name = parts.pop("is", "")
    if name not in KINDS:
        raise ValueError(f"no step or expression is called {name!r}")
    return KINDS[name](**{key: _read(value) for key, value in parts.items()})
