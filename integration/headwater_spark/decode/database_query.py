"""A query that a database answers (JDBC's ``query``, or a subquery as ``dbtable``), as relations of the closed IR.

Theory of operation. sqlglot parses the text in the database's dialect; each clause becomes the relation that Spark's
own plan would have for it, so that one analysis serves both. The columns of the database's tables are not known: a
table has those that the query names, and where a star stands for it, those that Spark knows of the result::

    SELECT c.name FROM customers c WHERE c.id > 7      customers: name, id
    SELECT * FROM customers WHERE id > 7               customers: the result's columns, id

A column may be named above the subquery whose star lets it through. So the translation is repeated until no pass finds
a further column; only the last one's relations are used.

Whatever could be read in two ways (a column without its table where two tables could have it), and every clause that
is not translated, raises ``NotUnderstoodError``: the answer is then what it is for a query that cannot be parsed. A
function that sqlglot does not know may be the database's own code, and is opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlglot import exp, parse

from headwater_spark.decode.context import Context, constant, null, text_of
from headwater_spark.ir import (
    Aggregate,
    AggregateCall,
    Attribute,
    Call,
    Case,
    Cast,
    Column,
    Definition,
    Distinct,
    Expression,
    Filter,
    Join,
    Limit,
    Local,
    OpaqueCall,
    Project,
    Read,
    Relation,
    Rename,
    SetOperation,
    Sort,
    Subquery,
    Union,
    Windowed,
)
from headwater_spark.types import UNKNOWN, AtomicType, DataType

MOST_TEXT: Final = 65_536
"""Characters of a query that the driver sends; a longer one is cut there."""
_MOST_PASSES: Final = 20

_DIALECTS: Final = {
    "postgresql": ("postgres", str.lower),
    "redshift": ("redshift", str.lower),
    "oracle": ("oracle", str.upper),
    "snowflake": ("snowflake", str.upper),
    "db2": ("", str.upper),
    "derby": ("", str.upper),
    "h2": ("", str.upper),
    "hsqldb": ("", str.upper),
    "mysql": ("mysql", None),
    "mariadb": ("mysql", None),
    "sqlserver": ("tsql", None),
    "sqlite": ("sqlite", None),
    "trino": ("trino", str.lower),
    "presto": ("presto", str.lower),
    "teradata": ("teradata", None),
    "clickhouse": ("clickhouse", None),
    "databricks": ("databricks", None),
    "hive2": ("hive", str.lower),
    "bigquery": ("bigquery", None),
    "duckdb": ("duckdb", None),
    "vertica": ("postgres", None),
}
"""By the URL's kind: sqlglot's dialect, and what becomes of a name without quotes; None keeps it, whatever its case."""

_CATALYST: Final = {
    "EQ": "EqualTo",
    "NullSafeEQ": "EqualNullSafe",
    "GT": "GreaterThan",
    "GTE": "GreaterThanOrEqual",
    "LT": "LessThan",
    "LTE": "LessThanOrEqual",
    "Sub": "Subtract",
    "Mul": "Multiply",
    "Div": "Divide",
    "Mod": "Remainder",
    "Neg": "UnaryMinus",
    "DPipe": "Concat",
    "MD5": "Md5",
    "MD5Digest": "Md5",
    "SHA": "Sha1",
    "SHA2": "Sha2",
    "ArrayAgg": "CollectList",
    "GroupConcat": "ListAgg",
    "Avg": "Average",
    "ArgMax": "MaxBy",
    "ArgMin": "MinBy",
    "FirstValue": "First",
    "LastValue": "Last",
    "Ntile": "NTile",
    "ApproxDistinct": "HyperLogLogPlusPlus",
}
"""sqlglot's classes that Catalyst calls otherwise."""

_CLAUSES: Final = frozenset({
    "with_", "kind", "expressions", "hint", "distinct", "from_", "joins", "where", "group", "having", "order", "limit",
    "offset", "operation_modifiers", "locks", "qualify", "this", "side", "expression", "by_name", "on", "match",
})  # fmt: skip
_JOINS: Final = {"": "Inner", "LEFT": "LeftOuter", "RIGHT": "RightOuter", "FULL": "FullOuter"}


