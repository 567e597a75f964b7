"""From an analysed plan to ``PlanLineage``: origins become reads and paths, values become entries.

Entries are given at the coarsest level at which they are exact: a copied column is one entry, a constructed one has
an entry for each member that was put into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final

from headwater_facets import packing
from headwater_facets.kinds import (
    Access,
    IncompleteReason,
    LineageType,
    Manipulation,
    OperatorType,
    Retains,
)
from headwater_plan import nodes
from headwater_plan.nodes import INFLUENCES, ROW
from headwater_plan.types import StructField, StructType
from headwater_spark.tracing.conditions import tree
from headwater_spark.tracing.populations import populations
from headwater_spark.tracing.result import (
    COLLECTED,
    IN_ROWS,
    AccessedPath,
    Condition,
    FieldLineage,
    Gap,
    Generated,
    InputPath,
    Manipulated,
    Opaque,
    Operator,
    PathSteps,
    PlanLineage,
    Read,
    Target,
    Touched,
    Transformation,
)
from headwater_spark.tracing.sql import sql
from headwater_spark.tracing.user_code import user_functions
from headwater_spark.tracing.values.analysis import Analysis, Predicate, Traced
from headwater_spark.tracing.values.driver import (
    PROGRAM,
    ROWS,
    by_value,
    is_of_program,
    names_of_program,
)
from headwater_spark.tracing.values.expressions import Tracer
from headwater_spark.tracing.values.ids import listed, only
from headwater_spark.tracing.values.value import (
    NOTHING,
    PACKED,
    Edge,
    How,
    Origin,
    Value,
    above_packed,
    apply,
    collapse,
    distinct,
    merge,
    substitute,
    without_repeats,
)
from headwater_spark.tracing.written_names import in_options, names_in

_KEEP_TEXTS: Final = frozenset({"parquet", "orc", "json", "avro", "delta", "iceberg"})
"""Formats in which a text is what was written."""
MANY = 1_000
"""Columns above which an operator that looks at every one of them is reported to look at the whole row."""


@dataclass(slots=True)
class Report:
    """Writes down one analysis."""

    analysis: Analysis
    plan: nodes.DecodedPlan
    root: Traced | None
    _index: Mapping[int, int] = field(init=False)
    """The position of each read by its operator's id."""
    _pivoted: frozenset[str] = field(init=False)
    """The names of the columns that a pivot has named."""

    def __post_init__(self) -> None:
        self._index = {operator: i for i, operator in enumerate(self._reads())}
        named = self.analysis.in_names
        outputs = (a for t in self.analysis.traced if named for a in t.relation.outputs)
        self._pivoted = frozenset(a.name for a in outputs if a.id in named)

    def lineage(self) -> PlanLineage:
        """The plan's lineage; without a write it has reads, operators and access only."""
        write = self.plan.write
        outputs = self._outputs() if write is not None and self.root is not None else []
        fields, generated, opaque, untraced = self._entries(outputs)
        return PlanLineage(
            reads=tuple(self._reads().values()),
            target=self._target(write),
            fields=fields,
            dataset=self._inputs((e, ()) for e in self.root.influences) if self.root is not None else (),
            generated=generated,
            opaque=opaque,
            incomplete=(*self._gaps(outputs), *untraced),
            operators=self._operators(),
            functions=user_functions(self.analysis.traced),
            conditions=self._conditions(),
            populations=populations(self.analysis, self.plan, self._index) if outputs else (),
            access=self._access(outputs or self._returned()),
            returned=tuple(self._given()),
        )

    def _reads(self) -> dict[int, Read]:
        """The reads by operator id, in order."""
        return {
            t.id: Read(t.id, t.relation.source, _schema(self._read_columns(t.relation, t.id)), t.relation.at)
            for t in self.analysis.traced
            if isinstance(t.relation, nodes.Read)
        }

    def _read_columns(self, read: nodes.Read, operator: int) -> tuple[nodes.Attribute, ...]:
        """What is read, with Spark's column for the names of files where those are used."""
        names = read.names if operator in self.analysis.file_names else None
        return read.outputs if names is None or names in read.outputs else (*read.outputs, names)

    def _target(self, write: nodes.Write | None) -> Target | None:
        if write is None:
            return None
        named = StructType(tuple(f for f in write.columns.fields if f.name))
        return Target(len(self.analysis.traced), write.target, write.command, named)

    def _outputs(self) -> list[tuple[str, Value]]:
        """The written columns and what they are made of."""
        assert self.plan.write is not None and self.root is not None  # noqa: S101 - the caller has checked
        renamed = How(manipulation=(Manipulation.RENAME,), operators=only(len(self.analysis.traced)))
        pairs = zip(self.plan.write.columns.fields, self.plan.write.child.outputs, strict=True)
        given = self._in_options(self.plan.write)
        return [
            (
                f.name,
                merge((apply(self.root.columns.get(a.id, NOTHING), renamed), given))
                if f.name != a.name
                else merge((self.root.columns.get(a.id, NOTHING), self._in_names(a), given)),
            )
            for f, a in pairs
        ]

    def _in_names(self, a: nodes.Attribute) -> Value:
        """What a program may have made the names of a column and of its members of; a pivot's are known."""
        program = self.analysis.program
        if program.names is None:
            return NOTHING
        names = (each for each in (a.name, *names_in(a.type)) if each not in self._pivoted)
        return names_of_program(names, len(self.analysis.traced), program)

    def _in_options(self, write: nodes.Write) -> Value:
        """What a program may have made the options of that stand beside, or in place of, any column."""
        return names_of_program(in_options(write.options), len(self.analysis.traced), self.analysis.program)

    def _returned(self) -> list[tuple[str, Value]]:
        """The columns that a plan without a write hands to whoever runs it."""
        if self.plan.write is not None or self.plan.relation is None or self.root is None:
            return []
        return [(a.name, self.root.columns.get(a.id, NOTHING)) for a in self.plan.relation.outputs]

    def _given(self) -> Iterator[tuple[int, PathSteps]]:
        """What is returned of each read: not how many there are of it. Of rows that only user code or a command
        without a result sees, all.
        """
        if self.plan.write is not None or self.root is None:
            return
        unseen = isinstance(self.root.relation, nodes.OpaqueRelation | nodes.UnknownRelation)
        whole = unseen and not self.root.relation.outputs
        found = dict.fromkeys(self.root.influences) if whole else {}
        for _, value in self._returned():
            flowing = (e for e in collapse(value).edges if e.how.type is LineageType.DIRECT)
            found.update(dict.fromkeys(e for e in flowing if Manipulation.COUNT not in e.how.manipulation))
        places = (
            (self._index[e.origin.operator], _path(e)) for e in found if e.origin.operator in self._index
        )
        yield from dict.fromkeys(places)

    def _entries(
        self, outputs: Iterable[tuple[str, Value]]
    ) -> tuple[tuple[FieldLineage, ...], tuple[Generated, ...], tuple[Opaque, ...], tuple[Gap, ...]]:
        fields: list[FieldLineage] = []
        generated: list[Generated] = []
        opaque: list[Opaque] = []
        untraced: dict[str, list[PathSteps]] = {}
        for name, whole in outputs:
            for path, place in _places(_column(name), without_repeats(whole)):
                inputs = self._inputs(_ends(place))
                if inputs:
                    fields.append(FieldLineage(path, inputs))
                value = collapse(place) if PACKED in place.members else place
                opaque.extend(Opaque(path, reason, by) for reason, by in value.opaque)
                for what in _missing(value):
                    untraced.setdefault(what, []).append(path)
                if value.made and not (value.members or value.missing or _flows(value)):
                    generated.append(Generated(path, "; ".join(value.made)))
        gaps = (
            Gap(IncompleteReason.UNKNOWN_EXPRESSION, what, tuple(paths)) for what, paths in untraced.items()
        )
        return tuple(fields), tuple(generated), tuple(opaque), tuple(gaps)

    def _inputs(self, edges: Iterable[tuple[Edge, PathSteps]]) -> tuple[InputPath, ...]:
        """Edges grouped by the input path they come from, in order of first appearance.

        Each comes with the names under which it is packed into a text.
        """
        reads = self._index
        target = self.plan.write.target if self.plan.write is not None else {}
        grouped: dict[tuple[int, PathSteps], list[Transformation]] = {}
        for edge, names in edges:
            packed = _certain(names, target)
            if not edge.how.reported:
                continue
            if is_of_program(edge):
                held = COLLECTED if edge.origin == PROGRAM else IN_ROWS
                grouped.setdefault((held, ()), []).append(_transformation(edge, (), packed))
            elif edge.origin.operator in reads:
                place = (reads[edge.origin.operator], _path(edge))
                source = self.analysis.traced[edge.origin.operator].relation
                assert isinstance(source, nodes.Read)  # noqa: S101 - the index has reads alone
                taken = _certain(_parted(edge)[1], source.source)
                grouped.setdefault(place, []).append(_transformation(edge, taken, packed))
        return tuple(InputPath(read, path, tuple(ways)) for (read, path), ways in grouped.items())

    def _gaps(self, outputs: Iterable[tuple[str, Value]]) -> tuple[Gap, ...]:
        gaps = [Gap(_reason(p.reason), p.detail) for p in self.plan.problems]
        missing = dict.fromkeys(self.analysis.missing)
        gaps += [Gap(IncompleteReason.UNKNOWN_EXPRESSION, what) for what in missing]
        return (*gaps, *self._gaps_of_program(outputs))

    def _gaps_of_program(self, outputs: Iterable[tuple[str, Value]]) -> Iterator[Gap]:
        """The paths that may hold what the program was handed, and those that may hold what nobody saw it read."""
        program, places = self.analysis.program, [p for name, v in outputs for p in _places(_column(name), v)]
        edges = [(path, [edge for edge, _ in _ends(value)]) for path, value in places]
        rows = [path for path, of in edges if by_value(of, ROWS)]
        seen = (PROGRAM, ROWS) if program.collected or program.shown else (PROGRAM,)
        handed = [path for path, of in edges if any(by_value(of, origin) for origin in seen)]
        if handed:
            yield Gap(IncompleteReason.DRIVER, "", tuple(handed))
        if rows and program.outside:
            yield Gap(IncompleteReason.PROGRAM, "", tuple(rows))

    def _operators(self) -> tuple[Operator, ...]:
        found = [self._operator(t) for t in self.analysis.traced]
        if self.plan.write is not None and self.root is not None:
            found.append(
                Operator(len(found), OperatorType.WRITE, (self.root.id,), self.plan.write.command, (), ())
            )
        return tuple(found)

    def _operator(self, traced: Traced) -> Operator:
        return Operator(
            traced.id,
            traced.type,
            traced.inputs,
            traced.text[:500],
            self._accessed(traced),
            None if traced.opaque else tuple(self._manipulated(traced)),
        )

    def _accessed(self, traced: Traced) -> tuple[AccessedPath, ...]:
        """Every input path that the operator accesses: what it computes with and what it decides by."""
        seen: dict[AccessedPath, None] = {}
        for edge in _local_edges(traced):
            if edge.origin.column == INFLUENCES or edge.origin.operator not in traced.inputs:
                continue
            accessed = AccessedPath(
                edge.origin.operator, self._reported_path(edge), edge.how.access or Access.PROJECT
            )
            seen.setdefault(accessed)
        return self._by_row(traced, tuple(seen))

    def _by_row(self, traced: Traced, accessed: tuple[AccessedPath, ...]) -> tuple[AccessedPath, ...]:
        """With one entry for the row of an input instead of one for each of its many columns."""
        for index in traced.inputs:
            columns = {(self._name(a),) for a in self.analysis.traced[index].relation.outputs}
            for access in Access if len(columns) > MANY else ():
                listed = {a.path for a in accessed if (a.input, a.access) == (index, access)}
                if columns <= listed:
                    others = [
                        a for a in accessed if (a.input, a.access) != (index, access) or a.path not in columns
                    ]
                    accessed = (AccessedPath(index, (), access), *others)
        return accessed

    def _manipulated(self, traced: Traced) -> Iterator[Manipulated]:
        for a in traced.relation.outputs:
            local = traced.local.get(a.id)
            if local is None or isinstance(traced.relation, nodes.Read):
                continue
            for path, value in _places(_column(self._name(a)), local):
                yield from dict.fromkeys(
                    Manipulated(edge.origin.operator, self._reported_path(edge), path)
                    for edge, _ in _ends(value)
                    if edge.how.type is LineageType.DIRECT and edge.origin.column != INFLUENCES
                )

    def _name(self, attribute: nodes.Attribute) -> str:
        """What a column is called between operators."""
        return self.analysis.names.get(attribute.id, attribute.name)

    def _reported_path(self, edge: Edge) -> PathSteps:
        """The path of an edge between operators."""
        path, name = _path(edge), self.analysis.names.get(edge.origin.column)
        return path if name is None else (name, *path[1:])

    def _conditions(self) -> tuple[Condition, ...]:
        return tuple(self._condition(t, p) for t in self.analysis.traced for p in t.predicates)

    def _condition(self, traced: Traced, predicate: Predicate) -> Condition:
        inputs = [self.analysis.traced[i] for i in traced.inputs]
        scope = {a.id: Origin(t.id, a.id, a.name) for t in inputs for a in t.relation.outputs}
        tracer = Tracer(traced.id, scope, self.analysis.outer, self.analysis.subquery)
        reads = self._index

        def value_of(e: nodes.Expression) -> Value:
            return substitute(tracer.trace(e), self.analysis.resolve)

        def leaf(edge: Edge) -> Mapping[str, object]:
            return {"read": reads.get(edge.origin.operator), "path": list(_path(edge))}

        def text(e: nodes.Expression) -> str:
            return sql(e, decides=predicate.decides, names=self.analysis.names)

        return Condition(
            traced.id,
            predicate.kind,
            tree(predicate.expression, value_of, leaf, text, decides=predicate.decides),
            text(predicate.expression),
            self._guarded(predicate),
        )

    def _guarded(self, predicate: Predicate) -> tuple[PathSteps, ...]:
        """The written columns that the guarded attribute became; none named means the whole output."""
        if predicate.guards is None or self.plan.write is None:
            return ()
        pairs = zip(self.plan.write.columns.fields, self.plan.write.child.outputs, strict=True)
        return tuple((f.name,) for f, a in pairs if a.id == predicate.guards.id)

    def _access(self, outputs: Iterable[tuple[str, Value]]) -> tuple[Touched, ...]:
        """Every input path that any operator accessed or that was written."""
        touched: dict[tuple[int, PathSteps], set[Access]] = {}
        written: set[tuple[int, PathSteps]] = set()
        reads = self._index
        accessed = (e for t in self.analysis.traced for e in self._accesses(t))
        for edge in accessed:
            if edge.origin.operator in reads:
                place = (reads[edge.origin.operator], _path(edge))
                touched.setdefault(place, set()).add(edge.how.access or Access.PROJECT)
        for _, value in outputs:
            for edge in collapse(value).edges:
                if edge.how.type is LineageType.DIRECT and edge.origin.operator in reads:
                    place = (reads[edge.origin.operator], _path(edge))
                    touched.setdefault(place, set()).add(Access.PROJECT)
                    written.add(place)
        return tuple(
            Touched(read, path, tuple(a for a in Access if a in kinds), (read, path) in written)
            for (read, path), kinds in sorted(touched.items(), key=lambda item: item[0])
        )

    def _accesses(self, traced: Traced) -> tuple[Edge, ...]:
        """The edges from input paths to what the operator computes and decides."""
        if isinstance(traced.relation, nodes.Read) or not (traced.local or traced.reads):
            return ()
        return substitute(Value(edges=distinct(_local_edges(traced))), self.analysis.resolve).edges


