"""Writes that replace the rows of a condition: it decides which rows of the target stay.

    INSERT INTO t REPLACE WHERE city = 'Bern' SELECT …     Filter(EXISTS (Filter(city = 'Bern') over a read of t))

Of Delta's option ``replaceWhere``, which is a text, the columns are taken.
"""

from __future__ import annotations

from collections.abc import Iterator

from headwater_plan.nodes import (
    Attribute,
    Call,
    Column,
    Expression,
    Filter,
    Literal,
    Read,
    Relation,
    Subquery,
)
from headwater_plan.types import UNKNOWN, AtomicType
from headwater_spark.decode.context import Context
from headwater_spark.decode.document import Node
from headwater_spark.decode.values import Source, options_of
from headwater_spark.guard import Failure, guarded

_OPTION = "replacewhere"
_ABOUT_THE_TARGET = frozenset({"mode", "extent"})


def with_replaced_rows(node: Node, child: Relation, target: Source, context: Context) -> Relation:
    """The written rows, as the condition decides about them."""
    for kept in (_by_expression(node, context), _by_option(node, target, context)):
        if kept is not None:
            child = Filter(child.outputs, child, Subquery("EXISTS", kept))
    return child


def _by_expression(node: Node, context: Context) -> Relation | None:
    condition, tables = context.optional(node.get("deleteExpr")), context.relations(node.get("table"))
    if condition is None or isinstance(condition, Literal) or not tables:
        return None
    return Filter(tables[0].outputs, tables[0], condition)


def _by_option(node: Node, target: Source, context: Context) -> Relation | None:
    given = {**options_of(node.get("options")), **options_of(node.get("writeOptions"))}.get(_OPTION)
    if not given:
        return None
    names = guarded(lambda: tuple(dict.fromkeys(_columns(given))))
    if isinstance(names, Failure):
        context.problem("UNKNOWN_EXPRESSION", "the condition of replaceWhere is not understood")
        return None
    columns = tuple(Attribute(next(context.own_ids), name, UNKNOWN) for name in names)
    source = {key: value for key, value in target.items() if key not in _ABOUT_THE_TARGET}
    read = Read(columns, source, context.reads_at(source))
    args: tuple[Expression, ...] = tuple(Column(a.id, a.name, a.type) for a in columns)
    return Filter(columns, read, Call("replace_where", args, AtomicType("boolean"), "replace_where"))


def _columns(text: str) -> Iterator[str]:
    """The names of the columns in a condition. Raises what sqlglot raises for a text that it cannot parse."""
    from sqlglot import exp, parse_one  # noqa: PLC0415 - few jobs need a parser of SQL

    yield from (column.name for column in parse_one(text, dialect="databricks").find_all(exp.Column))
