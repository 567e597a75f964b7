"""Whole queries: WITH, set operations, VALUES, and subqueries in FROM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sqlglot import exp

from headwater_plan.nodes import (
    Attribute,
    Column,
    Distinct,
    Local,
    Relation,
    Rename,
    SetOperation,
    Sort,
    Union,
)
from headwater_plan.types import UNKNOWN
from headwater_spark.decode.database_query.names import NotUnderstoodError, Scope, Source
from headwater_spark.decode.database_query.select import Selection

_CLAUSES: Final = frozenset({
    "with_", "kind", "expressions", "hint", "distinct", "from_", "joins", "where", "group", "having", "order", "limit",
    "offset", "operation_modifiers", "locks", "qualify", "this", "side", "expression", "by_name", "on", "match",
})  # fmt: skip


class Translation(Selection):
    """One pass over a query."""

    def whole(self, query: exp.Query) -> Relation:
        """The query whose result Spark reads. Its star may stand for the columns that Spark knows."""
        relation, _ = self._query(query, Scope(), self._outputs)
        return relation

    def _query(
        self, query: exp.Expr, scope: Scope, known: Sequence[Attribute] = ()
    ) -> tuple[Relation, Callable[[str], None] | None]:
        """The relation and, where a star leaves it open, what notes a further column."""
        unknown = {key for key, value in query.args.items() if value} - _CLAUSES
        if unknown and isinstance(query, exp.Select | exp.SetOperation):
            raise NotUnderstoodError(", ".join(sorted(unknown)))
        if isinstance(query, exp.Subquery):
            if query.args.get("pivots") or query.args.get("joins"):
                raise NotUnderstoodError("a subquery with more to it")
            relation, want = self._query(query.this, scope, known)
            return self._ordered_by_output(query, relation), want
        inner = Scope(outer=scope.outer, ctes={**scope.ctes, **self._ctes(query)})
        inner.outer_columns = scope.outer_columns
        match query:
            case exp.Select():
                return self._select(query, inner, known)
            case exp.SetOperation():
                return self._ordered_by_output(query, self._set_operation(query, inner, known)), None
            case exp.Values():
                return self._values(query), None
            case _:
                raise NotUnderstoodError(type(query).__name__)

    def _ctes(self, query: exp.Expr) -> dict[str, exp.Expr]:
        clause = query.args.get("with_")
        if clause is None:
            return {}
        if clause.args.get("recursive"):
            raise NotUnderstoodError("WITH RECURSIVE")
        return {self._key(cte.args["alias"].this): cte for cte in clause.expressions}

    def _set_operation(self, query: exp.SetOperation, scope: Scope, known: Sequence[Attribute]) -> Relation:
        if query.args.get("by_name") or query.args.get("on") or query.args.get("side"):
            raise NotUnderstoodError("a set operation by name")
        left, _ = self._query(query.this, scope, known)
        right, also = self._query(query.expression, scope)
        if also is not None or len(left.outputs) != len(right.outputs):
            raise NotUnderstoodError("columns of a set operation")
        outputs = tuple(self._attribute(a.name, a.type) for a in left.outputs)
        if not isinstance(query, exp.Union):
            inner = SetOperation(left.outputs, left, right, type(query).__name__)
            return Rename(outputs, inner)
        union = Union(outputs, (left, right))
        if not query.args.get("distinct"):
            return union
        return Distinct(outputs, union, tuple(Column(a.id, a.name, a.type) for a in outputs))

    def _ordered_by_output(self, query: exp.Expr, relation: Relation) -> Relation:
        scope = Scope(sources={"": Source(relation, self._by_key(relation.outputs))})
        if orders := self._orders(query, scope, relation.outputs):
            relation = Sort(relation.outputs, relation, orders)
        return self._limited(query, relation)

    def _values(self, query: exp.Values) -> Relation:
        first = query.expressions[0]
        columns = first.expressions if isinstance(first, exp.Tuple) else [first]
        return Local(tuple(self._attribute(f"column{i + 1}", UNKNOWN) for i in range(len(columns))), "VALUES")
