"""The populations of an output: the sorts of rows that it is made of, each with what its rows have passed.

    SELECT id, region FROM a WHERE region = 'EU'      one population: rows of a, with a.region = 'EU'
    UNION ALL
    SELECT b.id, c.region FROM b LEFT JOIN c …        two: a row of b with one of c that fits it, and one of b alone

A population is a tuple of *rows*, one for each place in the plan where a dataset is read (a dataset that is joined with
itself has two), the conditions that all such tuples have passed, and each written column as an expression over them.
Only what has to hold of a tuple whose values arrive is a condition. So nothing is one where the absence of a row
decides (an anti join), and what speaks of other rows than the tuple's (windows, subqueries) is not known.

Expressions are trees, as in ``headwater_conditions``, over columns of rows. Whatever is not certain to mean the same in
every reader's eyes is ``opaque``: it has no value, and lists the columns that may be in it; ``others`` if values of
rows may be that are none of the tuple's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Final

from headwater_plan.nodes import (
    Aggregate,
    Attribute,
    Call,
    Case,
    Cast,
    Column,
    Construct,
    DecodedPlan,
    Definition,
    Distinct,
    Expand,
    Expression,
    Filter,
    Form,
    Generate,
    Join,
    Lambda,
    Limit,
    Literal,
    Local,
    Member,
    OpaqueRelation,
    Project,
    Read,
    Relation,
    Rename,
    SetOperation,
    Shown,
    Sort,
    Subquery,
    Union,
    Window,
    Windowed,
    Write,
)
from headwater_plan.traversal import below, in_order, within
from headwater_plan.types import AtomicType, DataType, StructType
from headwater_spark.decode import inserts_into_new_table, keeps_rows
from headwater_spark.redaction import redact
from headwater_spark.tracing.result import Passed, PathSteps, Population
from headwater_spark.tracing.sql import only_decides, sql
from headwater_spark.tracing.values.analysis import Analysis
from headwater_spark.tracing.values.revealed import conjuncts

Tree = Mapping[str, Any]

MOST_POPULATIONS: Final = 24
MOST_NODES: Final = 20_000
"""Parts of all expressions together, above which no populations are reported."""
MOST_PASSED: Final = 256
"""Conditions that the rows of one population passed, after which no more are listed: fewer exclude less."""
MOST_COLUMNS: Final = 1_000
"""Columns of an output, above which its populations are not reported: its event would grow too large."""
_DEEPEST: Final = 40
_LONGEST: Final = 200
"""Characters of a constant; of a longer one only the beginning might be known."""

FUNCTIONS: Final = frozenset({"upper", "lower", "concat", "length"})
"""Functions of strings that are sent by their names."""
_OF_STRINGS: Final = frozenset({*FUNCTIONS, "trim", "substring"})

_COMPARISONS: Final = frozenset({"=", "<=>", "<", "<=", ">", ">=", "in", "between"})
_OF_TRUTH: Final = frozenset({"and", "or", "not"})
_OF_ANY: Final = frozenset({"isnull", "isnotnull"})
_PATTERNS: Final = frozenset({"like", "startswith"})
_ARITHMETIC: Final = frozenset({"+", "-", "*"})
_WHOLE: Final = frozenset({"byte", "short", "integer", "long"})
_KNOWN: Final = _WHOLE | {"string", "boolean", "float", "double", "date", "timestamp", "timestamp_ntz"}

_EVALUATED: Final = frozenset({"parquet", "orc", "delta", "iceberg", "avro", "csv", "json", "text"})
"""Formats whose rows Spark compares itself. A database may find equal what Spark does not."""
KEPT: Final = frozenset({"parquet", "orc", "delta"})
"""Formats from which values are read as they were written."""


class _Structure(dict[str, Any]):
    """The tree of a structure: opaque, since it is compared as a whole by nobody, with the trees of its members."""

    def __init__(self, tree: Tree, members: Mapping[str, Tree]) -> None:
        super().__init__(tree)
        self.members = members


@dataclass(frozen=True, slots=True)
class Tuples:
    """A population on its way: tuples of rows.

    ``rows`` has, by row, the operator that reads it; ``columns`` the expressions by expression id.
    """

    rows: Mapping[int, int]
    passed: tuple[Passed, ...]
    columns: Mapping[int, Tree]


class _TooManyError(Exception):
    """There are more than are worth telling apart."""


def populations(analysis: Analysis, plan: DecodedPlan, reads: Mapping[int, int]) -> tuple[Population, ...]:
    """The populations of the plan's output; none where nothing is certain of its rows.

    ``reads`` has the position of each read by its operator's id.
    """
    write = plan.write
    if write is None or not keeps_rows(write.command) or plan.problems:
        return ()
    if len(write.columns.fields) > MOST_COLUMNS:
        return ()
    try:
        found = _Search(analysis).of(write.child)
    except _TooManyError:
        return ()
    return tuple(_population(each, write, reads) for each in found if each.rows)


def _population(tuples: Tuples, write: Write, reads: Mapping[int, int]) -> Population:
    written = zip(write.columns.fields, write.child.outputs, strict=True)
    unknown, typed = _opaque((), others=True), not _is_stored_by_table(write)
    return Population(
        tuple((row, reads[operator]) for row, operator in tuples.rows.items()),
        tuples.passed,
        tuple(
            ((f.name,), _name(a.type) if typed else None, tuples.columns.get(a.id, unknown))
            for f, a in written
        ),
    )


def _is_stored_by_table(write: Write) -> bool:
    """Whether values become what a table's own types make of them, which the plan does not say: CHAR pads texts."""
    target = write.target
    return (
        target.get("mode") == "append" and not target.get("isNew") and inserts_into_new_table(write.command)
    )


