"""What an expression of Catalyst copies, restructures and looks at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater_records.nested.expressions import (
    Aggregated,
    Choice,
    Column,
    Computed,
    EachField,
    Expression,
    Listed,
    Part,
    Struct,
)
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.jvm import key, kind, listed

PASSING = {
    "Alias",
    "KnownNotNull",
    "KnownNullable",
    "AssertNotNull",
    "KnownFloatingPointNormalized",
    "NormalizeNaNAndZero",
    "TempResolvedColumn",
    "KnownNotContainsNull",
}
PLANS = {
    "ScalarSubquery",
    "Exists",
    "InSubquery",
    "ListQuery",
    "LateralSubquery",
    "FunctionTableSubqueryArgumentExpression",
}
Aggregates = Callable[[Any], int]


def no_aggregates(expression: Any) -> int:
    """Where no aggregate can be."""
    raise UntraceableError(kind(expression))


def read(expression: Any, aggregates: Aggregates = no_aggregates) -> Expression:
    """The expression; ``aggregates`` gives a number to each aggregate in it."""
    name = kind(expression)
    if name in PLANS:
        raise UntraceableError(name)
    if name in PASSING:
        return read(expression.child(), aggregates)
    rule = RULES.get(name)
    if rule is not None:
        return rule(expression, aggregates)
    return Computed(_children(expression, aggregates))


def _children(expression: Any, aggregates: Aggregates) -> tuple[Expression, ...]:
    return tuple(read(child, aggregates) for child in listed(expression.children()))


def _field(expression: Any, aggregates: Aggregates) -> Expression:
    name = expression.childSchema().fields()[expression.ordinal()].name()
    return Part(read(expression.child(), aggregates), (name,))


def _item(expression: Any, aggregates: Aggregates) -> Expression:
    """``a[i]`` counts from 0, ``element_at(a, i)`` from 1; of a map it is the value of some entry."""
    collection, ordinal = listed(expression.children())
    of = read(collection, aggregates)
    if "map" in collection.dataType().catalogString()[:3]:
        return Choice((Part(of, (None, "value")),), (Part(of, (None, "key")), read(ordinal, aggregates)))
    first = 0 if kind(expression) == "ElementAt" else 1
    if kind(ordinal) == "Literal" and isinstance(ordinal.value(), int) and ordinal.value() + first > 0:
        return Part(of, (ordinal.value() + first,))
    return Choice((Part(of, (None,)),), (read(ordinal, aggregates),))


def _each_field(expression: Any, aggregates: Aggregates) -> Expression:
    return EachField(read(expression.child(), aggregates), expression.field().name())


def _struct(expression: Any, aggregates: Aggregates) -> Expression:
    children = listed(expression.children())
    names = tuple(str(name.eval(None)) for name in children[::2])
    return Struct(names, tuple(read(value, aggregates) for value in children[1::2]))


def _cast(expression: Any, aggregates: Aggregates) -> Expression:
    """A cast of a struct goes by position, so fields may have other names afterwards."""
    inner = read(expression.child(), aggregates)
    simple = not any(sign in expression.dataType().catalogString() for sign in "<")
    return inner if simple else Computed((inner,))


def _case(expression: Any, aggregates: Aggregates) -> Expression:
    """Conditions and values take turns; an odd one at the end is for all the rest."""
    parts = _children(expression, aggregates)
    pairs = len(parts) // 2 * 2
    return Choice(parts[1:pairs:2] + parts[pairs:], parts[0:pairs:2])


def _first_present(expression: Any, aggregates: Aggregates) -> Expression:
    parts = _children(expression, aggregates)
    return Choice(parts, parts[:-1])


def _if(expression: Any, aggregates: Aggregates) -> Expression:
    condition, *values = _children(expression, aggregates)
    return Choice(tuple(values), (condition,))


RULES: dict[str, Callable[[Any, Aggregates], Expression]] = {
    "AttributeReference": lambda each, _: Column(key(each)),
    "Literal": lambda each, _: Computed(()),
    "GetStructField": _field,
    "GetArrayItem": _item,
    "ElementAt": _item,
    "GetMapValue": _item,
    "GetArrayStructFields": _each_field,
    "CreateNamedStruct": _struct,
    "CreateArray": lambda each, aggregates: Listed(_children(each, aggregates)),
    "Cast": _cast,
    "If": _if,
    "CaseWhen": _case,
    "Coalesce": _first_present,
    "AggregateExpression": lambda each, aggregates: Aggregated(aggregates(each)),
}
