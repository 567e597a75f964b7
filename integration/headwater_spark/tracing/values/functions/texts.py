"""Rules of functions that pack values into texts, or take them out: JSON, CSV, XML, variants, URLs, parts of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from headwater_facets.kinds import Access, Manipulation
from headwater_plan.nodes import Call, Literal
from headwater_plan.types import ATOMIC
from headwater_spark.tracing.values.functions.steps import Rule, called, conditional, serialize
from headwater_spark.tracing.values.packed.members import (
    csv_of,
    has_plain_options,
    kind_of,
    names_of_elements,
    names_of_key,
    names_of_path,
    packed,
    packed_as_csv,
    packed_as_xml,
    taken_by_xpath,
    taken_from_csv,
    taken_from_xml,
    unpacked,
)
from headwater_spark.tracing.values.packed.texts import take_of_call, taken_text
from headwater_spark.tracing.values.value import How, Steps, Value, apply, collapse, merge


def parse(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Text taken apart: the result comes from the text; a constant JSON path or key is kept as position."""
    text, *others = args
    parsed = apply(collapse(text), _parsing(call, operator))
    return merge((parsed, *(conditional(o, operator, Access.INDEX) for o in others)))


def pack(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Values packed under their names into JSON text, or into a variant."""
    how = called(call, operator, Manipulation.SERIALIZE)
    return packed(args[0], kind_of(call.args[0]), how)


def unpack(names: Callable[[Call], Steps | None]) -> Rule:
    """What is packed in JSON text, or in a variant, under the names that lead to it; all of it without names."""

    def rule(call: Call, args: Sequence[Value], operator: int) -> Value:
        text, *others = args
        how = _parsing(call, operator)
        deciding = (conditional(o, operator, Access.INDEX) for o in others)
        return merge((unpacked(text, kind_of(call), how, names(call), call.whole), *deciding))

    return rule


def from_json(call: Call) -> Steps | None:
    """A text is taken as a whole, member by member of the schema."""
    return ()


def by_path(call: Call) -> Steps | None:
    """The names in the JSON path that is the second argument."""
    return names_of_path(call.args[1]) if len(call.args) > 1 else None


def json_member(call: Call, args: Sequence[Value], operator: int) -> Value:
    """The member of a JSON text whose name is the second argument, as text."""
    text, key = args
    value = unpacked(text, ATOMIC, _parsing(call, operator), names_of_key(call.args[1]))
    return merge((value, conditional(key, operator, Access.INDEX)))


def pack_csv(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Values packed into CSV, by their positions."""
    how = called(call, operator, Manipulation.SERIALIZE)
    return packed_as_csv(args[0], kind_of(call.args[0]), csv_of(call), how)


def unpack_csv(call: Call, args: Sequence[Value], operator: int) -> Value:
    """What is at the positions of CSV, under the names of a schema; expressions beside the text only decide."""
    how = _parsing(call, operator)
    deciding = (conditional(o, operator, Access.INDEX) for o in args[1:])
    return merge((taken_from_csv(args[0], kind_of(call), csv_of(call), how, call.whole), *deciding))


def pack_xml(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Values packed into XML, by the names of elements."""
    if not has_plain_options(call):
        return serialize(call, args, operator)
    return packed_as_xml(args[0], kind_of(call.args[0]), called(call, operator, Manipulation.SERIALIZE))


def unpack_xml(call: Call, args: Sequence[Value], operator: int) -> Value:
    """What is in the elements of XML that a schema names."""
    if not has_plain_options(call):
        return parse(call, args, operator)
    how = _parsing(call, operator)
    deciding = (conditional(o, operator, Access.INDEX) for o in args[1:])
    return merge((taken_from_xml(args[0], kind_of(call), how, call.whole), *deciding))


def by_xpath(call: Call, args: Sequence[Value], operator: int) -> Value:
    """What is in the elements of XML that a constant XPath names; all of it for any other."""
    text, path = args[:2]
    names = names_of_elements(call.args[1])
    found = taken_by_xpath(text, names, kind_of(call), _parsing(call, operator))
    return merge((found, conditional(path, operator, Access.INDEX)))


def take(otherwise: Rule) -> Rule:
    """What is taken of a text by its place, or under a key; what is not certain is ``otherwise`` anything of it."""

    def rule(call: Call, args: Sequence[Value], operator: int) -> Value:
        name = take_of_call(call)
        if name is None:
            return otherwise(call, args, operator)
        return otherwise(call, [taken_text(args[0], name), *args[1:]], operator)

    return rule


def parse_variant(call: Call, args: Sequence[Value], operator: int) -> Value:
    """A variant of what a JSON text has."""
    return apply(args[0], replace(_parsing(call, operator), packed=True))


def _parsing(call: Call, operator: int) -> How:
    """A parse by the call; its constant JSON path or key is kept as position."""
    at = tuple(
        a.text.strip("'") for a in call.args[1:] if isinstance(a, Literal) and isinstance(a.value, str)
    )
    return called(call, operator, Manipulation.PARSE, at=at)
