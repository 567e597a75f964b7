"""Commands that change rows in place: UPDATE, DELETE and MERGE.

What is in the table afterwards comes from what was in it before, and from what the clauses assign. A command is
therefore decoded to a write of relations that are known already:

    MERGE INTO t USING s ON t.id = s.id
      WHEN MATCHED AND s.gone THEN DELETE
      WHEN MATCHED THEN UPDATE SET t.n = s.m

    Expand [t.id, t.n], [t.id, s.m]      each column comes from any of the projections
      Filter s.gone                      what decides which clause is taken
        Join t.id = s.id                 FullOuter: either side's rows may go on
          t, s

Where Spark has rewritten the command itself (``ReplaceData``, ``WriteDelta`` over ``MergeRows``), its query is taken;
Delta's own commands hold the clauses as the program wrote them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from headwater_plan.nodes import (
    Attribute,
    Column,
    Expand,
    Expression,
    Filter,
    Join,
    Literal,
    Member,
    Project,
    Read,
    Relation,
    Update,
    Write,
)
from headwater_plan.traversal import below
from headwater_plan.types import DataType, StructField, StructType
from headwater_spark.decode.commands.command import Command, parts
from headwater_spark.decode.commands.targets import changed
from headwater_spark.decode.context import Context, Decoder, null
from headwater_spark.decode.document import Node
from headwater_spark.decode.relations import child_of
from headwater_spark.decode.sources import unknown

Values = Mapping[str, Expression]
"""A row by column name, in lower case."""

_MERGING = ("FullOuter", "RightOuter", "LeftOuter", "LeftAnti")
_FIRST_OWN_ID = -1_000_000
"""Expression ids for the rows afterwards: below all that mean something."""


@dataclass(frozen=True, slots=True, eq=False)
class Assigned:
    """``SET place = value``: the place is a column's name and, below it, members' names."""

    place: tuple[str, ...]
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """``WHEN … THEN``. ``kind``: UPDATE, INSERT, DELETE, or the star forms UPDATE_STAR and INSERT_STAR."""

    kind: str
    condition: Expression | None
    assigned: tuple[Assigned, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Instruction:
    """What ``MergeRows`` does with a row: puts out any of the given ones, or nothing."""

    condition: Expression | None
    rows: tuple[tuple[Expression, ...], ...]


def assignment(node: Node, context: Context) -> Assigned:
    """Spark's ``Assignment(key, value)``."""
    return Assigned(_place(context.expression(node.get("key"))), context.expression(node.get("value")))


def delta_action(node: Node, context: Context) -> Assigned:
    """Delta's ``DeltaMergeAction``, which names its column by parts."""
    parts = tuple(str(part) for part in node.get("targetColNameParts") or ())
    return Assigned(parts, context.expression(node.get("expr")))


def _place(key: Expression) -> tuple[str, ...]:
    names: list[str] = []
    while isinstance(key, Member):
        names.append(key.name)
        key = key.child
    return (*((key.name,) if isinstance(key, Column) else ()), *reversed(names))


def clause(kind: str) -> Decoder:
    """A clause of MERGE, Spark's or Delta's."""

    def decode(node: Node, context: Context) -> Clause:
        parts = context.nodes([node.get("assignments"), node.get("actions")])
        assigned = tuple(part for part in parts if isinstance(part, Assigned))
        return Clause(kind, context.optional(node.get("condition")), assigned)

    return decode


def instruction(*rows: str) -> Decoder:
    """An instruction of ``MergeRows``; ``rows`` are the fields that hold what it puts out."""

    def decode(node: Node, context: Context) -> Instruction:
        return Instruction(
            context.optional(node.get("condition")), tuple(context.expressions(node.get(row)) for row in rows)
        )

    return decode


def merge_rows(node: Node, context: Context) -> Relation:
    """Spark's operator that takes each joined row through the clauses."""
    fields = ("matchedInstructions", "notMatchedInstructions", "notMatchedBySourceInstructions")
    instructions = [i for i in context.nodes([node.get(f) for f in fields]) if isinstance(i, Instruction)]
    child = _decided(child_of(node, context), (i.condition for i in instructions))
    rows = tuple(row for each in instructions for row in each.rows if row)
    return Expand(context.attributes(node.get("output")), child, rows)


