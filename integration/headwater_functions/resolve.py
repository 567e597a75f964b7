"""Paths as code takes them, brought to the types of the arguments.

``row.city`` may be a column, or a property of an object; ``x[0]`` may be a member, an element or a character. The type
decides. A step that the type does not have ends the path there: all that is below may be in the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple

from headwater_functions.analysis.values import COMPUTE, PART, PLAIN, Edge, How, Step, after
from headwater_functions.frame_names import FRAME_NAMES
from headwater_plan.types import ELEMENT, KEY, VALUE, ArrayType, AtomicType, DataType, MapType, StructType


class Form(Enum):
    """How a function gets its arguments: value by value, as columns, as a frame, or as an iterator of these."""

    VALUES = "values"
    COLUMNS = "columns"
    FRAMES = "frames"
    BATCHES = "batches"


class Source(NamedTuple):
    """A path of an argument by the names of its type, and what happened to it."""

    argument: int
    steps: tuple[str, ...]
    how: How


_DATE_PARTS = frozenset(
    [
        "year",
        "month",
        "day",
        "hour",
        "minute",
        "second",
        "microsecond",
        "quarter",
        "dayofweek",
        "dayofyear",
        "weekday",
        "week",
    ]
)
_DATES = ("date", "timestamp", "timestamp_ntz")
_TEXTS = ("string", "binary")


def resolve(edge: Edge, types: tuple[DataType, ...], form: Form) -> Source | None:
    """The path by names; None if the type has no such member, so that nothing comes from there."""
    argument = edge.path[0]
    if argument >= len(types):
        return None
    steps, steps_left = edge.path[1:], len(edge.path) - 1
    found: list[str] = []
    data_type: DataType = types[argument]
    suffixes: tuple[str, ...] = ()
    for place, stated in enumerate(steps):
        if stated[0] == "suffixed":
            suffixes = stated[1]
            continue
        step = _without_suffix(stated, suffixes, data_type)
        rows = form is not Form.VALUES and _is_rows(place, form, found)
        taken = _of_rows(step, data_type) if rows else _taken(step, data_type)
        if taken is None:
            return None
        names, data_type, ended = taken
        found += names
        if ended is not None:
            step_how = ended if not rows else COMPUTE
            return Source(argument, tuple(found), _ended(edge.how, step_how))
        steps_left -= 1
    extent = edge.how.extent and not isinstance(data_type, AtomicType)
    return Source(argument, tuple(found), edge.how._replace(extent=extent))


def _without_suffix(step: Step, suffixes: tuple[str, ...], data_type: DataType) -> Step:
    """The step by a column's own name, where a merge of two frames may have given it a longer one."""
    kind, key = step
    if not suffixes or not isinstance(key, str) or not isinstance(data_type, StructType):
        return step
    names = {f.name for f in data_type.fields}
    own = {key.removesuffix(x) for x in suffixes if key.endswith(x)} & names
    if not own:
        return step
    return (kind, own.pop()) if len(own) == 1 and key not in names else ("any of", None)


def _is_rows(place: int, form: Form, found: list[str]) -> bool:
    """Whether what is met is a column or a frame as a whole, whose elements are rows, and not a value."""
    if form is Form.COLUMNS:
        return len(found) <= 1
    return len(found) <= (1 if form is Form.FRAMES else 2)


def _ended(how: How, step: How) -> How:
    """The path ended early: what was done after that was done to more."""
    if how.decides:
        return how._replace(extent=False)
    return (
        after(step, how)._replace(extent=False)
        if not how.moves
        else step._replace(manipulation=step.manipulation | how.manipulation)
    )


Taken = tuple[tuple[str, ...], DataType, "How | None"]


def _of_rows(step: Step, data_type: DataType) -> Taken | None:
    """A step from a frame, a column, or an iterator of them."""
    kind, key = step
    if isinstance(data_type, StructType):
        if kind in ("any", "slice"):
            return (), data_type, None
        if kind == "attr" and key in FRAME_NAMES:
            return (), data_type, COMPUTE
        if kind in ("attr", "item") and isinstance(key, str):
            return _taken(step, data_type)
        if kind == "item" and isinstance(key, int):
            # The place of a column of Arrow; a frame of pandas has none of that name.
            return _taken(step, data_type)
        return (), data_type, COMPUTE
    if isinstance(data_type, ArrayType) and kind == "each" and isinstance(data_type.element, StructType):
        return (ELEMENT,), data_type.element, None
    if isinstance(data_type, AtomicType) and kind in ("any", "each", "slice", "item"):
        return (), data_type, None
    return (), data_type, COMPUTE


def _taken(step: Step, data_type: DataType) -> Taken | None:
    kind, key = step
    match data_type:
        case StructType():
            return _member(kind, key, data_type)
        case ArrayType():
            if kind in ("each", "any") or (kind == "item" and isinstance(key, int)):
                return (ELEMENT,), data_type.element, None
            return (), data_type, None if kind == "slice" else COMPUTE
        case MapType():
            if kind in ("each", "keys"):
                return (KEY,), data_type.key, None
            if kind in ("item", "any", "values"):
                return (VALUE,), data_type.value, None
            return (), data_type, COMPUTE
        case AtomicType():
            return (), data_type, _of_atom(kind, key, data_type.name)


def _member(kind: str, key: Any, data_type: StructType) -> Taken | None:
    names = [f.name for f in data_type.fields]
    if isinstance(key, str) and kind in ("attr", "item"):
        if names.count(key) == 1:
            return (key,), data_type.fields[names.index(key)].type, None
        return None if kind == "item" and key not in names else ((), data_type, COMPUTE)
    if kind == "item" and isinstance(key, int) and -len(names) <= key < len(names):
        chosen = data_type.fields[key]
        return (
            ((chosen.name,), chosen.type, None) if names.count(chosen.name) == 1 else ((), data_type, COMPUTE)
        )
    if kind == "any":
        return (), data_type, COMPUTE
    return (), data_type, COMPUTE


def _of_atom(kind: str, key: Any, name: str) -> How:
    """What is taken out of a value without parts."""
    if kind == "attr" and key in _DATE_PARTS and name in _DATES:
        return PART
    few = (kind == "slice" and key is not None) or (kind == "item" and isinstance(key, int))
    return PART if few and name in _TEXTS else PLAIN


def sources(edges: frozenset[Edge], types: tuple[DataType, ...], form: Form) -> Iterator[Source]:
    """The paths of edges by names, each way once."""
    seen = set()
    for edge in sorted(edges, key=repr):
        source = resolve(edge, types, form)
        if source is not None and source not in seen:
            seen.add(source)
            yield source
