"""Expressions that Spark runs others for (``RuntimeReplaceable``), and common subexpressions.

``nvl(a, b)`` is run as ``coalesce(a, b)``, which stands beside the parameters ``a`` and ``b`` in one node. The
analyser resolves and rewrites that replacement only. So it alone is decoded; the parameters may still be as the
program stated them: unresolved, or columns that a self-join has renumbered since.

Where the function itself shows more than what is run for it, its form is recognised in the replacement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from headwater_plan.nodes import Call, Case, Column, Element, Expression
from headwater_spark.decode.context import Context, is_expression
from headwater_spark.decode.document import Node

_FIRST_COMMON_ID = -1_000_000_000_000
"""Expression ids for common subexpressions: below all that mean something."""


@dataclass(frozen=True, slots=True, eq=False)
class Common:
    """A common subexpression under its own id, which references to it name."""

    id: int
    expression: Expression


def replaced(node: Node, context: Context) -> Expression:
    """What Spark runs in the node's place."""
    replacement = context.expression(node.get("replacement"))
    recognise = RECOGNISED.get(node.name)
    return replacement if recognise is None else recognise(replacement)


def element(replacement: Expression) -> Expression:
    """``get(a, i)`` in ``if(i < 0 or i >= size(a), null, a[i])``."""
    values = replacement.values if isinstance(replacement, Case) else ()
    return next((value for value in values if isinstance(value, Element)), replacement)


def between(replacement: Expression) -> Expression:
    """``x between a and b`` in ``x >= a and x <= b``."""
    match replacement:
        case Call(
            function="and",
            args=(
                Call(function=">=", args=(tested, low)),
                Call(function="<=", args=(same, high)),
            ),
        ) if tested is same:
            return Call("between", (tested, low, high), replacement.type, "between")
        case _:
            return replacement


RECOGNISED: Mapping[str, Callable[[Expression], Expression]] = {"Get": element, "Between": between}


def common_reference(node: Node, context: Context) -> Column:
    return Column(_common_id(node), "common", context.document.type(node.get("dataType")))


def common_definition(node: Node, context: Context) -> Common:
    return Common(_common_id(node), context.expression(node.get("child")))


def with_common(node: Node, context: Context) -> Expression:
    """The expression with its common subexpressions put in."""
    found = {d.id: d.expression for d in context.nodes(node.get("defs")) if isinstance(d, Common)}
    whole: Expression = _put_in(context.expression(node.get("child")), found, {})
    return whole


def _common_id(node: Node) -> int:
    identity = node.get("id")
    content = identity.get("a", {}) if isinstance(identity, Mapping) else {}
    return _FIRST_COMMON_ID - int(content.get("id", 0))


def _put_in(part: Any, found: Mapping[int, Expression], done: dict[int, Any]) -> Any:
    """The expression, or tuple of parts, with columns replaced by expressions; what holds none stays the same."""
    if isinstance(part, Column):
        return found.get(part.id, part)
    if id(part) not in done:
        done[id(part)] = _put_into(part, found, done)
    return done[id(part)]


def _put_into(part: Any, found: Mapping[int, Expression], done: dict[int, Any]) -> Any:
    if isinstance(part, tuple):
        items = tuple(_put_in(item, found, done) for item in part)
        return items if any(new is not old for new, old in zip(items, part, strict=True)) else part
    if not is_expression(part):
        return part
    before = {f.name: getattr(part, f.name) for f in fields(part)}
    after = {name: _put_in(value, found, done) for name, value in before.items()}
    changed = {name: value for name, value in after.items() if value is not before[name]}
    return replace(part, **changed) if changed else part