def update(node: Node, context: Context) -> Write | None:
    """Delta's ``UpdateCommand`` and Spark's ``UpdateTable``."""
    target = _target(node, context)
    if target is None:
        return None
    parts = context.nodes(node.get("assignments"))
    assigned = [part for part in parts if isinstance(part, Assigned)]
    values = _row(target, assigned)
    if node.get("updateExpressions") is not None:
        values = _by_position(target, context.expressions(node.get("updateExpressions")))
    decided = _decided(target, [context.optional(node.get("condition"))])
    return _write(node, context, target, decided, [values, _row(target)])


def delete(node: Node, context: Context) -> Write | None:
    """Delta's ``DeleteCommand`` and Spark's ``DeleteFromTable``: the rest of the rows stay as they are."""
    target = _target(node, context)
    if target is None:
        return None
    decided = _decided(target, [context.optional(node.get("condition"))])
    return _write(node, context, target, decided, [_row(target)])


def merge(node: Node, context: Context) -> Write | None:
    """Delta's ``MergeIntoCommand`` and Spark's ``MergeIntoTable``."""
    target = _target(node, context)
    sources = context.relations([node.get("source"), node.get("sourceTable")])
    if target is None or not sources:
        context.problem("UNKNOWN_RELATION", f"{node.name} without a source")
        return None
    source = sources[0]
    condition = context.optional([node.get("condition"), node.get("mergeCondition")])
    clauses = [part for part in context.nodes(list(node.fields.values())) if isinstance(part, Clause)]
    joined = Join((*target.outputs, *source.outputs), target, source, "FullOuter", condition)
    decided = _decided(joined, (each.condition for each in clauses))
    changed = [_after(each, target, source) for each in clauses if each.kind != "DELETE"]
    return _write(node, context, target, decided, [_row(target), *changed])


def _after(each: Clause, target: Relation, source: Relation) -> Values:
    """The row that a clause leaves; what INSERT does not name is null."""
    if each.kind.endswith("STAR"):
        return {**(_row(target) if each.kind == "UPDATE_STAR" else {}), **_row(source)}
    if each.kind == "INSERT":
        return {a.place[0].lower(): a.value for a in each.assigned if a.place}
    return _row(target, each.assigned)


def row_level(node: Node, context: Context) -> Write | None:
    """Spark's ``ReplaceData`` and ``WriteDelta``, over a query that Spark made of the command."""
    tables = context.relations([node.get("originalTable"), node.get("table")])
    queries = context.relations(node.get("query"))
    if not tables or not queries:
        context.problem("UNKNOWN_RELATION", f"{node.name} without a query")
        return None
    target, query = tables[0], queries[0]
    decided = query
    if not _merges(query):
        # The condition speaks of the table's own columns, which stand below the query.
        decided = _decided(query, [context.optional(node.get("condition"))])
    written = _row(query)
    kept = [_row(target)] if _is_read_below(target, query) else []
    return _write(node, context, target, decided, [*kept, {**(kept[0] if kept else {}), **written}])


def _is_read_below(target: Relation, query: Relation) -> bool:
    """Whether the query reads the table's columns under the ids that the command has for them."""
    wanted = {a.id for a in target.outputs}
    return any(_is_read(r) and wanted <= {a.id for a in r.outputs} for r in below(query))


def _is_read(relation: Relation) -> bool:
    """Whether it reads a table, with columns that the table's format makes or without."""
    return isinstance(relation.child if isinstance(relation, Project) else relation, Read)


def _merges(query: Relation) -> bool:
    """Whether the query is a rewritten MERGE: its conditions are in it already."""
    return any(isinstance(relation, Join) and relation.kind in _MERGING for relation in below(query))


def _target(node: Node, context: Context) -> Relation | None:
    for name in ("targetTable", "target", "table"):
        for relation in context.relations(node.get(name)):
            return relation
    context.problem("UNKNOWN_RELATION", f"{node.name} without a table")
    return None