def _local_edges(traced: Traced) -> Iterator[Edge]:
    values = [Value(traced.reads), *map(collapse, traced.local.values())]
    yield from (edge for value in values for edge in value.edges if edge.how.reported)


def _column(name: str) -> PathSteps:
    """The path of a column; that of the row for the nameless column which stands for all of an RDD's rows."""
    return (name,) if name else ()


def _places(path: PathSteps, value: Value, *, packed: bool = False) -> Iterator[tuple[PathSteps, Value]]:
    """Each place of the value that says something of its own, parents first; those ``packed`` in a text as well, or
    the text as one place.
    """
    pending = [(path, value)]
    while pending:
        at, part = pending.pop()
        yield at, part
        if packed or PACKED not in part.members:
            pending.extend(((*at, step), member) for step, member in reversed(list(part.members.items())))


def _ends(place: Value) -> Iterator[tuple[Edge, PathSteps]]:
    """The edges that end at a place, each with the names under which it is packed there."""
    yield from ((edge, ()) for edge in place.edges)
    for at, part in _places((), place.members.get(PACKED, NOTHING), packed=True):
        names = tuple(step for step in at if step != PACKED)
        yield from ((edge, names) for edge in part.edges)


def _missing(value: Value) -> tuple[str, ...]:
    """What could not be traced at a place; a place of which nothing at all is known counts among it."""
    if value.missing or value.members or value.made or _flows(value):
        return value.missing
    return ("nothing in the plan says what it is made of",)