def _name(data_type: DataType | None) -> str | None:
    """The type, if values of it are compared by what they are, the same for all."""
    if not isinstance(data_type, AtomicType) or data_type.collation:
        return None
    known = data_type.name in _KNOWN or data_type.name.startswith("decimal")
    return data_type.name if known else None


class _Search:
    """The populations of relations, inputs first."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.found: dict[int, list[Tuples]] = {}
        self.fresh = count()
        self.nodes = 0

    def of(self, root: Relation) -> list[Tuples]:
        for relation in in_order(root):
            found = self._rule(relation)
            if len(found) > MOST_POPULATIONS:
                raise _TooManyError
            self.found[id(relation)] = found
        return self.found[id(root)]

    def _below(self, relation: Relation) -> list[Tuples]:
        return self.found[id(relation)]

    def _rule(self, relation: Relation) -> list[Tuples]:  # noqa: PLR0911, PLR0912 - one arm a variant
        match relation:
            case Read():
                return [self._read(relation)]
            case Local(outputs=outputs):
                return [Tuples({}, (), {a.id: _opaque(()) for a in outputs})]
            case Project(definitions=definitions) | Aggregate(definitions=definitions):
                return [self._defined(each, definitions) for each in self._below(relation.child)]
            case Window(definitions=definitions):
                return [self._defined(each, definitions, beside=True) for each in self._below(relation.child)]
            case Filter(condition=condition):
                return [self._passing(each, condition, relation) for each in self._below(relation.child)]
            case Join():
                return self._join(relation)
            case Union(outputs=outputs, inputs=inputs):
                return [_by_position(p, i.outputs, outputs) for i in inputs for p in self._below(i)]
            case SetOperation(outputs=outputs, left=left):
                return [_by_position(each, left.outputs, outputs) for each in self._below(left)]
            case Generate():
                return [self._generated(each, relation) for each in self._below(relation.child)]
            case Expand(outputs=outputs, projections=projections):
                return [
                    self._defined(each, map(Definition, outputs, projection))
                    for projection in projections
                    for each in self._below(relation.child)
                ]
            case Sort() | Distinct() | Limit():
                return self._below(relation.child)
            case Rename(outputs=outputs):
                return [
                    _by_position(each, relation.child.outputs, outputs)
                    for each in self._below(relation.child)
                ]
            case OpaqueRelation(outputs=outputs, inputs=inputs, declaration=None):
                return [_opaquely(each, outputs) for i in inputs for each in self._below(i)]
            case _:
                return [self._any_row(relation)]

    def _read(self, read: Read) -> Tuples:
        row, source = next(self.fresh), read.source
        evaluated = str(source.get("format") or "").lower() in _EVALUATED
        columns: dict[int, Tree] = {}
        for a in read.outputs:
            leaf = {"row": row, "path": [a.name], "type": _name(a.type)}
            columns[a.id] = leaf if evaluated else _opaque((leaf,))
        return Tuples({row: self.analysis.of(read).id}, (), columns)

    def _any_row(self, relation: Relation) -> Tuples:
        """A relation of which nothing else is known: any row of what is below may be in it, and others as well."""
        reads = [each for each in below(relation) if isinstance(each, Read)]
        return Tuples({next(self.fresh): self.analysis.of(each).id for each in reads}, (), {})

    def _defined(
        self, population: Tuples, definitions: Iterable[Definition], *, beside: bool = False
    ) -> Tuples:
        columns = dict(population.columns) if beside else {}
        for d in definitions:
            columns[d.attribute.id] = self._definition(population, d)
        return replace(population, columns=columns)

    def _definition(self, population: Tuples, d: Definition) -> Tree:
        found = self._tree(population, d.expression, decides=False)
        if d.attribute.id in self.analysis.pivoted or d.attribute.id in self.analysis.in_names:
            return _opaque(leaves(found), others=True)
        return found

    def _passing(self, population: Tuples, condition: Expression, relation: Relation) -> Tuples:
        if len(population.passed) >= MOST_PASSED:
            return population
        operator = self.analysis.of(relation).id
        stated = (
            Passed(operator, self._tree(population, part, decides=True), self._text(part))
            for part in conjuncts(condition)
        )
        known = tuple(each for each in stated if "opaque" not in each.tree)
        return replace(population, passed=(*population.passed, *known))

    def _text(self, e: Expression) -> str:
        return sql(e, decides=True, names=self.analysis.names)

    def _join(self, join: Join) -> list[Tuples]:
        lefts, rights, kind = self._below(join.left), self._below(join.right), join.kind
        if kind == "LeftAnti":
            return lefts
        if kind == "Existence":
            marks = {a.id: _opaque(()) for a in join.outputs[len(join.left.outputs) :]}
            return [replace(each, columns={**each.columns, **marks}) for each in lefts]
        if kind not in ("Inner", "Cross", "LeftOuter", "RightOuter", "FullOuter", "LeftSemi"):
            return [self._any_row(join)]
        if len(lefts) * len(rights) > MOST_POPULATIONS:
            raise _TooManyError
        pairs = [self._pair(one, other, join) for one in lefts for other in rights]
        if kind == "LeftSemi":
            own = {a.id for a in join.left.outputs}
            return [
                replace(each, columns={k: v for k, v in each.columns.items() if k in own}) for each in pairs
            ]
        if kind in ("LeftOuter", "FullOuter"):
            pairs += [_without(each, join.right.outputs) for each in lefts]
        if kind in ("RightOuter", "FullOuter"):
            pairs += [_without(each, join.left.outputs) for each in rights]
        return pairs

    def _pair(self, one: Tuples, other: Tuples, join: Join) -> Tuples:
        other = self._apart(other)
        both = Tuples(
            {**one.rows, **other.rows}, (*one.passed, *other.passed), {**one.columns, **other.columns}
        )
        return both if join.condition is None else self._passing(both, join.condition, join)

    def _apart(self, population: Tuples) -> Tuples:
        """The same sort of tuples, of other rows: what is joined with itself is two rows of it."""
        renamed = {row: next(self.fresh) for row in population.rows}
        done: dict[int, Tree] = {}

        def again(tree: Tree) -> Tree:
            if id(tree) not in done:
                done[id(tree)] = _renamed(tree, renamed, again)
            return done[id(tree)]

        return Tuples(
            {renamed[row]: read for row, read in population.rows.items()},
            tuple(replace(each, tree=again(each.tree)) for each in population.passed),
            {key: again(tree) for key, tree in population.columns.items()},
        )

    def _generated(self, population: Tuples, relation: Generate) -> Tuples:
        made = _opaque(*self._within(population, relation.generator))
        columns = {**population.columns, **{a.id: made for a in relation.generated}}
        return replace(population, columns=columns)

    def _tree(self, population: Tuples, e: Expression, *, decides: bool, depth: int = 0) -> Tree:
        """The expression over the population's rows; ``decides``: it stands in a predicate."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise _TooManyError

        def inner(part: Expression, *, also: bool = False) -> Tree:
            return self._tree(population, part, decides=decides or also, depth=depth + 1)

        found = self._known(population, e, inner, decides=decides) if depth < _DEEPEST else None
        return _opaque(*self._within(population, e)) if found is None else found

    def _known(  # noqa: PLR0911 - one arm a variant
        self, population: Tuples, e: Expression, inner: Callable[..., Tree], *, decides: bool
    ) -> Tree | None:
        match e:
            case Column() if not _is_collated(e):
                return population.columns.get(e.id, _opaque((), others=True))
            case Literal():
                return _constant(e, decides=decides)
            case Member(child=child, each=False, name=name) if not _is_collated(e):
                return _member(inner(child), child, name)
            case Cast(child=child, to=to) if (target := _name(e.type or to)) is not None:
                return {"op": "cast", "args": [inner(child)], "type": target}
            case Case(form=Form.WHEN, predicates=predicates, values=values):
                decisions = [inner(p, also=only_decides(p, e)) for p in predicates]
                return _case(decisions, [inner(value) for value in values])
            case Case(form=Form.COALESCE, values=values):
                return {"op": "coalesce", "args": [inner(value) for value in values]}
            case Call():
                return _call(e, inner)
            case Construct(parts=parts) if isinstance(e.type, StructType):
                members = {name: inner(part) for name, part in parts}
                whole = _opaque(*self._within(population, e))
                return _Structure(whole, members) if len(members) == len(parts) else whole
            case _:
                return None

    def _within(self, population: Tuples, e: Expression) -> tuple[tuple[Tree, ...], bool]:
        """The columns that are in an expression, and whether there may be others."""
        parts = list(within(e))
        own = {p.id for part in parts if isinstance(part, Lambda) for p in part.parameters}
        found: dict[tuple[int, PathSteps], Tree] = {}
        others = any(isinstance(part, Subquery | Windowed) or _is_of_no_column(part) for part in parts)
        for part in parts:
            if isinstance(part, Column) and part.id not in own:
                tree = population.columns.get(part.id)
                others |= tree is None or has_others(tree)
                for leaf in () if tree is None else leaves(tree):
                    found.setdefault((leaf["row"], tuple(leaf["path"])), leaf)
        return tuple(found.values()), others


