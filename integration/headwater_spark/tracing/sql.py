"""An expression as SQL text for people, cut to a length. It explains; nothing parses it."""

from __future__ import annotations

from typing_extensions import assert_never

from headwater_spark.ir import (
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
from headwater_spark.types import ArrayType, AtomicType, DataType, MapType, StructType

MOST_TEXT = 500
"""Characters of text; what is cut ends in an ellipsis."""

INFIX = {
    "And": "AND",
    "Or": "OR",
    "EqualTo": "=",
    "EqualNullSafe": "<=>",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "Add": "+",
    "Subtract": "-",
    "Multiply": "*",
    "Divide": "/",
    "Remainder": "%",
    "Like": "LIKE",
    "RLike": "RLIKE",
}

_DEEPEST = 40


def sql(expression: Expression) -> str:
    """The expression as one line of SQL-like text of at most ``MOST_TEXT`` characters."""
    text = _text(expression, 0)
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"


def _text(e: Expression, depth: int) -> str:  # noqa: PLR0911, PLR0912 - one arm a variant
    if depth > _DEEPEST:
        return "…"

    def inner(part: Expression) -> str:
        return _text(part, depth + 1)

    def listed(parts: tuple[Expression, ...]) -> str:
        return ", ".join(map(inner, parts))

    match e:
        case Column():
            return e.name
        case Literal():
            return e.text
        case Member():
            return f"{inner(e.child)}.{e.name}"
        case Element():
            return f"{inner(e.child)}[{inner(e.key)}]"
        case Construct():
            return "struct(" + ", ".join(f"{inner(v)} AS {k}" for k, v in e.parts) + ")"
        case Update():
            changes = (f"{k} := {inner(v)}" if v is not None else f"drop {k}" for k, v in e.changes)
            return f"update({inner(e.child)}, {', '.join(changes)})"
        case Case():
            whens = " ".join(f"WHEN {inner(p)}" for p in e.predicates)
            return f"CASE {whens} THEN {listed(e.values)} END"
        case Cast():
            return f"CAST({inner(e.child)} AS {type_name(e.to)})"
        case Call():
            return _call(e, depth)
        case Lambda():
            return f"({', '.join(p.name for p in e.parameters)}) -> {inner(e.body)}"
        case AggregateCall():
            condition = f" FILTER (WHERE {inner(e.filter)})" if e.filter is not None else ""
            return inner(e.call) + condition
        case Windowed():
            partition = f"PARTITION BY {listed(e.partition)} " if e.partition else ""
            order = f"ORDER BY {listed(e.order)}" if e.order else ""
            return f"{inner(e.function)} OVER ({(partition + order).strip()})"
        case Subquery():
            return f"{e.kind}({listed(e.outer)} subquery)"
        case OpaqueCall():
            return f"{e.name}({listed(e.args)})"
        case DeclaredCall():
            return f"{e.declaration.name}({listed(e.args)})"
        case _:
            assert_never(e)


def _call(e: Call, depth: int) -> str:
    args = [_text(a, depth + 1) for a in e.args]
    if e.function in INFIX and len(args) > 1:
        return f"({args[0]} {INFIX[e.function]} {args[1]})"
    match e.function, args:
        case "Not", [one]:
            return f"NOT {one}"
        case "IsNull", [one]:
            return f"{one} IS NULL"
        case "IsNotNull", [one]:
            return f"{one} IS NOT NULL"
        case "In", [one, *rest]:
            return f"{one} IN ({', '.join(rest)})"
        case "Between", [one, low, high]:
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