def _flows(value: Value) -> bool:
    return any(e.how.type is LineageType.DIRECT for e in value.edges)


def _path(edge: Edge) -> PathSteps:
    path = _parted(edge)[0]
    return path if edge.origin.column == ROW else (edge.origin.name, *path)


def _parted(edge: Edge) -> tuple[PathSteps, PathSteps]:
    """The edge's path down to a text, and the names that lead to what is taken of the text."""
    above = above_packed(edge.path)
    return above, edge.path[len(above) + 1 :]


def _certain(names: PathSteps, source: Mapping[str, Any]) -> PathSteps:
    """The names down to a place in a text, where the dataset may hold other texts than were written: cut at the end of
    a line, or without spaces around them.
    """
    if str(source.get("format") or source.get("provider")).lower() in _KEEP_TEXTS:
        return names
    return tuple(takewhile(lambda name: not packing.is_mark(name), names))


def _transformation(edge: Edge, taken: PathSteps, packed: PathSteps) -> Transformation:
    how = edge.how
    copied = how.type is LineageType.DIRECT and not how.manipulation
    return Transformation(
        how.type,
        how.subtype,
        how.masking,
        (Manipulation.COPY,) if copied else how.manipulation,
        how.access,
        how.at,
        how.functions,
        listed(how.operators),
        _retains(how),
        taken,
        packed,
    )


def _retains(how: How) -> Retains | None:
    """What of the value can be read back, where that does not go without saying."""
    if how.type is LineageType.INDIRECT:
        return how.reveals
    only_copied = how.carries_structure and how.retains is Retains.VALUE
    return None if only_copied else how.retains


def _reason(text: str) -> IncompleteReason:
    try:
        return IncompleteReason(text)
    except ValueError:
        return IncompleteReason.ERROR


def _schema(outputs: Iterable[nodes.Attribute]) -> StructType:
    return StructType(tuple(StructField(a.name, a.type) for a in outputs if a.name))
