"""Values that are packed by their places in a text that is made of constants and parts, and taken out by place.

    concat(mail, ',', id)              the text "%s,%d": mail may hold a comma, id cannot
    split(that, ',')[0]                mail alone; at 1 and behind may be either
    parse_url(url, 'QUERY', 'mail')    what is put behind "mail=", and parts that may hold an "&" in front of it

The constants are known when a text is made, and the delimiter when it is taken apart: so the template of the text has
all constants (``headwater_facets.packing``). What is not certain has no template, and is taken as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from headwater_facets import packing
from headwater_facets.kinds import Access, Subtype
from headwater_facets.packing import Part
from headwater_plan.nodes import Call, Case, Cast, Construct, Element, Expression, Form, Literal, Shown
from headwater_plan.types import ArrayType, AtomicType, DataType, MapType, StructType
from headwater_spark.tracing.values.packed.members import constant_text
from headwater_spark.tracing.values.value import (
    How,
    Value,
    apply,
    as_text,
    collapse,
    construct,
    decision,
    extract,
    merge,
    packed_in,
    taken,
)

Piece: TypeAlias = str | tuple[Part, Expression | None]
"""A constant, or a part and what it is made of."""

_KINDS: Final = {
    **dict.fromkeys(("byte", "short", "integer", "long", "boolean"), "d"),
    **dict.fromkeys(("float", "double", "date", "timestamp", "timestamp_ntz"), "t"),
}
_FUNCTIONS: Final = {
    **dict.fromkeys(("md5", "sha1", "sha2", "hex", "crc32", "uuid"), "d"),
    "url_encode": "u",
}
_NULL_AS_FIRST: Final = frozenset(
    {"md5", "sha1", "hex", "crc32", "base64", "url_encode", "upper", "lower", "trim"}
)
"""Functions that give null for a null alone."""
_DECIMAL: Final = re.compile(r"decimal\b")
_OF_FORMAT: Final = re.compile(r"%(?:(?P<plain>[sd])|(?P<sign>[%n]))|(?P<other>%)|(?P<constant>[^%]+)")
_AROUND: Final = Part("w")
"""What Spark writes around and between the members of a struct, beside the commas."""
_LITERAL: Final = re.compile(
    r"\\Q(?P<quoted>[^\\]+)\\E|(?P<plain>(?:\\[^\w\s]|\[[^\w\s^\\]\]|[^\w\\^$.|?*+()\[\]{}])+)"
)
_GROUP: Final = re.compile(r"\(\[\^(?P<not>\\?[^\w\s\\^\]])\][*+]\)")
TEXTS: Final = frozenset({"concat", "concat_ws", "format_string"})
"""Functions that make a text of constants and parts."""
_MEMBERS: Final = 50
"""Of a struct, that are distinguished in its text."""


def packed_text(e: Expression, trace: Callable[[Expression], Value], how: How, operator: int) -> Value | None:
    """The text that constants and parts are packed into, by their places; None where that tells nothing apart.

    ``how`` is what the function does to each part. Whatever is taken of the text, each part decides whether it is
    found: of a part that is null, ``concat`` makes no text at all, and one may end an address, or make it invalid.
    """
    pieces = _pieces(e)
    if pieces is None or not _tells_apart(pieces):
        return None
    mark = packing.text(piece if isinstance(piece, str) else piece[0] for piece in pieces)
    if mark is None:
        return None
    numbered = enumerate(piece[1] for piece in pieces if not isinstance(piece, str))
    parts = [(str(at), part) for at, part in numbered if part is not None]
    places = construct((at, apply(collapse(trace(part)), how)) for at, part in parts)
    nulls = (trace(_null_as(part)) for _, part in parts)
    deciding = (decision(each, Subtype.CONDITIONAL, Access.NULL_TEST, operator) for each in nulls)
    return merge((as_text(construct([(mark, places)])), *deciding))


def _null_as(e: Expression) -> Expression:
    """What is null exactly where the expression is."""
    match e:
        case Cast(child=child, to=AtomicType("string")):
            return _null_as(child)
        case Call(function=function, args=(child, *_)) if function in _NULL_AS_FIRST:
            return _null_as(child)
        case _:
            return e


def struct_as_text(value: Value, struct: StructType, how: How) -> Value | None:
    """The text that a struct is cast to, by the places of its members; None for more than are distinguished."""
    if not 1 < len(struct.fields) <= _MEMBERS:
        return None
    tokens: list[packing.Token] = []
    members: list[tuple[str, Value]] = []
    for field in struct.fields:
        tokens += ["," if tokens else "", _AROUND, Part(_kind_of_type(field.type))]
        at = sum(isinstance(each, Part) for each in tokens) - 1
        members.append((str(at), apply(collapse(extract(value, field.name)), how)))
    mark = packing.text([*tokens, _AROUND])
    return None if mark is None else as_text(construct([(mark, construct(members))]))


def _tells_apart(pieces: Sequence[Piece]) -> bool:
    """Whether a constant with a character that may be a delimiter stands between two parts."""
    made = [
        at for at, piece in enumerate(pieces) if not isinstance(piece, str) and not _is_constant(piece[1])
    ]
    between = pieces[made[0] : made[-1]] if made else ()
    return any(isinstance(each, str) and re.search(r"[^\w]", each) for each in between)


def _is_constant(e: Expression | None) -> bool:
    return e is None or isinstance(e, Literal)


def _pieces(e: Expression) -> list[Piece] | None:
    """What the text is made of, in order; None if it is no such text, or its constants do not stay where they are."""
    match e:
        case Call(function="concat", args=args) if not isinstance(e.type, ArrayType):
            return [piece for arg in args for piece in _in_concat(arg)]
        case Call(function="concat_ws", args=(separator, *args)):
            between = _constant(separator)
            if between is None or not all(map(_is_one, args)):
                return None
            return [each for arg in args for each in (between, _piece(arg))][1:]
        case Call(function="format_string", args=(pattern, *args)):
            text = _constant(pattern)
            return None if text is None else _formatted(text, args)
        case _:
            return None


def _in_concat(e: Expression) -> Iterator[Piece]:
    if isinstance(e, Call) and e.function == "concat" and not isinstance(e.type, ArrayType):
        for arg in e.args:
            yield from _in_concat(arg)
    else:
        yield _piece(e)


def _piece(e: Expression) -> Piece:
    constant = _constant(e)
    return (Part(_kind(e)), e) if constant is None else constant


def _is_one(e: Expression) -> bool:
    """Whether ``concat_ws`` takes it for one value, which is never null: of a null, the separator is left out too."""
    match e:
        case Literal():
            return isinstance(e.value, str)
        case Case(form=Form.COALESCE, values=(*_, last)):
            return _is_one(last)
        case Cast(child=child, to=AtomicType("string")):
            return _is_one(child) or (isinstance(child, Literal) and isinstance(child.value, int))
        case Call(function="uuid" | "format_string"):
            return True
        case _:
            return False


def _formatted(text: str, args: Sequence[Expression]) -> list[Piece] | None:
    """What stands in a format with plain places alone."""
    pieces: list[Piece] = []
    given = iter(args)
    for found in _OF_FORMAT.finditer(text):
        if found["other"]:
            return None
        if found["plain"]:
            arg = next(given, None)
            if arg is None:
                return None
            pieces.append((Part(_kind(arg)), arg))
        else:
            pieces.append(found["constant"] or {"%": "%", "n": "\n"}[found["sign"]])
    return pieces


def _constant(e: Expression) -> str | None:
    """The text of a constant that may leave as it is."""
    if isinstance(e, Literal) and e.shown is Shown.VALUE and isinstance(e.value, str):
        return e.value
    return None


def _kind(e: Expression) -> str:
    """What the text of an expression may hold, as the kind of a part."""
    match e:
        case Cast(child=child, to=AtomicType("string")):
            return _kind(child)
        case Call(function=function) if function in _FUNCTIONS:
            return _FUNCTIONS[function]
        case Construct():
            return "s"
        case _:
            return _kind_of_type(e.type)


def _kind_of_type(data_type: DataType | None) -> str:
    name = data_type.name if isinstance(data_type, AtomicType) else ""
    return "t" if _DECIMAL.match(name) else _KINDS.get(name, "s")


def take_of_call(call: Call) -> str | None:
    """The name of what the call takes of its first argument; None where its place is not certain."""
    rule = _TAKES.get(call.function)
    return rule(call) if rule is not None else None


def take_of_element(e: Element) -> str | None:
    """The name of what is taken of a text by an element of its parts, or by a key of its pairs."""
    match e.child, e.key:
        case Call(function="split" | "string_split_sql" as function, args=(_, delimiter, *limit)), Literal(
            value=int(at)
        ):
            if limit and _number(limit[0]) not in (-1, 0):
                return None
            mark = _literal(delimiter) if function == "split" else constant_text(delimiter)
            place = at - e.first if at >= 0 else at
            valid = mark and place >= 0 if at >= 0 else mark and e.first == 1
            return packing.places(place, place, mark) if mark and valid else None
        case Call(function="str_to_map", args=(_, pairs, keys)), _ if isinstance(e.child.type, MapType):
            key, marks = constant_text(e.key), (_literal(pairs), _literal(keys))
            whole = "".join(filter(None, marks))
            return packing.keyed(whole, key) if key and all(marks) and whole != "?" else None
        case _:
            return None


def _split_part(call: Call) -> str | None:
    mark, at = constant_text(call.args[1]), _number(call.args[2])
    if mark is None or not at:
        return None
    return packing.places(at - 1, at - 1, mark) if at > 0 else packing.places(at, at, mark)


def _substring_index(call: Call) -> str | None:
    mark, count = constant_text(call.args[1]), _number(call.args[2])
    if mark is None or not count:
        return None
    return packing.places(0, count - 1, mark) if count > 0 else packing.places(count, -1, mark)


def _parse_url(call: Call) -> str | None:
    if len(call.args) != 3 or constant_text(call.args[1]) != "QUERY":
        return None
    key = constant_text(call.args[2])
    return None if key is None else packing.keyed("?", key)


def _regexp_extract(call: Call) -> str | None:
    """A group between the same delimiters from the start: ``^([^,]*),([^,]*)``."""
    pattern, group = constant_text(call.args[1]), _number(call.args[2]) if len(call.args) > 2 else 1
    if pattern is None or not group or group < 0 or not pattern.startswith("^"):
        return None
    rest, mark = pattern[1:], ""
    for at in range(group):
        if at:
            delimiter = next((each for each in _spellings(mark) if rest.startswith(each)), None)
            if delimiter is None:
                return None
            rest = rest.removeprefix(delimiter)
        found = _GROUP.match(rest)
        if found is None or (mark and found["not"].removeprefix("\\") != mark):
            return None
        mark = found["not"].removeprefix("\\")
        rest = rest[found.end() :]
    return packing.places(group - 1, group - 1, mark)


def _spellings(mark: str) -> tuple[str, ...]:
    """How a regular expression names the character, unless it means something else there."""
    means = () if mark in "^$.|?*+()[]{}" else (mark,)
    return (f"\\{mark}", f"[{mark}]", *means)


_TAKES: Final[dict[str, Callable[[Call], str | None]]] = {
    "split_part": _split_part,
    "substring_index": _substring_index,
    **dict.fromkeys(("parse_url", "try_parse_url"), _parse_url),
    "regexp_extract": _regexp_extract,
}


def _literal(pattern: Expression) -> str | None:
    """The characters that a constant regular expression finds, where it finds no others."""
    text = constant_text(pattern)
    found = _LITERAL.fullmatch(text) if text else None
    if found is None:
        return None
    return found["quoted"] or re.sub(r"\\(.)|\[(.)\]", lambda m: m[1] or m[2], found["plain"])


def _number(e: Expression) -> int | None:
    value = getattr(e, "value", None)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def taken_text(text: Value, name: str) -> Value:
    """What is taken of a text under the name."""
    return collapse(taken(packed_in(text), name))
