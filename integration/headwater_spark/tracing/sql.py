"""An expression as SQL text for people, cut to a length. It explains; nothing parses it.

A constant stands in it as it may leave from its position (see ``constants``). A comparison's operands are a predicate,
wherever it stands; what a CASE, a struct, an array or a map may become is a value, also inside a predicate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from typing_extensions import assert_never

from headwater_plan.functions import OPERATORS
from headwater_plan.nodes import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Column,
    Construct,
    DeclaredCall,
    Element,
    Expression,
    Lambda,
    Literal,
    Member,
    OpaqueCall,
    Subquery,
    Update,
    Windowed,
)
from headwater_plan.types import ArrayType, AtomicType, DataType, MapType, StructType

PREDICATES = frozenset(name for name, operator in OPERATORS.items() if operator.truth)
"""Calls that give a truth value: what they compare with is in no value."""

MOST_TEXT = 500
"""Characters of text; what is cut ends in an ellipsis."""

_INFIX = {name: operator.infix for name, operator in OPERATORS.items() if operator.infix}

_DEEPEST = 40
_AS_THEY_ARE: Mapping[int, str] = MappingProxyType({})


def sql(expression: Expression, *, decides: bool = False, names: Mapping[int, str] = _AS_THEY_ARE) -> str:
    """The expression as one line of SQL-like text of at most ``MOST_TEXT`` characters.

    ``decides``: it stands in a predicate, and is not a part of a value. ``names``: what to call some columns, by id.
    """
    return _Speller(names).text(expression, 0, decides)


@dataclass(slots=True)
class _Speller:
    """Spells one expression; a part that stands at several places of it is spelled once."""

    names: Mapping[int, str]
    known: dict[tuple[int, bool], str] = field(default_factory=dict)

    def text(self, e: Expression, depth: int, decides: bool) -> str:
        if depth > _DEEPEST:
            return "…"
        key = (id(e), decides)
        if key not in self.known:
            text = _spelled(e, depth, decides, self)
            self.known[key] = text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"
        return self.known[key]


def _spelled(  # noqa: PLR0911, PLR0912 - one arm a variant
    e: Expression, depth: int, decides: bool, speller: _Speller
) -> str:
    def inner(part: Expression) -> str:
        return speller.text(part, depth + 1, decides)

    def listed(parts: tuple[Expression, ...]) -> str:
        return ", ".join(map(inner, parts))

    def value(part: Expression) -> str:
        return speller.text(part, depth + 1, False)

    def decision(part: Expression) -> str:
        return speller.text(part, depth + 1, True)

    match e:
        case Column():
            return speller.names.get(e.id, e.name)
        case Literal():
            return e.text if decides else e.as_value
        case Member():
            return f"{inner(e.child)}.{e.name}"
        case Element():
            key = decision(e.key) if isinstance(e.key, Literal) else inner(e.key)
            return f"{inner(e.child)}[{key}]"
        case Construct():
            return "struct(" + ", ".join(f"{value(v)} AS {k}" for k, v in e.parts) + ")"
        case Update():
            changes = (f"{k} := {value(v)}" if v is not None else f"drop {k}" for k, v in e.changes)
            return f"update({inner(e.child)}, {', '.join(changes)})"
        case Case():
            whens = " ".join(f"WHEN {decision(p) if only_decides(p, e) else value(p)}" for p in e.predicates)
            return f"CASE {whens} THEN {', '.join(map(value, e.values))} END"
        case Cast():
            return f"CAST({inner(e.child)} AS {type_name(e.to)})"
        case Call():
            decides = decides or e.function in PREDICATES
            return _call(e, [speller.text(a, depth + 1, decides) for a in e.args])
        case Lambda():
            return f"({', '.join(p.name for p in e.parameters)}) -> {inner(e.body)}"
        case AggregateCall():
            condition = f" FILTER (WHERE {decision(e.filter)})" if e.filter is not None else ""
            return inner(e.call) + condition
        case Windowed():
            partition = f"PARTITION BY {listed(e.partition)} " if e.partition else ""
            order = f"ORDER BY {listed(e.order)}" if e.order else ""
            return f"{inner(e.function)} OVER ({(partition + order).strip()})"
        case Subquery():
            return f"{e.kind}({listed(e.compared)} subquery)"
        case OpaqueCall():
            return f"{e.name}({listed(e.args)})"
        case DeclaredCall():
            return f"{e.declaration.name}({listed(e.args)})"
        case _:
            assert_never(e)


def only_decides(predicate: Expression, case: Case) -> bool:
    """Whether a predicate of the case is none of its values: COALESCE asks each value whether it is null."""
    return not isinstance(predicate, Literal) and all(predicate is not each for each in case.values)


def _call(e: Call, args: list[str]) -> str:
    if e.function in _INFIX and len(args) > 1:
        return f"({args[0]} {_INFIX[e.function]} {args[1]})"
    match e.function, args:
        case "not", [one]:
            return f"NOT {one}"
        case "isnull", [one]:
            return f"{one} IS NULL"
        case "isnotnull", [one]:
            return f"{one} IS NOT NULL"
        case "in", [one, *rest]:
            return f"{one} IN ({', '.join(rest)})"
        case "between", [one, low, high]:
            return f"{one} BETWEEN {low} AND {high}"
        case _:
            return f"{(e.pretty or e.function).lower()}({', '.join(args)})"


def type_name(data_type: DataType) -> str:
    """The type as Spark's SQL writes it."""
    match data_type:
        case AtomicType(name):
            return name
        case ArrayType(element):
            return f"array<{type_name(element)}>"
        case MapType(key, value):
            return f"map<{type_name(key)},{type_name(value)}>"
        case StructType(fields):
            return "struct<" + ",".join(f"{f.name}:{type_name(f.type)}" for f in fields) + ">"
        case _:
            assert_never(data_type)
