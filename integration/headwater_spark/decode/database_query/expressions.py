"""Expressions of a query as those that Spark would have for them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from sqlglot import exp

from headwater_plan.functions import RANKS
from headwater_plan.nodes import (
    AggregateCall,
    Attribute,
    Call,
    Case,
    Cast,
    Column,
    Expression,
    OpaqueCall,
    Relation,
    Subquery,
    Windowed,
)
from headwater_plan.types import UNKNOWN, AtomicType
from headwater_spark.decode.context import Context, constant, null, text_of
from headwater_spark.decode.database_query.columns import Columns
from headwater_spark.decode.database_query.functions import names_of
from headwater_spark.decode.database_query.names import NotUnderstoodError, Scope
from headwater_spark.decode.database_query.syntax import NO_VALUES, present, without_columns

_OF_A_ROW: Final = RANKS | {"lag", "lead"}
"""Window functions that are no aggregates."""


class Expressions(Columns, ABC):
    """Expressions, over the columns of a scope. A subquery's relation comes from the layer above."""

    @abstractmethod
    def _query(
        self, query: exp.Expr, scope: Scope, known: Sequence[Attribute] = ()
    ) -> tuple[Relation, Callable[[str], None] | None]:
        """The relation of a query and, where a star leaves it open, what notes a further column."""

    def _expression(self, node: exp.Expr | Attribute, scope: Scope) -> Expression:  # noqa: PLR0911, PLR0912 - a table
        if isinstance(node, Attribute):
            return self._above(node, scope)
        if id(node) in scope.aggregates:
            attribute = scope.aggregates[id(node)]
            return Column(attribute.id, attribute.name, attribute.type)
        match node:
            case exp.Alias() | exp.Paren() | exp.Ordered() | exp.Collate():
                return self._expression(node.this, scope)
            case exp.Column():
                return self._column(node, scope)
            case exp.Literal() | exp.Boolean() | exp.Interval():
                return self._literal(node)
            case exp.Null():
                return null()
            case exp.Case() | exp.If():
                return self._case(node, scope)
            case exp.Coalesce() | exp.Greatest() | exp.Least():
                values = self._all([node.this, *node.expressions], scope)
                return Case(values if not isinstance(node, exp.Coalesce) else values[:-1], values)
            case exp.Nullif():
                left, right = self._all([node.this, node.expression], scope)
                return Case((left, right), (left,))
            case exp.Cast():
                return Cast(self._expression(node.this, scope), UNKNOWN, UNKNOWN)
            case exp.Subquery() | exp.Exists() | exp.Any() | exp.All():
                return self._subquery(node, scope)
            case exp.In():
                return self._in(node, scope)
            case exp.Window():
                return self._window(node, scope)
            case exp.Filter() | exp.WithinGroup() | exp.AggFunc():
                return self._aggregate_call(node, scope)
            case exp.Not() if isinstance(node.this, exp.Is) and isinstance(node.this.expression, exp.Null):
                return Call("isnotnull", self._all([node.this.this], scope))
            case exp.Is() if isinstance(node.expression, exp.Null):
                return Call("isnull", self._all([node.this], scope))
            case _:
                return self._call(node, scope)

    def _all(self, nodes: Iterable[exp.Expr], scope: Scope) -> tuple[Expression, ...]:
        return tuple(self._expression(node, scope) for node in nodes)

    def _call(self, node: exp.Expr, scope: Scope) -> Expression:
        if isinstance(node, exp.Query | exp.UDTF | exp.Star | exp.Placeholder | exp.Parameter | exp.Dot):
            raise NotUnderstoodError(type(node).__name__)
        children = [each for each in node.iter_expressions() if not isinstance(each, NO_VALUES)]
        if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
            return OpaqueCall(str(node.name), "DATABASE_FUNCTION", self._all(children, scope))
        if not isinstance(node, exp.Func | exp.Binary | exp.Unary | exp.Condition | exp.Tuple):
            raise NotUnderstoodError(type(node).__name__)
        name, called = names_of(node)
        return Call(name, self._all(children, scope), pretty=called)

    def _literal(self, node: exp.Expr) -> Expression:
        if isinstance(node, exp.Boolean):
            return constant(
                bool(node.this), AtomicType("boolean"), str(node.this).upper(), self._context.constants
            )
        if isinstance(node, exp.Literal) and not node.is_string:
            return constant(node.name, AtomicType("double"), node.name, self._context.constants)
        text = node.name if isinstance(node, exp.Literal) else node.sql()
        return constant(text, AtomicType("string"), text_of(text), self._context.constants)

    def _case(self, node: exp.Expr, scope: Scope) -> Expression:
        if isinstance(node, exp.If):
            parts = self._all(present(node, "this", "true", "false"), scope)
            return Case(parts[:1], parts[1:])
        branches = node.args["ifs"]
        predicates = self._all([*present(node, "this"), *(each.this for each in branches)], scope)
        results = self._all([*(each.args["true"] for each in branches), *present(node, "default")], scope)
        return Case(predicates, results)

    def _aggregate_call(self, node: exp.Expr, scope: Scope) -> Expression:
        match node:
            case exp.Filter():
                condition = self._expression(node.expression.this, scope)
                return AggregateCall(self._function(node.this, scope), condition)
            case exp.WithinGroup():
                function = self._function(node.this, scope)
                order = self._all([each.this for each in node.expression.expressions], scope)
                assert isinstance(function, Call)  # noqa: S101 - of an aggregate function
                return AggregateCall(Call(function.function, (*function.args, *order)), None)
            case _:
                return AggregateCall(self._function(node, scope), None)

    def _function(self, node: exp.Expr, scope: Scope) -> Expression:
        """An aggregate or window function's call, with what DISTINCT and ORDER BY in it look at."""
        arguments: list[exp.Expr] = []
        for each in node.iter_expressions():
            if isinstance(each, exp.Order):
                arguments += [*([each.this] if each.this else []), *(o.this for o in each.expressions)]
            elif isinstance(each, exp.Distinct):
                arguments += each.expressions
            elif not isinstance(each, NO_VALUES):
                arguments.append(each)
        if isinstance(node, exp.Count) and any(isinstance(each, exp.Star) for each in arguments):
            arguments = []
        name, called = names_of(node)
        if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
            return OpaqueCall(str(node.name), "DATABASE_FUNCTION", self._all(arguments, scope))
        given = self._all(arguments, scope) or ((constant_one(self._context),) if name == "count" else ())
        return Call(name, given, pretty=called)

    def _window(self, node: exp.Window, scope: Scope) -> Expression:
        if node.args.get("alias") or node.args.get("first") is not None:
            raise NotUnderstoodError("a named window")
        function = node.this
        while isinstance(function, exp.IgnoreNulls | exp.RespectNulls):
            function = function.this
        order = node.args.get("order")
        spec = node.args.get("spec")
        if spec is not None and any(isinstance(each, exp.Column) for each in spec.walk()):
            raise NotUnderstoodError("a window's frame")
        called = self._function(function, scope)
        if (
            isinstance(function, exp.AggFunc)
            and isinstance(called, Call)
            and called.function not in _OF_A_ROW
        ):
            called = AggregateCall(called, None)
        return Windowed(
            called,
            self._all(node.args.get("partition_by") or (), scope),
            self._all([each.this for each in order.expressions] if order else (), scope),
        )

    def _subquery(self, node: exp.Expr, scope: Scope) -> Subquery:
        query = node.this if isinstance(node, exp.Exists | exp.Any | exp.All) else node
        inner = Scope(outer=scope, ctes=scope.ctes)
        if isinstance(node, exp.Exists):
            query = without_columns(query)
        relation, _ = self._query(query, inner)
        kind = "EXISTS" if isinstance(node, exp.Exists) else "IN" if query is not node else "SCALAR"
        return Subquery(kind, relation, tuple(inner.outer_columns))

    def _in(self, node: exp.In, scope: Scope) -> Expression:
        value = self._expression(node.this, scope)
        query = node.args.get("query")
        if query is None:
            if node.args.get("unnest") or node.args.get("field"):
                raise NotUnderstoodError("IN")
            return Call("in", (value, *self._all(node.expressions, scope)))
        inner = Scope(outer=scope, ctes=scope.ctes)
        relation, _ = self._query(query, inner)
        return Subquery("IN", relation, (value, *inner.outer_columns))


def constant_one(context: Context) -> Expression:
    """The argument of ``count(*)``, which reads no path."""
    return constant(1, AtomicType("integer"), "1", context.constants)
