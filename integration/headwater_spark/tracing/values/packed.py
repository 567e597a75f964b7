"""Values that are packed into a text or a variant, and taken out of it again: JSON, by the names of members.

Names lead to what is packed, as they are in the JSON text: Spark compares them exactly. Positions in arrays are left
out, since Spark takes an object for an array of one where a schema says so. The keys of a map are data: all of it may
be under any of them. A path that is not understood takes all, and so does a column for what could not be parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Final

from headwater_facets.kinds import Access, LineageType, Subtype
from headwater_plan.nodes import Call, Expression, Literal, Shown
from headwater_plan.types import (
    ATOMIC,
    ELEMENT,
    KEY,
    VALUE,
    ArrayType,
    AtomicType,
    DataType,
    MapType,
    StructField,
    StructType,
)
from headwater_spark.tracing.values.value import (
    PACKED,
    How,
    Steps,
    Value,
    apply,
    as_text,
    collapse,
    construct,
    extract,
    merge,
    packed_in,
    taken,
)

LONGEST_NAME: Final = 255
"""Of a name or a path in a constant; a longer one may have been cut."""
_HOLDING: Final = re.compile(r"(string|binary|varchar|char|variant)\b|$")
_STEP: Final = re.compile(
    r"""\.(?P<name>[^.\[*]+) | \[' (?P<quoted>[^'?*]+) '\] | \[" (?P<double>[^"?*]+) "\] | \[(?:\d+|\*)\]""",
    re.VERBOSE,
)


def kind_of(e: Expression) -> DataType | None:
    """The expression's type; plans name those of functions only if they are nested."""
    return ATOMIC if e.type is None and isinstance(e, Call) else e.type


def may_hold(data_type: DataType | None) -> bool:
    """Whether values of the type may hold packed values: texts and variants."""
    return isinstance(data_type, AtomicType) and _HOLDING.match(data_type.name) is not None


def packed(value: Value, data_type: DataType | None, how: How) -> Value:
    """The text, or the variant, that a value of the type is packed into."""
    return as_text(_contents(value, data_type, replace(how, packed=True)))


def _contents(value: Value, data_type: DataType | None, how: How) -> Value:
    match data_type:
        case StructType(fields) if fields:
            return construct((f.name, _contents(extract(value, f.name), f.type, how)) for f in fields)
        case ArrayType(element):
            return merge((_contents(extract(value, ELEMENT), element, how), _extent(value, how)))
        case AtomicType() if may_hold(data_type):
            return apply(value, how)
        case _:
            return apply(collapse(value), replace(how, packed=False))


def unpacked(
    text: Value,
    data_type: DataType | None,
    how: How,
    names: Iterable[str] | None = (),
    whole: Sequence[str] = (),
) -> Value:
    """What is taken, as a value of the type, out of a text under the names: out of all of it if they are None.

    Members that are called as in ``whole`` hold the text itself.
    """
    if names is None:
        return apply(collapse(text), how)
    inside = reduce(taken, names, packed_in(text))
    keeping = replace(how, packed=True)
    if not isinstance(data_type, StructType):
        return _taken_as(inside, data_type, keeping)
    whole = [f.name for f in data_type.fields if f.name in whole or _may_be_whole(f)]
    return construct(
        (
            f.name,
            apply(collapse(text), how)
            if f.name in whole
            else _taken_as(taken(inside, f.name), f.type, keeping),
        )
        for f in data_type.fields
    )


def _may_be_whole(field: StructField) -> bool:
    """Whether a member has a name such as sessions give the one for what could not be parsed."""
    named = field.name.startswith("_") or "corrupt" in field.name.lower()
    return named and may_hold(field.type)


def _taken_as(inside: Value, data_type: DataType | None, how: How) -> Value:
    """What is packed, as a value of the type."""
    match data_type:
        case StructType(fields) if fields:
            return construct((f.name, _taken_as(taken(inside, f.name), f.type, how)) for f in fields)
        case ArrayType(element):
            own = apply(replace(inside, members={}), how)
            return merge((construct([(ELEMENT, _taken_as(inside, element, how))]), _extent(own, how)))
        case MapType():
            entries = apply(collapse(inside), replace(how, packed=False))
            return merge((construct([(KEY, entries), (VALUE, entries)]), _extent(entries, how)))
        case AtomicType() if may_hold(data_type):
            return apply(as_text(inside), how)
        case _:
            return apply(collapse(inside), replace(how, packed=False))


def _extent(collection: Value, how: How) -> Value:
    """What decides how many elements the collection has."""
    deciding = How(
        LineageType.INDIRECT,
        Subtype.CONDITIONAL,
        access=Access.CONDITION,
        operators=how.operators,
        extent=True,
    )
    return apply(collection, deciding)


def names_of_path(path: Expression | None) -> Steps | None:
    """The names in a constant JSON path; None where it is not constant, or takes what names do not say."""
    text = _constant(path)
    if text is None or not text.startswith("$"):
        return None
    names: list[str] = []
    position = 1
    while position < len(text):
        step = _STEP.match(text, position)
        name = step and (step["name"] or step["quoted"] or step["double"])
        if step is None or (name and name != name.strip()):
            return None
        names += [name] if name else []
        position = step.end()
    return tuple(names)


def names_of_key(key: Expression | None) -> Steps | None:
    """The constant name of a member; None where it is not constant."""
    name = _constant(key)
    return None if name is None else (name,)


def _constant(e: Expression | None) -> str | None:
    """The text of a constant that may leave as it is."""
    if not isinstance(e, Literal) or not isinstance(e.value, str) or e.shown is not Shown.VALUE:
        return None
    return e.value if len(e.value) < LONGEST_NAME and PACKED not in e.value else None