def _member(found: Tree, child: Expression, name: str) -> Tree | None:
    """A member of what an expression is; None where it is not known."""
    if isinstance(found, _Structure):
        return found.members.get(name)
    return (
        {**found, "path": [*found["path"], name], "type": _member_type(child, name)}
        if "path" in found
        else None
    )


def _call(e: Call, inner: Callable[..., Tree]) -> Tree | None:
    """A call of which everybody knows what it gives; None for any other."""
    function, args = e.function, e.args
    if function in _OF_TRUTH or function in _OF_ANY:
        return {"op": function, "args": [inner(a) for a in args]}
    if function in _COMPARISONS:
        return _comparison(function, args, inner)
    if function in _PATTERNS and e.pretty.lower() == function and _alike(args):
        return {"op": function, "args": [inner(a, also=True) for a in args]}
    if function in _ARITHMETIC and {_type_of(a) for a in args[:2]} <= _WHOLE and _alike(args[:2]):
        op = function
        return {"op": op, "args": [inner(a) for a in args[:2]], "type": _type_of(args[0])}
    if function in FUNCTIONS and all(_type_of(a) == "string" for a in args):
        return {"op": function, "args": [inner(a) for a in args]}
    if function == "trim" and len(args) == 1 and _type_of(args[0]) == "string":
        return {"op": "trim", "args": [inner(args[0])]}
    return None


