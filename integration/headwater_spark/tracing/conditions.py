"""Predicates as small trees over input paths: the ``headwater_conditions`` facet.

A column stands for the input path it was copied from, when that is exactly one; anything computed is an
opaque leaf with its SQL text and the paths it reads. The program's constants say which branch a path takes; what
leaves of them is the matter of ``constants``. A token that stands for one has the type ``token``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headwater_facets.kinds import LineageType
from headwater_plan.functions import OPERATORS
from headwater_plan.nodes import Call, Cast, Expression, Literal, Shown
from headwater_spark.tracing.sql import PREDICATES, type_name
from headwater_spark.tracing.values.value import Edge, Value, collapse

Tree = Mapping[str, Any]

_NAMES: Mapping[str, str] = {name: each.condition for name, each in OPERATORS.items() if each.condition}

_DEEPEST = 60


def tree(
    expression: Expression,
    value_of: Callable[[Expression], Value],
    leaf: Callable[[Edge], Tree],
    sql: Callable[[Expression], str],
    *,
    decides: bool = True,
) -> Tree:
    """The predicate's tree. ``value_of`` traces a part to columns of reads; ``leaf`` writes an input
    path, ``sql`` what is no part of the tree.

    Unless it only ``decides``, it is one of a CASE's values as well.
    """

    def of(e: Expression, depth: int) -> Tree:
        match e:
            case Literal():
                return _constant(e) if decides or depth else {"opaque": e.as_value}
            case Cast(child=Literal() as literal):
                return of(literal, depth)
            case Call(function=function) if function in operators and depth < _DEEPEST:
                return {"op": _NAMES[function], "args": [of(a, depth + 1) for a in e.args]}
            case _:
                return _leaf(e)

    def _leaf(e: Expression) -> Tree:
        value = value_of(e)
        edges = [edge for edge in collapse(value).edges if edge.how.type is LineageType.DIRECT]
        if len(edges) == 1 and not value.members and edges[0].how.carries_structure:
            return {"path": leaf(edges[0])}
        return {"opaque": sql(e), "paths": [leaf(edge) for edge in edges]}

    operators = _NAMES if decides else _NAMES.keys() & PREDICATES
    return of(expression, 0)


def _constant(e: Literal) -> Tree:
    match e.shown:
        case Shown.TYPE:
            return {"opaque": e.text}
        case Shown.TOKEN if e.value is not None:
            return {"literal": e.text, "type": "token"}
        case _:
            return {"literal": e.value, "type": type_name(e.type) if e.type is not None else "unknown"}
