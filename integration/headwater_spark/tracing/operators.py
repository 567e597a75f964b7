"""What each operator does: one rule a relation, from its inputs' columns to its own.

The analysis of an operator is local: values over the columns of its inputs, which is what the operators facet
says of it. The lineage of the whole plan is the composition of these: ``Traced.columns`` has the inputs' lineage
put in, so its origins are columns of reads. A column that passes unchanged keeps the very same value, which makes
wide plans cheap.

``influences`` are indirect edges onto the output as a whole. They accumulate: what chose the rows of an input has
chosen the rows of the output.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from typing_extensions import assert_never

from headwater_facets.kinds import Access, LineageType, Manipulation, OperatorType, Retains, Subtype
from headwater_plan.declarations import Declaration
from headwater_plan.functions import NESTING
from headwater_plan.nodes import (
    ROW,
    Aggregate,
    AggregateCall,
    Attribute,
    Call,
    Column,
    Construct,
    Definition,
    Distinct,
    Expand,
    Expression,
    Filter,
    Generate,
    Join,
    Limit,
    Literal,
    Local,
    Member,
    OpaqueCall,
    OpaqueRelation,
    Previous,
    Project,
    Read,
    ReadCall,
    Recursion,
    Relation,
    Rename,
    Rows,
    SetOperation,
    Sort,
    Union,
    UnknownRelation,
    Window,
)
from headwater_plan.traversal import in_order, inputs_of, within
from headwater_spark.tracing.collected import NOTHING_HELD
from headwater_spark.tracing.joins import found_by_join, ids, multiplied, revealed_by_join
from headwater_spark.tracing.recursion import closing, solved
from headwater_spark.tracing.sql import only_decides, sql
from headwater_spark.tracing.values.analysis import Analysis, Predicate, Traced, undefined
from headwater_spark.tracing.values.column_names import (
    in_name,
    is_named_after,
    named,
    perhaps_in_name,
    pivoted_column,
    pivoting,
)
from headwater_spark.tracing.values.declared_functions import declared_value, read_columns
from headwater_spark.tracing.values.driver import (
    ROWS,
    decides,
    handed,
    is_of_program,
    names_of_program,
    of_code,
    to_decide,
)
from headwater_spark.tracing.values.expressions import Tracer
from headwater_spark.tracing.values.file_names import columns_of, file_name, reads_below
from headwater_spark.tracing.values.functions.steps import compute, direct, extent, named_as
from headwater_spark.tracing.values.generators import deciding_rows
from headwater_spark.tracing.values.generators import generated as generated_by
from headwater_spark.tracing.values.revealed import (
    Revealed,
    most_revealed,
    of_groups,
    places_of,
    revealed_of_groups,
    sides_of,
)
from headwater_spark.tracing.values.value import (
    NOTHING,
    Edge,
    Origin,
    Value,
    apply,
    collapse,
    column,
    constant,
    construct,
    deciding,
    decision,
    distinct,
    extract,
    merge,
    substitute,
)

MOST_PAIRS = 2_000
"""Above this many input × output columns, an opaque operator's outputs come from whole rows, not from columns."""


def run(analysis: Analysis, root: Relation) -> Traced:
    """Analyse all that the root needs; gives the root's result."""
    for relation in in_order(root):
        inputs = [analysis.of(i) for i in inputs_of(relation)]
        analysis.add(relation, _Operator(analysis, relation, inputs).trace())
    return analysis.of(root)


