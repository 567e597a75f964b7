"""Values that are packed by the names of members: JSON and variants, XML, and CSV, where a name is a position.

JSON: Names lead to what is packed, as they are in the text: Spark compares them exactly. Positions in arrays are left
out, since Spark takes an object for an array of one where a schema says so. The keys of a map are data: all of it may
be under any of them. A path that is not understood takes all, and so does a column for what could not be parsed.

XML: Names are compared in small letters, and the root has none. What becomes an attribute or stands beside elements,
and lists of lists, are packed as a whole. CSV: Each value is quoted where it must be, so that it stands at its place.
With options that change how it is written or read, all is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Final

from headwater_facets import packing
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
from headwater_spark.tracing.written_names import DATE_FORMATS, is_mark

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
    text = constant_text(path)
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
    name = constant_text(key)
    return None if name is None else (name,)


def constant_text(e: Expression | None) -> str | None:
    """The text of a constant that may leave as it is."""
    if not isinstance(e, Literal) or not isinstance(e.value, str) or e.shown is not Shown.VALUE:
        return None
    usable = len(e.value) < LONGEST_NAME and PACKED not in e.value and not packing.is_mark(e.value)
    return e.value if usable else None


_PLAIN_OPTIONS: Final = frozenset(
    {"sep", "delimiter", "header", "mode", "timezone", "quoteall", "inferschema", "columnnameofcorruptrecord"}
    | {"rowtag", "roottag", "indent", "declaration"}
    | DATE_FORMATS
)
"""Options that leave at its place, and under its name, what is packed in CSV or XML."""
_LONGEST_SEPARATOR: Final = 3
_ELEMENT: Final = re.compile(r"[a-z][a-z0-9-]*")
_ELEMENTS: Final = re.compile(r"/?[\w-]+((?:/[A-Za-z][A-Za-z0-9-]*)+)(?:/text\(\))?", re.ASCII)
_OTHER_ELEMENTS: Final = "xs_any"
"""What Spark calls the column for elements that the schema does not have."""


def csv_of(call: Call) -> str | None:
    """The mark of the CSV that the call writes or reads; None with options that change more than the separator."""
    options = dict(call.options)
    separators = [options[name] for name in ("sep", "delimiter") if name in options] or [","]
    plain = _PLAIN_OPTIONS.issuperset(options) and len(separators) == 1
    short = 0 < len(separators[0]) <= _LONGEST_SEPARATOR and is_mark(separators[0])
    return packing.csv(separators[0]) if plain and short else None


def packed_as_csv(value: Value, data_type: DataType | None, mark: str | None, how: How) -> Value:
    """The CSV that a struct is packed into, by the positions of its members; as a whole without a mark."""
    if mark is None or not isinstance(data_type, StructType) or not data_type.fields:
        return apply(collapse(value), how)
    fields = enumerate(data_type.fields)
    columns = construct((str(at), apply(collapse(extract(value, f.name)), how)) for at, f in fields)
    return as_text(construct([(mark, columns)]))


def taken_from_csv(
    text: Value, data_type: DataType | None, mark: str | None, how: How, whole: Sequence[str]
) -> Value:
    """A struct of what is at the positions of its members; those behind one that may be ``whole`` are anywhere."""
    if mark is None or not isinstance(data_type, StructType):
        return apply(collapse(text), how)
    columns = taken(packed_in(text), mark)
    members: list[tuple[str, Value]] = []
    shifted = False
    for at, field in enumerate(data_type.fields):
        shifted = shifted or field.name in whole or _may_be_whole(field)
        found = text if shifted else taken(columns, str(at))
        members.append((field.name, apply(collapse(found), how)))
    return construct(members)


def has_plain_options(call: Call) -> bool:
    """Whether the options leave the names of XML as they are."""
    return _PLAIN_OPTIONS.issuperset(name for name, _ in call.options)


def packed_as_xml(value: Value, data_type: DataType | None, how: How) -> Value:
    """The XML that a struct is packed into, by the names of elements."""
    return as_text(construct([(packing.XML, _elements(value, data_type, how))]))


def _elements(value: Value, data_type: DataType | None, how: How) -> Value:
    match data_type:
        case StructType(fields) if fields:
            parts = [(f.name.lower(), _elements(extract(value, f.name), f.type, how)) for f in fields]
            if not all(_ELEMENT.fullmatch(name) for name, _ in parts):
                return merge(collapse(part) for _, part in parts)
            return construct(parts)
        case ArrayType(StructType() | AtomicType() as element):
            return merge((_elements(extract(value, ELEMENT), element, how), _extent(value, how)))
        case _:
            return apply(collapse(value), how)


def taken_from_xml(text: Value, data_type: DataType | None, how: How, whole: Sequence[str]) -> Value:
    """A struct of what is in the elements that are called as its members are."""
    if not isinstance(data_type, StructType):
        return apply(collapse(text), how)
    inside = taken(packed_in(text), packing.XML)
    return construct(
        (
            f.name,
            apply(collapse(text), how)
            if f.name in (*whole, _OTHER_ELEMENTS) or _may_be_whole(f)
            else _of_element(inside, f, how),
        )
        for f in data_type.fields
    )


def _of_element(inside: Value, field: StructField, how: How) -> Value:
    name = field.name.lower()
    found = taken(inside, name) if _ELEMENT.fullmatch(name) else inside
    return _of_elements(found, field.type, how)


def _of_elements(found: Value, data_type: DataType | None, how: How) -> Value:
    match data_type:
        case StructType(fields) if fields and all(_ELEMENT.fullmatch(f.name.lower()) for f in fields):
            return construct((f.name, _of_element(found, f, how)) for f in fields)
        case ArrayType(StructType() | AtomicType() as element):
            own = apply(replace(found, members={}), how)
            return merge((construct([(ELEMENT, _of_elements(found, element, how))]), _extent(own, how)))
        case _:
            return apply(collapse(found), how)


def names_of_elements(path: Expression | None) -> Steps | None:
    """The names in a constant XPath of single steps, behind the root's; None for any other."""
    text = constant_text(path)
    found = _ELEMENTS.fullmatch(text) if text is not None else None
    return None if found is None else tuple(found[1].lower().split("/")[1:])


def taken_by_xpath(text: Value, names: Steps | None, data_type: DataType | None, how: How) -> Value:
    """What is in the elements under the names; all of the text without names."""
    if names is None:
        return apply(collapse(text), how)
    found = reduce(taken, names, taken(packed_in(text), packing.XML))
    return _of_elements(found, data_type, how)