def _comparison(function: str, args: tuple[Expression, ...], inner: Callable[..., Tree]) -> Tree | None:
    """A comparison of values of one type. Spark has cast whatever had another."""
    if not _alike(args):
        return None
    return {"op": function, "args": [inner(a, also=True) for a in args]}


def _alike(args: Iterable[Expression]) -> bool:
    """Whether the types that are known are the same, and at least one is."""
    types = {_type_of(a) for a in args if _stated(a) is not None}
    return len(types) == 1 and None not in types


def _stated(e: Expression) -> DataType | None:
    """The expression's type as the plan has it; of NULL, none."""
    if isinstance(e, Literal) and e.value is None:
        return None
    if isinstance(e, Cast):
        return e.type or e.to
    if isinstance(e, Call) and e.type is None:
        collated = e.function in _OF_STRINGS and any(_is_collated(a) for a in e.args)
        return AtomicType("string", "of an argument") if collated else None
    return e.type


def _type_of(e: Expression) -> str | None:
    found = _stated(e)
    if found is None and isinstance(e, Call) and e.function in _OF_STRINGS:
        return "integer" if e.function == "length" else "string"
    if found is None and isinstance(e, Call) and e.function in _ARITHMETIC and e.args:
        return _type_of(e.args[0])
    return _name(found)