class NotUnderstoodError(Exception):
    """The query has a clause that is not translated, or can be read in two ways."""


def relation_of(
    query: str, source: Mapping[str, Any], outputs: tuple[Attribute, ...], context: Context
) -> Relation:
    """What the query does, under the attributes that Spark gave its result.

    ``source`` is the plan document's description of the database. Raises ``NotUnderstoodError``, and what sqlglot
    raises for a text that it cannot parse.
    """
    if len(query) >= MOST_TEXT:
        raise NotUnderstoodError("the query is cut")
    kind = str(source.get("url") or "").removeprefix("jdbc:").partition(":")[0].lower()
    dialect, fold = _DIALECTS.get(kind, ("", None))
    (statement,) = parse(query, dialect=dialect or None)
    if not isinstance(statement, exp.Query):
        raise NotUnderstoodError("it is no query")
    names = _Names(fold)
    tables: dict[str, dict[str, str]] = {}
    for _ in range(_MOST_PASSES):
        before = sum(map(len, tables.values()))
        found = _Translation(names, tables, dict(source), context, outputs).whole(statement)
        if sum(map(len, tables.values())) == before:
            _check_columns(found.outputs, outputs)
            return Project(outputs, found, _under(outputs, found))
    raise NotUnderstoodError("its columns are too many")


def _check_columns(found: Sequence[Attribute], outputs: Sequence[Attribute]) -> None:
    """What Spark knows of the result guards against a wrong reading of the query."""
    if len(found) != len(outputs):
        raise NotUnderstoodError("its columns are not those of the result")
    for inner, output in zip(found, outputs, strict=True):
        if inner.name and inner.name.casefold() != output.name.casefold():
            raise NotUnderstoodError("its columns have other names in the result")


def _under(outputs: Sequence[Attribute], found: Relation) -> tuple[Definition, ...]:
    pairs = zip(outputs, found.outputs, strict=True)
    return tuple(Definition(output, Column(inner.id, inner.name, output.type)) for output, inner in pairs)


@dataclass(frozen=True, slots=True)
class _Names:
    """What the database makes of names: which it stores, and which are the same."""

    fold: Callable[[str], str] | None

    def stored(self, identifier: exp.Expr) -> str:
        name = str(identifier.name)
        return name if identifier.args.get("quoted") or self.fold is None else self.fold(name)

    def key(self, name: str) -> str:
        return name.casefold() if self.fold is None else name


@dataclass(slots=True)
class _Source:
    """What stands under one name in FROM. Where it is open it may have columns that were not named yet."""

    relation: Relation
    columns: dict[str, Attribute]
    want: Callable[[str], None] | None = None


@dataclass(slots=True)
class _Scope:
    """The names that a SELECT sees, its own before those around it."""

    sources: dict[str, _Source] = field(default_factory=dict)
    outer: _Scope | None = None
    ctes: Mapping[str, exp.Expr] = field(default_factory=dict)
    shared: dict[str, Case] = field(default_factory=dict)
    """Columns that USING makes one of two."""
    outer_columns: list[Expression] = field(default_factory=list)
    kept: dict[int, Attribute] | None = None
    """Above an aggregate: the attribute under which it passes a column on."""
    aggregates: dict[int, Attribute] = field(default_factory=dict)
    """Above an aggregate: the attribute of each aggregate function's result, by its place in the query."""


