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


Steps = tuple[Step, ...]


def resolve(edge: Edge, types: tuple[DataType, ...], form: Form) -> Source | None:
    """The path by names; None if the type has no such member, so that nothing comes from there."""
    argument = edge.path[0]
    if argument >= len(types):
        return None
    steps, steps_left = edge.path[1:], len(edge.path) - 1
    if edge.how.extent and _is_number_of_rows(steps, form, types[argument]):
        return Source(argument, (ELEMENT,) if form is Form.BATCHES else (), edge.how)
    found: list[str] = []
    data_type: DataType = types[argument]
    suffixes: tuple[str, ...] = ()
    is_value = False
    for place, stated in enumerate(steps):
        if stated[0] == "suffixed":
            suffixes = (*stated[1], *suffixes)
            continue
        step = _without_suffix(stated, suffixes, data_type)
        if step[0] == "about":
            if _is_number_of_rows(steps[:place], form, types[argument]):
                of_rows = edge.how._replace(extent=True)
                return Source(argument, (ELEMENT,) if form is Form.BATCHES else (), of_rows)
            return Source(argument, tuple(found), _ended(edge.how, COMPUTE))
        rows = not is_value and form is not Form.VALUES and _is_rows(place, form, found)
        is_value = is_value or (rows and _is_column(form, found, data_type) and _takes_value(step))
        if rows and is_value:
            taken: Taken | None = _value_of(data_type, certain=("any", None) not in steps[:place])
        else:
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


def _is_number_of_rows(steps: Steps, form: Form, given: DataType) -> bool:
    """Whether the steps lead to a frame or to one of its columns, of which no value or row was taken.

    All columns have as many elements as the frame has rows. A key of groups has positions, and no names.
    """
    if form is Form.BATCHES and isinstance(given, ArrayType) and steps[:1] == (("each", None),):
        steps, given = steps[1:], given.element
    elif form is not Form.FRAMES:
        return False
    taken = [(kind, key) for kind, key in steps if kind not in ("suffixed", "rows", "slice")]
    is_column = all(kind in ("attr", "item") and isinstance(key, str) for kind, key in taken)
    return isinstance(given, StructType) and is_column and len(taken) <= 1


def _without_suffix(step: Step, suffixes: tuple[str, ...], data_type: DataType) -> Step:
    """The step by a column's own name, where a merge of two frames may have given it a longer one."""
    kind, key = step
    if not suffixes or not isinstance(key, str) or not isinstance(data_type, StructType):
        return step
    names = {f.name for f in data_type.fields}
    shorter = {key}
    for suffix in suffixes:
        shorter |= {name.removesuffix(suffix) for name in shorter}
    own = (shorter - {key}) & names
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


def _is_column(form: Form, found: list[str], data_type: DataType) -> bool:
    """Whether what is met is a column, whose elements are values."""
    if form is Form.BATCHES:
        return len(found) == 2 or (len(found) == 1 and not isinstance(data_type, StructType))
    return len(found) == 1 or (form is Form.COLUMNS and not isinstance(data_type, StructType))


def _takes_value(step: Step) -> bool:
    return step[0] == "each" or (step[0] == "item" and isinstance(step[1], int))


def _value_of(data_type: DataType, *, certain: bool) -> Taken:
    """A value of a column; of what may be a value already, as in a single row, it may be a part."""
    return (), data_type, None if certain or isinstance(data_type, AtomicType) else COMPUTE


Taken = tuple[tuple[str, ...], DataType, "How | None"]


def _of_rows(step: Step, data_type: DataType) -> Taken | None:
    """A step from a frame, a column, or an iterator of them."""
    kind, key = step
    if isinstance(data_type, StructType):
        if kind in ("any", "rows", "slice"):
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
    if isinstance(data_type, AtomicType) and kind in ("any", "rows", "each", "slice", "item"):
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