def _is_of_no_column(e: Expression) -> bool:
    """Whether it takes its value from elsewhere than its arguments, such as the name of a file."""
    return isinstance(e, Call) and not e.args


def _is_collated(e: Expression) -> bool:
    return isinstance(e.type, AtomicType) and bool(e.type.collation)


def _member_type(child: Expression, name: str) -> str | None:
    """The member's type; how strings in structures are compared, the plan does not tell."""
    fields = child.type.fields if isinstance(child.type, StructType) else ()
    found = next((_name(f.type) for f in fields if f.name == name), None)
    return None if found == "string" else found


def _case(decisions: list[Tree], values: list[Tree]) -> Tree | None:
    """A CASE as predicate, value, predicate, value, …, and the value otherwise."""
    if len(values) - len(decisions) not in (0, 1):
        return None
    args = [part for pair in zip(decisions, values, strict=False) for part in pair]
    return {"op": "case", "args": args + values[len(decisions) :]}


def _constant(e: Literal, *, decides: bool) -> Tree | None:
    """The constant, if it may leave from where it stands and all of it is known."""
    name = _name(e.type)
    if e.value is None:
        return {"literal": None, "type": name or "void"} if e.text == "NULL" else None
    if name is None or (not decides and e.as_value != e.text):
        return None
    if e.shown is Shown.TOKEN:
        return {"token": e.text, "type": name}
    if e.shown is not Shown.VALUE or not isinstance(e.value, str | int | float):
        return None
    hidden = isinstance(e.value, str) and (len(e.value) > _LONGEST or redact(e.value) != e.value)
    return None if hidden else {"literal": e.value, "type": name}


def _opaque(of: Iterable[Tree], others: bool = False) -> Tree:
    return {"opaque": True, "of": tuple(of), **({"others": True} if others else {})}


def leaves(tree: Tree) -> Iterator[Tree]:
    """The columns in a tree, those of its opaque parts as well."""
    pending = [tree]
    while pending:
        each = pending.pop()
        if "path" in each:
            yield each
        pending.extend(each.get("args") or each.get("of") or ())


def has_others(tree: Tree) -> bool:
    """Whether values may be in it of rows that are not the population's."""
    pending = [tree]
    while pending:
        each = pending.pop()
        if each.get("others"):
            return True
        pending.extend(each.get("args") or ())
    return False


def _renamed(tree: Tree, rows: Mapping[int, int], again: Callable[[Tree], Tree]) -> Tree:
    if "path" in tree:
        return {**tree, "row": rows.get(tree["row"], tree["row"])}
    for key in ("args", "of"):
        if key in tree:
            found = {**tree, key: tuple(again(each) for each in tree[key])}
            if isinstance(tree, _Structure):
                return _Structure(found, {name: again(each) for name, each in tree.members.items()})
            return found
    return tree


def _by_position(population: Tuples, before: tuple[Attribute, ...], after: tuple[Attribute, ...]) -> Tuples:
    pairs = zip(before, after, strict=False)
    columns = {
        new.id: _at(population.columns.get(old.id, _opaque((), others=True)), old, new) for old, new in pairs
    }
    return replace(population, columns=columns)


def _at(tree: Tree, before: Attribute, after: Attribute) -> Tree:
    """The tree at a column of the same position, in whose type members may be called otherwise."""
    return dict(tree) if isinstance(tree, _Structure) and before.type != after.type else tree


def _without(population: Tuples, missing: tuple[Attribute, ...]) -> Tuples:
    """The rows of one side to which the other side has none: its columns are NULL."""
    null = {a.id: {"literal": None, "type": _name(a.type) or "void"} for a in missing}
    return replace(population, columns={**population.columns, **null})


def _opaquely(population: Tuples, outputs: tuple[Attribute, ...]) -> Tuples:
    """What code makes of the rows that it is given."""
    rows: list[Tree] = [{"row": row, "path": [], "type": None} for row in population.rows]
    return replace(population, columns={a.id: _opaque(rows) for a in outputs})
