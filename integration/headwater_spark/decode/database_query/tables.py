"""FROM and its joins: the relations that a SELECT reads, under their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sqlglot import exp

from headwater_plan.nodes import Call, Case, Expression, Join, Local, Read, Relation, Rename
from headwater_plan.types import UNKNOWN, DataType
from headwater_spark.decode.database_query.expressions import Expressions
from headwater_spark.decode.database_query.names import Names, NotUnderstoodError, Scope, Source
from headwater_spark.decode.database_query.syntax import refuse_extras

_JOINS: Final = {"": "Inner", "LEFT": "LeftOuter", "RIGHT": "RightOuter", "FULL": "FullOuter"}


def table_name(node: exp.Table, names: Names) -> str:
    """The table's name as JDBC's ``dbtable`` would give it, with quotes where a part needs them."""
    parts = [names.stored(part) if names.fold is str.lower else part.name for part in node.parts]
    quoted = [part if part.isidentifier() else '"' + part.replace('"', '""') + '"' for part in parts]
    return ".".join(quoted)


class Tables(Expressions):
    """Tables, subqueries and joins."""

    def _from(self, query: exp.Select, scope: Scope) -> Relation:
        first = query.args.get("from_")
        if first is None:
            return Local((), "one row")
        relation = self._add(first.this, scope)
        for join in query.args.get("joins") or ():
            relation = self._join(join, relation, scope)
        return relation

    def _add(self, node: exp.Expr, scope: Scope) -> Relation:
        """The relation of a part of FROM, which the scope then knows by its name."""
        match node:
            case exp.Subquery() if not node.alias and isinstance(node.this, exp.Table):
                return self._add(node.this, scope)
            case exp.Subquery():
                refuse_extras(node)
                inner = Scope(ctes=scope.ctes)
                relation, want = self._query(node.this, inner)
                source = self._aliased(node.args.get("alias"), relation, want)
            case exp.Table():
                refuse_extras(node)
                source = self._table(node, scope)
            case _:
                raise NotUnderstoodError(type(node).__name__)
        alias = node.args.get("alias")
        named = alias.this if alias else node.this if isinstance(node, exp.Table) else None
        name = self._key(named) if named is not None else f"({len(scope.sources)})"
        if name in scope.sources:
            raise NotUnderstoodError("a name stands for two tables")
        scope.sources[name] = source
        return source.relation

    def _aliased(
        self, alias: exp.Expr | None, relation: Relation, want: Callable[[str], None] | None
    ) -> Source:
        columns = alias.args.get("columns") if alias else None
        if columns:
            if want is not None or len(columns) != len(relation.outputs):
                raise NotUnderstoodError("columns of an alias")
            pairs = zip(columns, relation.outputs, strict=True)
            renamed = tuple(self._attribute(self._names.stored(c), a.type) for c, a in pairs)
            relation = Rename(renamed, relation)
        return Source(relation, self._by_key(relation.outputs), want)

    def _table(self, node: exp.Table, scope: Scope) -> Source:
        if not isinstance(node.this, exp.Identifier):
            raise NotUnderstoodError("a function in FROM")
        cte = scope.ctes.get(self._key(node.this)) if not node.args.get("db") else None
        if isinstance(cte, exp.CTE):
            outside = {key: each for key, each in scope.ctes.items() if each is not cte}
            relation, want = self._query(cte.this, Scope(ctes=outside))
            named = self._aliased(cte.args.get("alias"), relation, want)
            return self._aliased(node.args.get("alias"), named.relation, want)
        if node.name.upper() == "DUAL" and not node.args.get("db"):
            return Source(Local((), "DUAL"), {})
        return self._database_table(node)

    def _database_table(self, node: exp.Table) -> Source:
        if (alias := node.args.get("alias")) and alias.args.get("columns"):
            raise NotUnderstoodError("columns of a table's alias")
        table = table_name(node, self._names)
        wanted = self._tables.setdefault(table, {})
        attributes = tuple(self._attribute(name, self._known_type(name)) for name in wanted.values())
        place = {**self._source, "dbtable": table}
        read = Read(attributes, place, self._context.reads_at(place))
        return Source(read, self._by_key(attributes), lambda name: self._want(wanted, name))

    def _want(self, wanted: dict[str, str], name: str) -> None:
        """Note a column; where case does not matter, in the spelling that the result has."""
        key = self._names.key(name)
        wanted.setdefault(key, self._spelled.get(key, name))

    def _known_type(self, name: str) -> DataType:
        types = {output.type for output in self._outputs if output.name == name}
        return types.pop() if len(types) == 1 else UNKNOWN

    def _join(self, join: exp.Join, left: Relation, scope: Scope) -> Relation:
        side, kind = str(join.args.get("side") or ""), str(join.args.get("kind") or "")
        if join.args.get("method") or kind not in ("", "INNER", "OUTER", "CROSS") or side not in _JOINS:
            raise NotUnderstoodError(f"a join: {join.args.get('method') or kind or side}")
        before = dict(scope.sources)
        right = self._add(join.this, scope)
        condition: Expression | None
        if using := join.args.get("using"):
            after = {name: source for name, source in scope.sources.items() if name not in before}
            condition = self._using(using, before, after, scope)
        else:
            on = join.args.get("on")
            condition = self._expression(on, scope) if on is not None else None
        how = "Cross" if condition is None else _JOINS[side]
        return Join((*left.outputs, *right.outputs), left, right, how, condition)

    def _using(
        self,
        using: Sequence[exp.Expr],
        before: dict[str, Source],
        after: dict[str, Source],
        scope: Scope,
    ) -> Expression:
        """The equality of each column, which is one column from here on."""
        equalities = []
        for identifier in using:
            name = self._names.stored(identifier)
            key = self._names.key(name)
            right = self._among(after, name)
            shared = scope.shared.get(key)
            left = shared if shared is not None else self._among(before, name)
            if left is None or right is None:
                raise NotUnderstoodError("USING a column of no table")
            values = (*(shared.values if shared else (left,)), right)
            scope.shared[key] = Case(values[:-1], values)
            equalities.append(Call("=", (left, right)))
        return equalities[0] if len(equalities) == 1 else Call("and", tuple(equalities))
