"""Constants and rows of a program that holds collected data: where such values enter a plan.

What a program collects (``collect``, ``toPandas``, …) comes back into its plans as constants, as rows of its own, or
inside user code. No plan shows from where. In an application that has collected something, each of these is therefore a
possible origin: an edge from ``PROGRAM``, indirect, with the access DRIVER. It is *by value* where the constant itself,
or a part of it, may stand in the output, and then has the manipulation OPAQUE, since what the program did is not known;
elsewhere (in a predicate, in arithmetic) it only decides. Not counted are NULL, which holds no value, and what only
sets how a function works: a format, a position, a precision.

    lit('x')                          by value
    concat(name, 'x')                 by value
    amount * 2, age > 18              decides
    date_format(day, 'yyyy')          nothing
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from headwater_facets.kinds import Access, LineageType, Manipulation, Subtype
from headwater_plan.nodes import Call, Literal
from headwater_spark.tracing.collected import MayHold
from headwater_spark.tracing.values.ids import only
from headwater_spark.tracing.values.literals import text_of
from headwater_spark.tracing.values.value import NOTHING, Edge, How, Origin, Value, collapse, with_edges
from headwater_spark.tracing.written_names import is_mark

PROGRAM: Final = Origin(-1, 0, "")
"""In place of an operator's column: what the program holds."""
ROWS: Final = Origin(-1, 1, "")
"""The same for what the program makes: rows, and constants that nobody wrote, may hold also what it was only shown, or
has read by itself.
"""

_HANDS_ON: Final = frozenset(
    {
        "coalesce",
        "concat",
        "concat_ws",
        "elt",
        "format_string",
        "greatest",
        "lag",
        "lead",
        "least",
        "mask",
        "ml.IndexToString",
    }
    | {"overlay", "regexp_replace", "lpad", "rpad", "replace", "translate"}
    | {
        "array_append",
        "array_insert",
        "array_join",
        "array_prepend",
        "array_repeat",
        "array_union",
        "arrays_zip",
    }
    | {"map_concat", "map_from_arrays", "map_from_entries"}
)
"""Functions in whose result a constant may stand as it is, beside columns."""

_SET: Final = frozenset(
    {"left", "right", "slice", "split_part", "split", "substring", "substring_index"}
    | {"trim", "ltrim", "rtrim", "regexp_extract", "regexp_extract_all"}
    | {"bround", "conv", "format_number", "round", "round_ceil", "round_floor", "sha2", "sort_array"}
    | {
        "to_binary",
        "to_char",
        "to_number",
        "try_to_number",
        "encode",
        "string_decode",
        "aes_encrypt",
        "aes_decrypt",
    }
    | {
        "date_format",
        "from_unixtime",
        "get_timestamp",
        "to_date",
        "to_timestamp",
        "to_unix_timestamp",
    }
    | {
        "trunc",
        "date_trunc",
        "unix_timestamp",
        "convert_timezone",
        "from_utc_timestamp",
        "to_utc_timestamp",
    }
    | {
        "precise_timestamp_conversion",
        "from_csv",
        "get_json_object",
        "from_json",
        "json_tuple",
        "from_xml",
    }
    | {"multi_get_json_object", "parse_url", "try_parse_url", "variant_get"}
)
"""Functions whose constants, beside a column, only set how they work."""

_UNREAD: Final = frozenset({"count"})
"""Functions that look at no value of a constant: ``count(*)`` counts ones."""


def handed(operator: int, origin: Origin = PROGRAM) -> Edge:
    """A value of the program enters at that operator."""
    return Edge(
        origin,
        (),
        How(
            LineageType.INDIRECT,
            Subtype.CONDITIONAL,
            manipulation=(Manipulation.OPAQUE,),
            access=Access.DRIVER,
            operators=only(operator),
        ),
    )


def decides(operator: int, origin: Origin = PROGRAM) -> Edge:
    """A value of the program decides at that operator."""
    return _deciding(handed(operator, origin))


def to_decide(value: Value) -> Value:
    """The value where it only decides."""
    return _each_edge(value, _deciding)


def is_of_program(edge: Edge) -> bool:
    """Whether the edge comes from what the program holds."""
    return edge.origin in (PROGRAM, ROWS)


def by_value(edges: Iterable[Edge], origin: Origin) -> bool:
    """Whether a value of the program itself, of that origin, may stand where the edges lead to."""
    return any(edge.origin == origin and Manipulation.OPAQUE in edge.how.manipulation for edge in edges)


def constant_of_program(literal: Literal, operator: int, program: MayHold) -> Value:
    """The constant's value. One without a letter or digit (a separator) only decides."""
    made = Value(made=(literal.as_value,))
    if literal.text == "NULL":
        return made
    plain = isinstance(literal.value, str) and is_mark(literal.value)
    edges = [decides(operator) if plain else handed(operator)] if program.collected else []
    if program.written is not None and not plain and _is_computed(literal, program.written):
        edges.append(handed(operator, ROWS))
    return with_edges(made, tuple(edges))


def names_of_program(names: Iterable[str], operator: int, program: MayHold) -> Value:
    """What may stand in names that nobody has written."""
    if program.names is None or all(map(program.names.has, names)):
        return NOTHING
    held = ((PROGRAM, program.collected), (ROWS, program.written is not None))
    return Value(tuple(handed(operator, origin) for origin, given in held if given))


def of_code(operator: int, program: MayHold, held: frozenset[str] | None = None) -> Iterator[Edge]:
    """What may be in code of the program that carries such data; None: in code that cannot be looked into."""
    if program.collected and held != frozenset():
        yield handed(operator)
    written = program.written
    if written is not None and (held is None or any(each not in written for each in held)):
        yield handed(operator, ROWS)


def _is_computed(literal: Literal, written: Container[str]) -> bool:
    """Whether nobody wrote the constant. Of two truth values, each stands in any program."""
    text = text_of(literal)
    return not isinstance(literal.value, bool) and (text is None or text not in written)


def as_arguments(call: Call, values: Sequence[Value]) -> list[Value]:
    """The arguments of a function, constants among them as far as they count."""
    if call.function in _UNREAD:
        return [_without(value) if _is_constant(value) else value for value in values]
    if call.function in _HANDS_ON or all(map(_is_constant, values)):
        return list(values)
    change = _without if call.function in _SET else _aside
    return [change(value) if _is_constant(value) else value for value in values]


def _is_constant(value: Value) -> bool:
    """Whether nothing but the program's values is in it."""
    return all(is_of_program(edge) for edge in collapse(value).edges)


def _without(value: Value) -> Value:
    return _each_edge(value, lambda edge: None if is_of_program(edge) else edge)


def _aside(value: Value) -> Value:
    return _each_edge(value, lambda edge: _deciding(edge) if is_of_program(edge) else edge)


def _each_edge(value: Value, change: Callable[[Edge], Edge | None]) -> Value:
    changed = (change(edge) for edge in value.edges)
    members = {step: _each_edge(member, change) for step, member in value.members.items()}
    return replace(value, edges=tuple(edge for edge in changed if edge is not None), members=members)


def _deciding(edge: Edge) -> Edge:
    return edge._replace(how=replace(edge.how, manipulation=()))