class _Operator:
    """The analysis of one relation."""

    def __init__(self, analysis: Analysis, relation: Relation, inputs: Sequence[Traced]) -> None:
        self.analysis = analysis
        self.relation = relation
        self.inputs = inputs
        self.id = len(analysis.traced)
        scope = {a.id: Origin(i.id, a.id, a.name) for i in inputs for a in i.relation.outputs}
        # The constants of an Expand are Spark's own: NULLs, the numbers of grouping sets, and names of columns.
        program = NOTHING_HELD if isinstance(relation, Expand) else analysis.program
        self.tracer = Tracer(
            self.id, scope, analysis.outer, analysis.subquery, program, self._file_name, self._in_name_of
        )
        self.columns: dict[int, Value] = {}
        for i in inputs:
            self.columns.update(i.columns)
        self.influences = distinct(edge for i in inputs for edge in i.influences)
        self.local: dict[int, Value] = {}
        self.reads: tuple[Edge, ...] = ()
        self.predicates: list[Predicate] = []
        self.groups = bool(inputs) and all(i.groups for i in inputs)

    def trace(self) -> Traced:
        type_, text, opaque = self._rule()
        return Traced(
            self.id,
            self.relation,
            type_,
            text,
            tuple(i.id for i in self.inputs),
            self._given(),
            self.influences,
            self.local,
            self.reads,
            tuple(self.predicates),
            opaque,
            self.groups,
        )

    def _given(self) -> dict[int, Value]:
        """The operator's columns; of a read, the hidden ones as well."""
        if isinstance(self.relation, Read):
            return self.columns
        return {a.id: self.columns.get(a.id) or undefined(a.name) for a in self.relation.outputs}

    def _file_name(self) -> Value:
        """The name of the file that a row was read from; nothing where no file is read."""
        reads = [(self.analysis.of(read).id, read) for read in reads_below(self.relation)]
        self.analysis.file_names.update(index for index, _ in reads)
        return file_name(reads, self.id)

    def _read(self, read: Read) -> dict[int, Value]:
        """The columns of a read: where files have empty values, with what the program gave to stand for them."""
        columns = columns_of(read, self.id)
        if "emptyValue" not in read.source:
            return columns
        empty = names_of_program((read.source["emptyValue"],), self.id, self.analysis.program)
        return {key: merge((value, empty)) for key, value in columns.items()}

    def _rule(self) -> tuple[OperatorType, str, bool]:  # noqa: PLR0911, PLR0912 - one arm a variant
        match self.relation:
            case Read(source=source):
                self.columns = self._read(self.relation)
                return OperatorType.READ, str(source.get("kind", "")), False
            case Previous(outputs=outputs):
                self.columns = {a.id: column(Origin(self.id, a.id, a.name)) for a in outputs}
                return OperatorType.READ, "the round before", False
            case Recursion(outputs=outputs, previous=previous):
                self._recursion(outputs, previous)
                return OperatorType.UNION, "recursive UNION ALL", False
            case Local(outputs=outputs, text=text):
                made = self._rows_of_program(self.relation)
                self.columns = dict.fromkeys((a.id for a in outputs), made)
                return OperatorType.READ, text, False
            case Project(definitions=definitions):
                self._define(definitions)
                return self._select_type(definitions), self._definitions_text(definitions), False
            case Filter(condition=condition):
                sides = multiplied(self.relation.child)
                self._keep_rows(
                    condition, revealed_by_join("Inner", sides, condition), Subtype.FILTER, Access.FILTER
                )
                self._influence_by(found_by_join("Inner", sides, condition))
                self.predicates.append(Predicate("FILTER", condition))
                return OperatorType.FILTER, self._sql(condition, decides=True), False
            case Join(kind=kind, condition=condition):
                return self._join(kind, condition)
            case Union(outputs=outputs):
                self._by_position(outputs)
                return OperatorType.UNION, "UNION ALL", False
            case SetOperation(outputs=outputs, left=left, right=right, kind=kind):
                self._decide(_as_columns((*left.outputs, *right.outputs)), Subtype.JOIN, Access.JOIN)
                return OperatorType.SET, kind.upper(), False
            case Aggregate(keys=keys, definitions=definitions):
                self._define(definitions)
                self._show_keys(keys, definitions)
                self._group(keys, definitions)
                self._decide(keys, Subtype.GROUP_BY, Access.GROUP_BY)
                return _aggregate_type(definitions), self._definitions_text(definitions, keys), False
            case Generate(generator=generator, generated=generated):
                self._generate(generator, generated)
                return OperatorType.FLATTEN, self._sql(generator), False
            case Window(definitions=definitions):
                self._define(definitions)
                return OperatorType.WINDOW, self._definitions_text(definitions), False
            case Expand(outputs=outputs, projections=projections):
                self.tracer.unpivot(projections)
                for i, a in enumerate(outputs):
                    parts = [p[i] for p in projections if i < len(p)]
                    self._set(a, merge((*(self._named(e, a) for e in parts), self._in_texts(parts))))
                return OperatorType.MAP, f"{len(projections)} projections", False
            case Sort(orders=orders):
                self._decide(orders, Subtype.SORT, Access.SORT)
                return OperatorType.SORT, ", ".join(map(self._sql, orders)), False
            case Distinct(keys=keys):
                self._decide(keys, Subtype.GROUP_BY, Access.GROUP_BY)
                return OperatorType.DISTINCT, ", ".join(map(self._sql, keys)), False
            case Limit(text=text, keys=keys):
                self._decide(keys, Subtype.FILTER, Access.FILTER)
                return OperatorType.LIMIT, text, False
            case Rename(outputs=outputs):
                self._by_position(outputs)
                return OperatorType.SELECT, "", False
            case OpaqueRelation():
                self._opaque(self.relation)
                return OperatorType.MAP, self.relation.text, self.relation.is_opaque
            case UnknownRelation(name=name):
                self._any_to_any(name, "UNKNOWN_RELATION", row_by_row=False)
                return OperatorType.MAP, name, True
            case _:
                assert_never(self.relation)

    def _sql(self, e: Expression, *, decides: bool = False) -> str:
        return sql(e, decides=decides, names=self.analysis.names)

    def _definitions_text(self, definitions: Iterable[Definition], keys: Iterable[Expression] = ()) -> str:
        """The definitions that change something, as SQL; columns that pass are left out."""
        texts = [
            f"{self._sql(d.expression)} AS {self.analysis.names.get(d.attribute.id, d.attribute.name)}"
            for d in definitions
            if not (isinstance(d.expression, Column) and d.expression.name == d.attribute.name)
        ]
        by = ", ".join(map(self._sql, keys))
        return ", ".join(texts) + (f" GROUP BY {by}" if by else "")

    def _rows_of_program(self, rows: Local) -> Value:
        """What rows that no dataset holds are made of."""
        program = self.analysis.program
        if rows.handed_in and program.in_rows:
            return Value(edges=(handed(self.id, ROWS),), made=(rows.text,))
        if not program.collected or rows.rows is Rows.TEXT:
            return constant(rows.text)
        edge = decides(self.id) if rows.rows is Rows.RANGE else handed(self.id)
        return Value(edges=(edge,), made=(rows.text,))

    def _set(self, attribute: Attribute, value: Value) -> None:
        self.local[attribute.id] = value
        self.columns[attribute.id] = substitute(value, self.analysis.resolve)

    def _define(self, definitions: Iterable[Definition]) -> None:
        """Columns that pass keep their value; all others are traced and named."""
        for d in definitions:
            e = d.expression
            if isinstance(e, Column) and e.id == d.attribute.id and e.id in self.tracer.scope:
                continue
            self._set(d.attribute, merge((self._named(e, d.attribute), self._in_name(d))))
            for case in self.tracer.cases:
                self.predicates.extend(
                    Predicate("CASE", p, d.attribute, only_decides(p, case)) for p in case.predicates
                )
            self.tracer.cases.clear()

    def _in_texts(self, names: Iterable[Expression]) -> Value:
        """What may stand in names of columns that an unpivot writes, where a program has made these."""
        texts = (e.value for e in names if isinstance(e, Literal) and isinstance(e.value, str))
        return names_of_program(texts, self.id, self.analysis.program)

    def _in_name(self, d: Definition) -> Value:
        """What stands in the column's name, where a pivot has made it of values."""
        pivot, place = pivoting(d.expression), pivoted_column(d.expression)
        if pivot is not None:
            by = in_name(self.tracer.trace(pivot.by), self.id)
            self.analysis.pivoted[d.attribute.id] = (by, pivot.values)
            place = None if pivot.in_array else (d.attribute.id, 0)
        if place is None or place[0] not in self.analysis.pivoted:
            return NOTHING
        by, values = self.analysis.pivoted[place[0]]
        if not is_named_after(d.attribute.name, values, place[1]):
            return NOTHING
        self.analysis.in_names[d.attribute.id] = by
        return by

    def _in_name_of(self, name: Literal, row: Sequence[Expression]) -> Value:
        """What a constant is that is the name of a column: of a pivoted one, or of any that stands in its row."""
        beside, pivoted = named(name, row), self.analysis.in_names
        outputs = (a for i in self.inputs for a in i.relation.outputs) if pivoted else ()
        held = {a.id for a in outputs if a.name == name.value} | {c.id for c in beside}
        as_read = [c for c in beside if c.id not in pivoted]
        resolved = [substitute(self.tracer.trace(c), self.analysis.resolve) for c in as_read]
        return merge(
            (
                *(pivoted[each] for each in sorted(held) if each in pivoted),
                *(perhaps_in_name(v, c.name, self.id) for v, c in zip(resolved, as_read, strict=True)),
            )
        )

    def _show_keys(self, keys: Iterable[Expression], definitions: Iterable[Definition]) -> None:
        """The keys show each value that they are made of, whatever an aggregate makes of it."""
        shown = places_of(substitute(self.tracer.trace(e), self.analysis.resolve) for e in keys)
        for d in definitions if shown else ():
            self.columns[d.attribute.id] = of_groups(self.columns[d.attribute.id], shown)

    def _named(self, e: Expression, attribute: Attribute) -> Value:
        value = self.tracer.trace(e)
        if _named_otherwise(e, attribute.name):
            return apply(value, direct(self.id, Manipulation.RENAME))
        return value

    def _decide(self, expressions: Iterable[Expression], subtype: Subtype, access: Access) -> None:
        """The expressions decide about the whole output."""
        values = [decision(self.tracer.trace(e), subtype, access, self.id) for e in expressions]
        self.tracer.cases.clear()
        self._influence(merge(values))

    def _influence(self, reads: Value) -> None:
        """Local edges that decide about the whole output."""
        self.reads = distinct((*self.reads, *reads.edges))
        found = substitute(reads, self.analysis.resolve)
        self.influences = distinct(most_revealed((*self.influences, *found.edges)))
        self.analysis.missing.extend(found.missing)

    def _keep_rows(
        self, condition: Expression, parts: Iterable[Revealed], subtype: Subtype, access: Access
    ) -> None:
        """The condition decides which rows are left; these reveal something of its parts."""
        whole = decision(self.tracer.trace(condition), subtype, access, self.id)
        values = [
            decision(self.tracer.trace(e), subtype, access, self.id, reveals=self._of_group(reveals))
            for e, reveals in parts
        ]
        self.tracer.cases.clear()
        self._influence(replace(whole, edges=most_revealed(merge((whole, *values)).edges)))

    def _of_group(self, reveals: Retains | None) -> Retains | None:
        return Retains.STATISTIC if reveals is not None and self.groups else reveals

    def _group(self, keys: Iterable[Expression], definitions: Iterable[Definition]) -> None:
        """Groups of which only statistics and the keys are written reveal nothing of the records in them, but what the
        keys do.
        """
        self.groups = all(map(self._is_of_group, definitions))
        if self.groups:
            shown = sides_of(substitute(self.tracer.trace(e), self.analysis.resolve) for e in keys)
            self.influences = distinct(revealed_of_groups(self.influences, shown))

    def _is_of_group(self, d: Definition) -> bool:
        if _aggregate_function(d.expression) is None:
            return True
        edges = collapse(self.local.get(d.attribute.id, NOTHING)).edges
        kept = {e.how.retains for e in edges if e.how.type is LineageType.DIRECT}
        return kept <= {Retains.STATISTIC, Retains.FACT}

    def _influence_by(self, found: Iterable[Revealed]) -> None:
        """The operands by which the sides of a join were found decide about all rows."""
        values = [
            decision(self.tracer.trace(e), Subtype.JOIN, Access.JOIN, self.id, reveals=reveals)
            for e, reveals in found
        ]
        self.tracer.cases.clear()
        self._influence(merge(values))

    def _by_position(self, outputs: Sequence[Attribute]) -> None:
        """Output attributes are the inputs', position by position."""
        for i, a in enumerate(outputs):
            same = [t.relation.outputs[i] for t in self.inputs if i < len(t.relation.outputs)]
            values = [
                named_as(column(Origin(t.id, s.id, s.name)), s.type, a.type, self.id)
                for t, s in zip(self.inputs, same, strict=False)
            ]
            values = [
                apply(value, direct(self.id, Manipulation.RENAME)) if s.name != a.name else value
                for s, value in zip(same, values, strict=True)
            ]
            self._set(a, merge(values))

    def _recursion(self, outputs: Sequence[Attribute], previous: Previous) -> None:
        """The least solution of: a column is the anchor's, or the step's over these very columns."""
        self._by_position(outputs)
        before = self.analysis.of(previous)
        rounds = dict(zip((a.id for a in previous.outputs), (a.id for a in outputs), strict=False))
        anchor = dict.fromkeys(before.columns, NOTHING)
        for mine, a in zip(previous.outputs, self.inputs[0].relation.outputs, strict=False):
            anchor[mine.id] = self.inputs[0].columns.get(a.id, NOTHING)
        closed = closing(
            before.id, solved(before.id, anchor, {p: self.columns[mine] for p, mine in rounds.items()})
        )
        self.columns = {a.id: substitute(self.columns.get(a.id, NOTHING), closed) for a in outputs}
        self.influences = substitute(Value(edges=self.influences), closed).edges
        for traced in self.analysis.traced[before.id :]:
            traced.columns = {k: substitute(v, closed) for k, v in traced.columns.items()}
            traced.influences = substitute(Value(edges=traced.influences), closed).edges

    def _join(self, kind: str, condition: Expression | None) -> tuple[OperatorType, str, bool]:
        if condition is not None:
            sides = tuple(ids(i.relation) for i in self.inputs)
            self._keep_rows(condition, revealed_by_join(kind, sides, condition), Subtype.JOIN, Access.JOIN)
            self._influence_by(found_by_join(kind, sides, condition))
            self.predicates.append(Predicate("JOIN", condition))
        if kind == "Existence":
            left = {a.id for a in self.inputs[0].relation.outputs}
            decisions = [self.tracer.trace(condition)] if condition is not None else []
            for a in self.relation.outputs:
                if a.id not in left:
                    found = (
                        compute(Call("exists", ()), decisions, self.id) if decisions else constant("exists")
                    )
                    self._set(a, found)
        text = kind if condition is None else f"{kind}: {self._sql(condition, decides=True)}"
        return OperatorType.JOIN, text, False

    def _select_type(self, definitions: Sequence[Definition]) -> OperatorType:
        """SELECT only copies values; MAP computes some."""
        values = (self.local.get(d.attribute.id, NOTHING) for d in definitions)
        edges = (e for v in values for e in collapse(v).edges)
        copied = all(e.how.carries_structure or is_of_program(e) for e in edges)
        return OperatorType.SELECT if copied else OperatorType.MAP

    def _generate(self, generator: Expression, generated: Sequence[Attribute]) -> None:
        for a, value in zip(generated, generated_by(generator, len(generated), self.tracer), strict=False):
            self._set(a, value)
        self._decide_rows(deciding_rows(generator, self.tracer))

    def _decide_rows(self, collection: Value) -> None:
        """What computed the collection, or chose its elements, has chosen the rows that are made of it.

        A collection that was only copied is as long as it was: then no value below it decides.
        """
        found = substitute(extent([collection], self.id), self.analysis.resolve)
        edges = deciding(found, Subtype.FILTER, Access.FILTER, self.id)
        self.influences = distinct((*self.influences, *edges))
        self.analysis.missing.extend(found.missing)

    def _opaque(self, relation: OpaqueRelation) -> None:
        """Code over rows: what is declared of it, else each new column may hold any of the inputs' columns."""
        if relation.declaration is not None:
            self._declared(relation, relation.declaration)
        elif isinstance(relation.function, ReadCall):
            self._read_frames(relation, relation.function)
        else:
            self._any_to_any(relation.name, relation.reason, row_by_row=relation.row_by_row)
        self._decide(relation.keys, Subtype.GROUP_BY, Access.GROUP_BY)

    def _declared(self, relation: OpaqueRelation, declaration: Declaration) -> None:
        """The arguments are the inputs as structs, after the keys where the function takes them."""
        rows = [
            construct((a.name, column(Origin(each.id, a.id, a.name))) for a in each.relation.outputs)
            for each in self.inputs
        ]
        keys = [merge(map(self.tracer.trace, relation.keys))]
        takes_keys = len(declaration.parameters) > len(rows)
        value = declared_value(declaration, keys * takes_keys + rows, self.id)
        for a in relation.outputs:
            part = extract(value, a.name)
            self._set(a, part if part.made or collapse(part).edges else constant(f"{declaration.name}()"))
        decisions = [e for e in value.edges if e.how.type is LineageType.INDIRECT]
        self._influence(decision(Value(edges=tuple(decisions)), Subtype.FILTER, Access.FILTER, self.id))

    def _read_frames(self, relation: OpaqueRelation, call: ReadCall) -> None:
        """A function over frames that was read: each of its arguments is a struct of columns."""
        frames = [
            {name: self.tracer.trace(part) for name, part in argument.parts}
            for argument in call.args
            if isinstance(argument, Construct)
        ]
        names = [a.name for a in relation.outputs]
        found, choosing = read_columns(call.reading, call.name, frames, names, self.id)
        carried = Value(tuple(of_code(self.id, self.analysis.program, call.reading.held)))
        for a in relation.outputs:
            self._set(a, merge((found[a.name], carried)))
        self._influence(to_decide(carried))
        self._influence(decision(collapse(choosing), Subtype.FILTER, Access.FILTER, self.id))

    def _any_to_any(self, name: str, reason: str, *, row_by_row: bool) -> None:
        """Each new column may hold any of the inputs' columns, and so may the choice of rows; columns that pass
        by id are kept.
        """
        passing = {a.id for i in self.inputs for a in i.relation.outputs}
        new = [a for a in self.relation.outputs if a.id not in passing]
        inputs = [Origin(i.id, a.id, a.name) for i in self.inputs for a in i.relation.outputs]
        if (len(new) + 1) * len(inputs) > MOST_PAIRS:
            inputs = [Origin(i.id, ROW, "") for i in self.inputs]
        any_ = merge(map(column, inputs))
        how = direct(self.id, Manipulation.OPAQUE, subtype=Subtype.TRANSFORMATION, function=name)
        carried = Value(tuple(of_code(self.id, self.analysis.program)) if name else ())
        self._influence(to_decide(carried))
        edges = (*apply(any_, how).edges, *carried.edges)
        for a in new:
            made, mark = ((f"{name}()",), ((reason, name),)) if name else ((), ())
            self._set(a, Value(edges, made=made if inputs else (), opaque=mark))
        if not row_by_row:
            self._influence(decision(any_, Subtype.FILTER, Access.FILTER, self.id))


def _as_columns(attributes: Iterable[Attribute]) -> list[Expression]:
    return [Column(a.id, a.name, a.type) for a in attributes]


def _named_otherwise(e: Expression, name: str) -> bool:
    """Whether a column or member gets another name than it had."""
    return isinstance(e, Column | Member) and e.name != name


def _aggregate_type(definitions: Sequence[Definition]) -> OperatorType:
    functions = [_aggregate_function(d.expression) for d in definitions]
    found = [f for f in functions if f is not None]
    if not found:
        return OperatorType.GROUP
    return OperatorType.NEST if NESTING.issuperset(found) else OperatorType.AGGREGATE


def _aggregate_function(e: Expression) -> str | None:
    if not isinstance(e, AggregateCall):
        return None if isinstance(e, Column) else "" if _has_aggregate(e) else None
    return (
        e.call.function if isinstance(e.call, Call) else e.call.name if isinstance(e.call, OpaqueCall) else ""
    )


def _has_aggregate(e: Expression) -> bool:
    return any(isinstance(part, AggregateCall) for part in within(e))
