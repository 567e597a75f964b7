"""The column that a name in a query means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlglot import exp

from headwater_plan.nodes import Attribute, Case, Column, Expression
from headwater_plan.types import UNKNOWN, DataType
from headwater_spark.decode.context import Context
from headwater_spark.decode.database_query.names import Names, NotUnderstoodError, Scope, Source
from headwater_spark.decode.database_query.syntax import refuse_mixed


class Columns:
    """What all layers of a translation share: its names, and the columns that they mean.

    ``tables`` collects the columns that are wanted of each of the database's tables, over all passes.
    """

    def __init__(
        self,
        names: Names,
        tables: dict[str, dict[str, str]],
        source: dict[str, Any],
        context: Context,
        outputs: tuple[Attribute, ...],
    ) -> None:
        self._names = names
        self._tables = tables
        self._source = {key: source[key] for key in source.keys() - {"query", "tables", "plain"}}
        self._context = context
        self._outputs = outputs
        self._spelled = {names.key(a.name): a.name for a in outputs}

    def _key(self, identifier: exp.Expr) -> str:
        return self._names.key(self._names.stored(identifier))

    def _by_key(self, attributes: Iterable[Attribute]) -> dict[str, Attribute]:
        return {self._names.key(a.name): a for a in attributes}

    def _column(self, node: exp.Column, scope: Scope) -> Expression:
        name = self._names.stored(node.this)
        level: Scope | None = scope
        crossed: list[Scope] = []
        while level is not None:
            found = self._column_in(node, name, level)
            if found is not None:
                if level.outer is not None and not node.args.get("table"):
                    refuse_mixed(node)
                for inner in crossed:
                    inner.outer_columns.append(found)
                return found
            crossed.append(level)
            level = level.outer
        raise NotUnderstoodError("a column of no table")

    def _column_in(self, node: exp.Column, name: str, scope: Scope) -> Expression | None:
        if node.args.get("table"):
            source = scope.sources.get(self._key(node.args["table"]))
            found = self._of(source, name) if source else None
            return self._above(found, scope) if found else None
        if (shared := scope.shared.get(self._names.key(name))) is not None:
            values = tuple(self._above(each, scope) for each in shared.values if isinstance(each, Column))
            return Case(values[:-1], values)
        if self._names.key(name) in scope.sources:
            raise NotUnderstoodError("a name that could be a table's row")
        found = self._among(scope.sources, name)
        return self._above(found, scope) if found else None

    def _among(self, sources: Mapping[str, Source], name: str) -> Column | None:
        """The column of the one source that has it; of an open one where no other has it."""
        key = self._names.key(name)
        having = [each for each in sources.values() if each.want is None and key in each.columns]
        open_ones = [each for each in sources.values() if each.want is not None]
        if len(having) > 1 or (not having and len(open_ones) > 1):
            raise NotUnderstoodError("a column that two tables could have")
        return next((self._of(each, name) for each in (*having, *open_ones)), None)

    def _of(self, source: Source, name: str) -> Column | None:
        found = source.columns.get(self._names.key(name))
        if found is None and source.want is not None:
            source.want(name)
            found = self._attribute(name, UNKNOWN)
        return Column(found.id, found.name, found.type) if found else None

    def _above(self, column: Column | Attribute, scope: Scope) -> Column:
        """The column as an aggregate passes it on."""
        kept = scope.kept.get(column.id) if scope.kept is not None else None
        return Column(kept.id if kept else column.id, column.name, column.type)

    def _attribute(self, name: str, data_type: DataType) -> Attribute:
        return Attribute(next(self._context.own_ids), name, data_type)
