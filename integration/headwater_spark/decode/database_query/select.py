"""SELECT: its columns, groups and order, over what FROM gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from headwater_plan.nodes import (
    Aggregate,
    Attribute,
    Column,
    Definition,
    Distinct,
    Expression,
    Filter,
    Limit,
    Project,
    Relation,
    Sort,
)
from headwater_plan.types import UNKNOWN
from headwater_spark.decode.database_query.names import NotUnderstoodError, Scope, Source
from headwater_spark.decode.database_query.syntax import aggregates_in, is_aggregated, is_star, unaliased
from headwater_spark.decode.database_query.tables import Tables


class Selection(Tables):
    """One SELECT."""

    def _select(
        self, query: exp.Select, scope: Scope, known: Sequence[Attribute]
    ) -> tuple[Relation, Callable[[str], None] | None]:
        relation = self._from(query, scope)
        if where := query.args.get("where"):
            relation = Filter(relation.outputs, relation, self._expression(where.this, scope))
        items, want = self._items(query, scope, known)
        if is_aggregated(query):
            relation = self._aggregate(query, scope, relation, items)
        if having := query.args.get("having"):
            relation = Filter(relation.outputs, relation, self._expression(having.this, scope))
        if query.args.get("qualify"):
            raise NotUnderstoodError("QUALIFY")
        orders = self._orders(query, scope, [node for _, node in items])
        if orders:
            relation = Sort(relation.outputs, relation, orders)
        definitions = tuple(self._definition(name, node, scope) for name, node in items)
        relation = Project(tuple(d.attribute for d in definitions), relation, definitions)
        return self._limited(query, self._distinct(query, scope, relation)), want

    def _items(
        self, query: exp.Select, scope: Scope, known: Sequence[Attribute]
    ) -> tuple[list[tuple[str, exp.Expr | Attribute]], Callable[[str], None] | None]:
        """Names and expressions of the result's columns, stars spelled out."""
        items: list[tuple[str, exp.Expr | Attribute]] = []
        want: Callable[[str], None] | None = None
        for index, node in enumerate(query.expressions):
            if not is_star(node):
                items.append((self._name(node, known, len(items)), node))
                continue
            for source in self._starred(node, scope):
                if source.want is not None:
                    if want is not None:
                        raise NotUnderstoodError("stars of two tables")
                    want = source.want
                    self._want_known(source, known, len(items), len(query.expressions) - index - 1)
                items += [
                    (a.name, a) for a in source.relation.outputs if self._names.key(a.name) in source.columns
                ]
        if want is not None and known:
            items = self._in_order(items, known)
        return items, want

    @staticmethod
    def _want_known(source: Source, known: Sequence[Attribute], before: int, after: int) -> None:
        assert source.want is not None  # noqa: S101 - the caller has looked
        for attribute in known[before : len(known) - after]:
            source.want(attribute.name)

    def _in_order(
        self, items: list[tuple[str, exp.Expr | Attribute]], known: Sequence[Attribute]
    ) -> list[tuple[str, exp.Expr | Attribute]]:
        """The result's columns as Spark lists them, out of all that a star gives."""
        by_key = {self._names.key(name): node for name, node in items}
        found = [(a.name, by_key.get(self._names.key(a.name))) for a in known]
        return [(name, node) for name, node in found if node is not None]

    def _starred(self, node: exp.Expr, scope: Scope) -> list[Source]:
        star = node if isinstance(node, exp.Star) else node.this
        if any(star.args.values()) or scope.shared:
            raise NotUnderstoodError("a star with more to it")
        if isinstance(node, exp.Column):
            key = self._key(node.args["table"])
            if key not in scope.sources:
                raise NotUnderstoodError("a star of no table")
            return [scope.sources[key]]
        return list(scope.sources.values())

    def _name(self, node: exp.Expr, known: Sequence[Attribute], index: int) -> str:
        """The result's name; empty where the database makes one up."""
        if isinstance(node, exp.Alias):
            return self._names.stored(node.args["alias"])
        if isinstance(node, exp.Column):
            name = self._names.stored(node.this)
            same = index < len(known) and known[index].name.casefold() == name.casefold()
            return known[index].name if same and self._names.fold is None else name
        return ""

    def _definition(self, name: str, node: exp.Expr | Attribute, scope: Scope) -> Definition:
        expression = self._expression(node, scope)
        data_type = expression.type if isinstance(expression, Column) and expression.type else UNKNOWN
        return Definition(self._attribute(name, data_type), expression)

    def _aggregate(
        self,
        query: exp.Select,
        scope: Scope,
        relation: Relation,
        items: Sequence[tuple[str, exp.Expr | Attribute]],
    ) -> Aggregate:
        """Groups: each aggregate function's result and each column that is used above it."""
        keys = self._keys(query, scope, items)
        above = [node for _, node in items if isinstance(node, exp.Expr)]
        above += [query.args[key] for key in ("having", "order") if query.args.get(key)]
        functions = [each for node in above for each in aggregates_in(node)]
        results = [
            Definition(self._attribute("", UNKNOWN), self._aggregate_call(each, scope)) for each in functions
        ]
        passed = [
            Definition(self._attribute(a.name, a.type), Column(a.id, a.name, a.type))
            for a in relation.outputs
        ]
        scope.aggregates = {id(f): d.attribute for f, d in zip(functions, results, strict=True)}
        scope.kept = {a.id: d.attribute for a, d in zip(relation.outputs, passed, strict=True)}
        definitions = (*passed, *results)
        return Aggregate(tuple(d.attribute for d in definitions), relation, keys, definitions)

    def _keys(
        self, query: exp.Select, scope: Scope, items: Sequence[tuple[str, exp.Expr | Attribute]]
    ) -> tuple[Expression, ...]:
        group = query.args.get("group")
        if group is None:
            return ()
        if group.args.get("all") or group.args.get("totals"):
            raise NotUnderstoodError("GROUP BY ALL")
        listed = [*group.expressions]
        for sets in ("grouping_sets", "rollup", "cube"):
            for each in group.args.get(sets) or ():
                if isinstance(each, exp.Expr):
                    listed += list(each.find_all(exp.Column))
        nodes = [node for _, node in items]
        return tuple(self._expression(self._listed(each, nodes), scope) for each in listed)

    def _listed(self, node: exp.Expr, items: Sequence[exp.Expr | Attribute]) -> exp.Expr | Attribute:
        """A column of the result that is named by its place or by its alias; the node itself otherwise."""
        if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
            place = int(node.name) - 1
            if not 0 <= place < len(items):
                raise NotUnderstoodError("a place beyond the columns")
            return unaliased(items[place])
        if isinstance(node, exp.Column) and not node.args.get("table"):
            key = self._key(node.this)
            for item in items:
                if isinstance(item, exp.Alias) and self._key(item.args["alias"]) == key:
                    return unaliased(item)
        return node

    def _orders(
        self, query: exp.Expr, scope: Scope, items: Sequence[exp.Expr | Attribute]
    ) -> tuple[Expression, ...]:
        order = query.args.get("order")
        listed = [each.this for each in order.expressions] if order else []
        return tuple(self._expression(self._listed(each, items), scope) for each in listed)

    def _distinct(self, query: exp.Select, scope: Scope, relation: Relation) -> Relation:
        distinct = query.args.get("distinct")
        if distinct is None:
            return relation
        if isinstance(distinct, exp.Distinct) and distinct.args.get("on"):
            raise NotUnderstoodError("DISTINCT ON")
        keys = tuple(Column(a.id, a.name, a.type) for a in relation.outputs)
        return Distinct(relation.outputs, relation, keys)

    @staticmethod
    def _limited(query: exp.Expr, relation: Relation) -> Relation:
        if query.args.get("limit") or query.args.get("offset"):
            return Limit(relation.outputs, relation, "LIMIT")
        return relation