def _row(relation: Relation, assigned: Iterable[Assigned] = ()) -> dict[str, Expression]:
    """The relation's row, with what is assigned put in."""
    values: dict[str, Expression] = {a.name.lower(): Column(a.id, a.name, a.type) for a in relation.outputs}
    for each in assigned:
        if each.place:
            name, *members = each.place
            values[name.lower()] = _put(values.get(name.lower()), members, each.value)
    return values


def _put(whole: Expression | None, members: list[str], value: Expression) -> Expression:
    if not members or whole is None:
        return value
    name, *rest = members
    return Update(whole, ((name, _put(Member(whole, name), rest, value)),), whole.type)


def _by_position(target: Relation, values: Iterable[Expression]) -> dict[str, Expression]:
    return {a.name.lower(): value for a, value in zip(target.outputs, values, strict=False)}


def _decided(relation: Relation, conditions: Iterable[Expression | None]) -> Relation:
    """The relation with filters that keep every row's lineage and add what decides."""
    for condition in conditions:
        if condition is not None and not isinstance(condition, Literal):
            relation = Filter(relation.outputs, relation, condition)
    return relation


def _write(node: Node, context: Context, target: Relation, child: Relation, rows: Iterable[Values]) -> Write:
    """The table's columns afterwards, each from any of the rows."""
    ids = count(_FIRST_OWN_ID - node.index * 10_000, -1)
    outputs = tuple(Attribute(next(ids), name, type_) for name, type_ in _columns(node, context, target))
    unset = null(None)
    projections = tuple(tuple(row.get(a.name.lower(), unset) for a in outputs) for row in rows)
    described = changed(node, context.document) or unknown(node.class_name)
    columns = StructType(tuple(StructField(a.name, a.type) for a in outputs))
    return Write(Expand(outputs, child, projections), described, node.name, columns)


def _columns(node: Node, context: Context, target: Relation) -> Iterator[tuple[str, DataType]]:
    """The table's columns afterwards: as they are, with those that the command adds to its schema (Delta)."""
    evolved = context.document.type(node.get("migratedSchema"))
    types = {f.name.lower(): f for f in evolved.fields} if isinstance(evolved, StructType) else {}
    for a in target.outputs:
        known = types.pop(a.name.lower(), None)
        yield a.name, a.type if known is None else known.type
    yield from ((f.name, f.type) for f in types.values())


_PARTS: Mapping[str, Decoder] = {
    "Assignment": assignment,
    "DeltaMergeAction": delta_action,
    "UpdateAction": clause("UPDATE"),
    "InsertAction": clause("INSERT"),
    "DeleteAction": clause("DELETE"),
    "UpdateStarAction": clause("UPDATE_STAR"),
    "InsertStarAction": clause("INSERT_STAR"),
    "DeltaMergeIntoMatchedUpdateClause": clause("UPDATE"),
    "DeltaMergeIntoMatchedDeleteClause": clause("DELETE"),
    "DeltaMergeIntoNotMatchedInsertClause": clause("INSERT"),
    "DeltaMergeIntoNotMatchedBySourceUpdateClause": clause("UPDATE"),
    "DeltaMergeIntoNotMatchedBySourceDeleteClause": clause("DELETE"),
    "Keep": instruction("output"),
    "Discard": instruction(),
    "Split": instruction("output", "otherOutput"),
    "MergeRows": merge_rows,
}
"""Clauses, and what Spark makes of them."""

CHANGES: Mapping[str, Command] = {
    **parts(_PARTS),
    "UpdateTable": Command(update, changed),
    "UpdateCommand": Command(update, changed),
    "DeleteFromTable": Command(delete, changed),
    "DeleteCommand": Command(delete, changed),
    "MergeIntoTable": Command(merge, changed),
    "MergeIntoCommand": Command(merge, changed),
    "ReplaceData": Command(row_level, changed),
    "WriteDelta": Command(row_level, changed),
}
"""What changes rows in place."""
