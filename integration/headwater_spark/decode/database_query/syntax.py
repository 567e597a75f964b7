"""Questions that the text of a query alone answers, as sqlglot has parsed it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from sqlglot import exp

from headwater_plan.nodes import Attribute
from headwater_spark.decode.database_query.names import NotUnderstoodError

NO_VALUES: Final = (exp.DataType, exp.Var, exp.Identifier)
"""Parts of an expression that have no value."""
_PLAIN: Final = frozenset({"kind", "expressions", "from_"})


def refuse_extras(node: exp.Expr) -> None:
    """Raises ``NotUnderstoodError`` for a part of FROM with a clause that is not translated."""
    for extra in ("joins", "pivots", "laterals", "changes", "ordinality", "rows_from"):
        if node.args.get(extra):
            raise NotUnderstoodError(extra)


def refuse_mixed(node: exp.Column) -> None:
    """In a subquery that names the tables of some columns, one without could be an outer table's."""
    query = node.find_ancestor(exp.Select)
    if query is not None and any(each.args.get("table") for each in query.find_all(exp.Column)):
        raise NotUnderstoodError("a column that a table around the subquery could have")


def present(node: exp.Expr, *keys: str) -> list[exp.Expr]:
    return [node.args[key] for key in keys if node.args.get(key) is not None]


def is_star(node: exp.Expr) -> bool:
    return isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))


def is_plain(query: exp.Query) -> bool:
    """Whether it only selects columns of one table under their names; a subquery selected whole counts as itself."""
    if not isinstance(query, exp.Select) or {key for key, value in query.args.items() if value} - _PLAIN:
        return False
    table = query.args["from_"].this if query.args.get("from_") else None
    if isinstance(table, exp.Subquery) and all(isinstance(each, exp.Star) for each in query.expressions):
        return is_plain(table.this)
    return (
        isinstance(table, exp.Table)
        and not table.alias
        and all(is_star(each) or isinstance(each, exp.Column) for each in query.expressions)
    )


def unaliased(node: exp.Expr | Attribute) -> exp.Expr | Attribute:
    inner: exp.Expr | Attribute = node.this if isinstance(node, exp.Alias) else node
    return inner


def is_aggregated(query: exp.Select) -> bool:
    parts = [*query.expressions, *present(query, "having", "order")]
    return bool(query.args.get("group") or query.args.get("having")) or any(
        next(aggregates_in(part), None) is not None for part in parts
    )


def aggregates_in(node: exp.Expr) -> Iterator[exp.Expr]:
    """The outermost aggregate functions, without those that a window calls and those of subqueries."""
    if isinstance(node, exp.Query):
        return
    if isinstance(node, exp.Window):
        function = node.this
        inside = function.iter_expressions() if isinstance(function, exp.Func) else ()
        others = [each for key, each in node.args.items() if key != "this"]
        for part in (*inside, *_flattened(others)):
            yield from aggregates_in(part)
        return
    if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup):
        yield node
        return
    for child in node.iter_expressions():
        yield from aggregates_in(child)


def _flattened(values: Iterable[Any]) -> Iterator[exp.Expr]:
    for value in values:
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, exp.Expr):
                yield each


def without_columns(query: exp.Expr) -> exp.Expr:
    """The query of EXISTS, whose columns nobody looks at."""
    inner = query.unnest() if isinstance(query, exp.Subquery) else query
    if not isinstance(inner, exp.Select) or is_aggregated(inner):
        return query
    bare = inner.copy()
    bare.set("expressions", [exp.Literal.number(1)])
    return bare