class _Translation:
    """One pass over a query."""

    def __init__(
        self,
        names: _Names,
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

    def whole(self, query: exp.Query) -> Relation:
        """The query whose result Spark reads. Its star may stand for the columns that Spark knows."""
        relation, _ = self._query(query, _Scope(), self._outputs)
        return relation

    def _query(
        self, query: exp.Expr, scope: _Scope, known: Sequence[Attribute] = ()
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
        inner = _Scope(outer=scope.outer, ctes={**scope.ctes, **self._ctes(query)})
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

    def _key(self, identifier: exp.Expr) -> str:
        return self._names.key(self._names.stored(identifier))

    # FROM

    def _select(
        self, query: exp.Select, scope: _Scope, known: Sequence[Attribute]
    ) -> tuple[Relation, Callable[[str], None] | None]:
        relation = self._from(query, scope)
        if where := query.args.get("where"):
            relation = Filter(relation.outputs, relation, self._expression(where.this, scope))
        items, want = self._items(query, scope, known)
        if _is_aggregated(query):
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

    def _from(self, query: exp.Select, scope: _Scope) -> Relation:
        first = query.args.get("from_")
        if first is None:
            return Local((), "one row")
        relation = self._add(first.this, scope)
        for join in query.args.get("joins") or ():
            relation = self._join(join, relation, scope)
        return relation

    def _add(self, node: exp.Expr, scope: _Scope) -> Relation:
        """The relation of a part of FROM, which the scope then knows by its name."""
        match node:
            case exp.Subquery() if not node.alias and isinstance(node.this, exp.Table):
                return self._add(node.this, scope)
            case exp.Subquery():
                self._refuse_extras(node)
                inner = _Scope(ctes=scope.ctes)
                relation, want = self._query(node.this, inner)
                source = self._aliased(node.args.get("alias"), relation, want)
            case exp.Table():
                self._refuse_extras(node)
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

    @staticmethod
    def _refuse_extras(node: exp.Expr) -> None:
        for extra in ("joins", "pivots", "laterals", "changes", "ordinality", "rows_from"):
            if node.args.get(extra):
                raise NotUnderstoodError(extra)

    def _aliased(
        self, alias: exp.Expr | None, relation: Relation, want: Callable[[str], None] | None
    ) -> _Source:
        columns = alias.args.get("columns") if alias else None
        if columns:
            if want is not None or len(columns) != len(relation.outputs):
                raise NotUnderstoodError("columns of an alias")
            pairs = zip(columns, relation.outputs, strict=True)
            renamed = tuple(self._attribute(self._names.stored(c), a.type) for c, a in pairs)
            relation = Rename(renamed, relation)
        return _Source(relation, self._by_key(relation.outputs), want)

    def _by_key(self, attributes: Iterable[Attribute]) -> dict[str, Attribute]:
        return {self._names.key(a.name): a for a in attributes}

    def _table(self, node: exp.Table, scope: _Scope) -> _Source:
        if not isinstance(node.this, exp.Identifier):
            raise NotUnderstoodError("a function in FROM")
        cte = scope.ctes.get(self._key(node.this)) if not node.args.get("db") else None
        if isinstance(cte, exp.CTE):
            outside = {key: each for key, each in scope.ctes.items() if each is not cte}
            relation, want = self._query(cte.this, _Scope(ctes=outside))
            named = self._aliased(cte.args.get("alias"), relation, want)
            return self._aliased(node.args.get("alias"), named.relation, want)
        if node.name.upper() == "DUAL" and not node.args.get("db"):
            return _Source(Local((), "DUAL"), {})
        return self._database_table(node)

    def _database_table(self, node: exp.Table) -> _Source:
        if (alias := node.args.get("alias")) and alias.args.get("columns"):
            raise NotUnderstoodError("columns of a table's alias")
        parts = [
            self._names.stored(part) if self._names.fold is str.lower else part.name for part in node.parts
        ]
        quoted = [part if part.isidentifier() else '"' + part.replace('"', '""') + '"' for part in parts]
        table = ".".join(quoted)
        wanted = self._tables.setdefault(table, {})
        attributes = tuple(self._attribute(name, self._known_type(name)) for name in wanted.values())
        read = Read(attributes, {**self._source, "dbtable": table})
        return _Source(read, self._by_key(attributes), lambda name: self._want(wanted, name))

    def _want(self, wanted: dict[str, str], name: str) -> None:
        """Note a column; where case does not matter, in the spelling that the result has."""
        key = self._names.key(name)
        wanted.setdefault(key, self._spelled.get(key, name))

    def _known_type(self, name: str) -> DataType:
        types = {output.type for output in self._outputs if output.name == name}
        return types.pop() if len(types) == 1 else UNKNOWN

    def _join(self, join: exp.Join, left: Relation, scope: _Scope) -> Relation:
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
        before: dict[str, _Source],
        after: dict[str, _Source],
        scope: _Scope,
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
            equalities.append(Call("EqualTo", (left, right)))
        return equalities[0] if len(equalities) == 1 else Call("And", tuple(equalities))

    # SELECT

    def _items(
        self, query: exp.Select, scope: _Scope, known: Sequence[Attribute]
    ) -> tuple[list[tuple[str, exp.Expr | Attribute]], Callable[[str], None] | None]:
        """Names and expressions of the result's columns, stars spelled out."""
        items: list[tuple[str, exp.Expr | Attribute]] = []
        want: Callable[[str], None] | None = None
        for index, node in enumerate(query.expressions):
            if not _is_star(node):
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
    def _want_known(source: _Source, known: Sequence[Attribute], before: int, after: int) -> None:
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

    def _starred(self, node: exp.Expr, scope: _Scope) -> list[_Source]:
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

    def _definition(self, name: str, node: exp.Expr | Attribute, scope: _Scope) -> Definition:
        expression = self._expression(node, scope)
        data_type = expression.type if isinstance(expression, Column) and expression.type else UNKNOWN
        return Definition(self._attribute(name, data_type), expression)

    def _aggregate(
        self,
        query: exp.Select,
        scope: _Scope,
        relation: Relation,
        items: Sequence[tuple[str, exp.Expr | Attribute]],
    ) -> Aggregate:
        """Groups: each aggregate function's result and each column that is used above it."""
        keys = self._keys(query, scope, items)
        above = [node for _, node in items if isinstance(node, exp.Expr)]
        above += [query.args[key] for key in ("having", "order") if query.args.get(key)]
        functions = [each for node in above for each in _aggregates_in(node)]
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
        self, query: exp.Select, scope: _Scope, items: Sequence[tuple[str, exp.Expr | Attribute]]
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
            return _unaliased(items[place])
        if isinstance(node, exp.Column) and not node.args.get("table"):
            key = self._key(node.this)
            for item in items:
                if isinstance(item, exp.Alias) and self._key(item.args["alias"]) == key:
                    return _unaliased(item)
        return node

    def _orders(
        self, query: exp.Expr, scope: _Scope, items: Sequence[exp.Expr | Attribute]
    ) -> tuple[Expression, ...]:
        order = query.args.get("order")
        listed = [each.this for each in order.expressions] if order else []
        return tuple(self._expression(self._listed(each, items), scope) for each in listed)

    def _distinct(self, query: exp.Select, scope: _Scope, relation: Relation) -> Relation:
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

    def _set_operation(self, query: exp.SetOperation, scope: _Scope, known: Sequence[Attribute]) -> Relation:
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
        scope = _Scope(sources={"": _Source(relation, self._by_key(relation.outputs))})
        if orders := self._orders(query, scope, relation.outputs):
            relation = Sort(relation.outputs, relation, orders)
        return self._limited(query, relation)

    def _values(self, query: exp.Values) -> Relation:
        first = query.expressions[0]
        columns = first.expressions if isinstance(first, exp.Tuple) else [first]
        return Local(tuple(self._attribute(f"column{i + 1}", UNKNOWN) for i in range(len(columns))), "VALUES")

    # expressions

    def _expression(self, node: exp.Expr | Attribute, scope: _Scope) -> Expression:  # noqa: PLR0911, PLR0912 - a table
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
                return Call("IsNotNull", self._all([node.this.this], scope))
            case exp.Is() if isinstance(node.expression, exp.Null):
                return Call("IsNull", self._all([node.this], scope))
            case _:
                return self._call(node, scope)

    def _all(self, nodes: Iterable[exp.Expr], scope: _Scope) -> tuple[Expression, ...]:
        return tuple(self._expression(node, scope) for node in nodes)

    def _call(self, node: exp.Expr, scope: _Scope) -> Expression:
        if isinstance(node, exp.Query | exp.UDTF | exp.Star | exp.Placeholder | exp.Parameter | exp.Dot):
            raise NotUnderstoodError(type(node).__name__)
        children = [each for each in node.iter_expressions() if not isinstance(each, _NO_VALUES)]
        if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
            return OpaqueCall(str(node.name), "DATABASE_FUNCTION", self._all(children, scope))
        if not isinstance(node, exp.Func | exp.Binary | exp.Unary | exp.Condition | exp.Tuple):
            raise NotUnderstoodError(type(node).__name__)
        name = _CATALYST.get(type(node).__name__, type(node).__name__)
        return Call(name, self._all(children, scope), pretty=name.lower())

    def _literal(self, node: exp.Expr) -> Expression:
        if isinstance(node, exp.Boolean):
            return constant(
                bool(node.this), AtomicType("boolean"), str(node.this).upper(), self._context.constants
            )
        if isinstance(node, exp.Literal) and not node.is_string:
            return constant(node.name, AtomicType("double"), node.name, self._context.constants)
        text = node.name if isinstance(node, exp.Literal) else node.sql()
        return constant(text, AtomicType("string"), text_of(text), self._context.constants)

    def _case(self, node: exp.Expr, scope: _Scope) -> Expression:
        if isinstance(node, exp.If):
            parts = self._all(_present(node, "this", "true", "false"), scope)
            return Case(parts[:1], parts[1:])
        branches = node.args["ifs"]
        predicates = self._all([*_present(node, "this"), *(each.this for each in branches)], scope)
        results = self._all([*(each.args["true"] for each in branches), *_present(node, "default")], scope)
        return Case(predicates, results)

    def _aggregate_call(self, node: exp.Expr, scope: _Scope) -> Expression:
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

    def _function(self, node: exp.Expr, scope: _Scope) -> Expression:
        """An aggregate or window function's call, with what DISTINCT and ORDER BY in it look at."""
        arguments: list[exp.Expr] = []
        for each in node.iter_expressions():
            if isinstance(each, exp.Order):
                arguments += [*([each.this] if each.this else []), *(o.this for o in each.expressions)]
            elif isinstance(each, exp.Distinct):
                arguments += each.expressions
            elif not isinstance(each, _NO_VALUES):
                arguments.append(each)
        if isinstance(node, exp.Count) and any(isinstance(each, exp.Star) for each in arguments):
            arguments = []
        name = _CATALYST.get(type(node).__name__, type(node).__name__)
        if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
            return OpaqueCall(str(node.name), "DATABASE_FUNCTION", self._all(arguments, scope))
        given = self._all(arguments, scope) or ((constant_one(self._context),) if name == "Count" else ())
        return Call(name, given, pretty=name.lower())

    def _window(self, node: exp.Window, scope: _Scope) -> Expression:
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
        if isinstance(function, exp.AggFunc) and isinstance(called, Call) and called.function not in _RANKS:
            called = AggregateCall(called, None)
        return Windowed(
            called,
            self._all(node.args.get("partition_by") or (), scope),
            self._all([each.this for each in order.expressions] if order else (), scope),
        )

    def _subquery(self, node: exp.Expr, scope: _Scope) -> Subquery:
        query = node.this if isinstance(node, exp.Exists | exp.Any | exp.All) else node
        inner = _Scope(outer=scope, ctes=scope.ctes)
        if isinstance(node, exp.Exists):
            query = _without_columns(query)
        relation, _ = self._query(query, inner)
        kind = "EXISTS" if isinstance(node, exp.Exists) else "IN" if query is not node else "SCALAR"
        return Subquery(kind, relation, tuple(inner.outer_columns))

    def _in(self, node: exp.In, scope: _Scope) -> Expression:
        value = self._expression(node.this, scope)
        query = node.args.get("query")
        if query is None:
            if node.args.get("unnest") or node.args.get("field"):
                raise NotUnderstoodError("IN")
            return Call("In", (value, *self._all(node.expressions, scope)))
        inner = _Scope(outer=scope, ctes=scope.ctes)
        relation, _ = self._query(query, inner)
        return Subquery("IN", relation, (value, *inner.outer_columns))

    # columns

    def _column(self, node: exp.Column, scope: _Scope) -> Expression:
        name = self._names.stored(node.this)
        level: _Scope | None = scope
        crossed: list[_Scope] = []
        while level is not None:
            found = self._column_in(node, name, level)
            if found is not None:
                if level.outer is not None and not node.args.get("table"):
                    _refuse_mixed(node)
                for inner in crossed:
                    inner.outer_columns.append(found)
                return found
            crossed.append(level)
            level = level.outer
        raise NotUnderstoodError("a column of no table")

    def _column_in(self, node: exp.Column, name: str, scope: _Scope) -> Expression | None:
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

    def _among(self, sources: Mapping[str, _Source], name: str) -> Column | None:
        """The column of the one source that has it; of an open one where no other has it."""
        key = self._names.key(name)
        having = [each for each in sources.values() if each.want is None and key in each.columns]
        open_ones = [each for each in sources.values() if each.want is not None]
        if len(having) > 1 or (not having and len(open_ones) > 1):
            raise NotUnderstoodError("a column that two tables could have")
        return next((self._of(each, name) for each in (*having, *open_ones)), None)

    def _of(self, source: _Source, name: str) -> Column | None:
        found = source.columns.get(self._names.key(name))
        if found is None and source.want is not None:
            source.want(name)
            found = self._attribute(name, UNKNOWN)
        return Column(found.id, found.name, found.type) if found else None

    def _above(self, column: Column | Attribute, scope: _Scope) -> Column:
        """The column as an aggregate passes it on."""
        kept = scope.kept.get(column.id) if scope.kept is not None else None
        return Column(kept.id if kept else column.id, column.name, column.type)

    def _attribute(self, name: str, data_type: DataType) -> Attribute:
        return Attribute(next(self._context.own_ids), name, data_type)


_NO_VALUES: Final = (exp.DataType, exp.Var, exp.Identifier)
_RANKS: Final = frozenset(
    {"RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "NTile", "Lag", "Lead"}
)


def constant_one(context: Context) -> Expression:
    """The argument of ``count(*)``, which reads no path."""
    return constant(1, AtomicType("integer"), "1", context.constants)


def _refuse_mixed(node: exp.Column) -> None:
    """In a subquery that names the tables of some columns, one without could be an outer table's."""
    query = node.find_ancestor(exp.Select)
    if query is not None and any(each.args.get("table") for each in query.find_all(exp.Column)):
        raise NotUnderstoodError("a column that a table around the subquery could have")


def _present(node: exp.Expr, *keys: str) -> list[exp.Expr]:
    return [node.args[key] for key in keys if node.args.get(key) is not None]


def _is_star(node: exp.Expr) -> bool:
    return isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))


def _unaliased(node: exp.Expr | Attribute) -> exp.Expr | Attribute:
    inner: exp.Expr | Attribute = node.this if isinstance(node, exp.Alias) else node
    return inner


def _is_aggregated(query: exp.Select) -> bool:
    parts = [*query.expressions, *_present(query, "having", "order")]
    return bool(query.args.get("group") or query.args.get("having")) or any(
        next(_aggregates_in(part), None) is not None for part in parts
    )


def _aggregates_in(node: exp.Expr) -> Iterator[exp.Expr]:
    """The outermost aggregate functions, without those that a window calls and those of subqueries."""
    if isinstance(node, exp.Query):
        return
    if isinstance(node, exp.Window):
        function = node.this
        inside = function.iter_expressions() if isinstance(function, exp.Func) else ()
        others = [each for key, each in node.args.items() if key != "this"]
        for part in (*inside, *_flattened(others)):
            yield from _aggregates_in(part)
        return
    if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup):
        yield node
        return
    for child in node.iter_expressions():
        yield from _aggregates_in(child)


def _flattened(values: Iterable[Any]) -> Iterator[exp.Expr]:
    for value in values:
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, exp.Expr):
                yield each


def _without_columns(query: exp.Expr) -> exp.Expr:
    """The query of EXISTS, whose columns nobody looks at."""
    inner = query.unnest() if isinstance(query, exp.Subquery) else query
    if not isinstance(inner, exp.Select) or _is_aggregated(inner):
        return query
    bare = inner.copy()
    bare.set("expressions", [exp.Literal.number(1)])
    return bare
