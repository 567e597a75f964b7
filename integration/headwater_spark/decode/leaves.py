"""Leaves of a plan: datasets where the driver describes one, values of the program, and RDDs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from headwater_plan.nodes import (
    ROW,
    Attribute,
    Column,
    Definition,
    Local,
    Member,
    OpaqueCall,
    OpaqueRelation,
    Project,
    Read,
    Relation,
    Rows,
)
from headwater_plan.types import UNKNOWN, ArrayType, DataType, StructType, parse_type
from headwater_spark.decode.code.rdd import rows_call
from headwater_spark.decode.context import Context
from headwater_spark.decode.document import Node
from headwater_spark.decode.folders import stored
from headwater_spark.decode.jdbc import query_text
from headwater_spark.decode.sources import BY_PROGRAM, WHAT_PROGRAM_DOES, source_of, unknown
from headwater_spark.decode.table_columns import with_table_columns
from headwater_spark.decode.values import Source, mapping
from headwater_spark.guard import Failure, guarded

_OF_RDDS: Final = ("LogicalRDD", "ExternalRDD")
_ROWS: Final = {
    **dict.fromkeys((*_OF_RDDS, "LocalRelation", "Transpose"), Rows.DATA),
    "Range": Rows.RANGE,
}
"""Leaves whose rows the program makes. A frame is collected to be transposed."""
_COUNTED: Final = {(0, 1), (1, 1)}
"""Where a range that only counts begins, and its step."""


def leaf(node: Node, context: Context) -> Relation:
    """A leaf: a dataset when its fields name one, else values of the program."""
    outputs = context.outputs(node) or ()
    source = source_of(node, context.document)
    match source.get("kind"):
        case "memory" if node.name == "MemoryPlan":
            return _rows_in_sink(source, outputs, node, context)
        case "memory":
            handed_in = bool(source.get("handedIn", node.name in _OF_RDDS))
            return Local(outputs, node.name, handed_in, _rows_of(node))
        case "rdd":
            return _rdd(source, outputs, node, context)
        case "jdbc" if query := query_text(source):
            return _query(query, outputs, source, context)
        case _ if source.get(BY_PROGRAM):
            return _by_program(source, outputs, context)
        case "unknown":
            context.problem("UNKNOWN_SOURCE", str(source.get("class", node.class_name)))
            return Read(outputs, source, context.reads_at(source))
        case _:
            if source.get("partial"):
                context.problem("TRUNCATED", "what is read below more folders than are listed")
            return with_table_columns(outputs, source, context)


def _rows_of(node: Node) -> Rows:
    """What the rows are. Numbers that count from anything but 0 or 1 are values that the program gave."""
    if node.name == "Range" and (node.get("start"), node.get("step")) not in _COUNTED:
        return Rows.DATA
    return _ROWS.get(node.name, Rows.TEXT)


def _rows_in_sink(source: Source, outputs: tuple[Attribute, ...], node: Node, context: Context) -> Relation:
    """The rows that a streaming query has put into a memory sink."""
    if (found := context.rows_in_sink(source.get("instance"), outputs)) is not None:
        return found
    context.problem("UNKNOWN_SOURCE", "the table of a memory sink, whose query was not seen")
    described = unknown(node.class_name)
    return Read(outputs, described, context.reads_at(described))


def rdd_relation(source: Source, outputs: tuple[Attribute, ...], context: Context) -> Relation:
    """An RDD over the places that it goes back to; what it did with them is not known."""
    if not source.get("inputs"):
        context.problem("RDD", "an RDD without known inputs")
        return OpaqueRelation(outputs, (), "RDD", "RDD", "RDD")
    known = "some of its inputs" if source.get("partial") else "its inputs"
    context.problem("RDD", f"an RDD: {known} are known, what it did is not")
    reads = tuple(_read_by_rdd(each, context) for each in source["inputs"])
    return OpaqueRelation(outputs, reads, "RDD", "RDD", "RDD")


def _rdd(source: Source, outputs: tuple[Attribute, ...], node: Node, context: Context) -> Relation:
    """An RDD of rows that Spark kept, of those of a frame, or of others."""
    if (kept := context.kept_rows(source.get("id"), outputs)) is not None:
        return kept
    described = mapping(node.get("rdd"))
    if rows := context.relations(described):
        return _rows_of_frame(rows[0], described.get("functions") or (), outputs, context)
    return rdd_relation(source, outputs, context)


def _rows_of_frame(
    rows: Relation, functions: Sequence[Any], outputs: tuple[Attribute, ...], context: Context
) -> Relation:
    """What functions of Python made of the rows of a frame that the program took as an RDD."""
    call = rows_call(functions, rows.outputs, outputs)
    if isinstance(call, OpaqueCall):
        context.problem("RDD", "an RDD: its inputs are known, what it did is not")
    return OpaqueRelation(outputs, (rows,), call.name, "RDD", f"RDD({call.name})", function=call)


def _by_program(source: Source, outputs: tuple[Attribute, ...], context: Context) -> Relation:
    """What a data source in Python gives: where it was asked to read is known, what it read is not."""
    context.problem("UNKNOWN_SOURCE", WHAT_PROGRAM_DOES)
    place = Read((Attribute(ROW, "", StructType()),), source, context.reads_at(source))
    name = str(source.get("format") or "Python")
    return OpaqueRelation(outputs, (place,), name, "UNKNOWN_SOURCE", f"data source {name}")


def _query(
    query: str, outputs: tuple[Attribute, ...], source: Mapping[str, Any], context: Context
) -> Relation:
    """What a database answered: by the query where that is understood, else anything of the tables that it names."""
    places = [{**source, "dbtable": table} for table in source.get("tables") or ()]
    understood = guarded(lambda: _translated(query, outputs, source, context))
    if not isinstance(understood, Failure):
        return understood
    if not places:
        context.problem("UNKNOWN_SOURCE", "a query that a database answers, which is not understood")
        return Read(outputs, source, context.reads_at(source))
    context.problem(
        "UNKNOWN_SOURCE", "a query that a database answers: its tables are known, what it did is not"
    )
    reads = tuple(
        Read((Attribute(ROW, "", StructType()),), place, context.reads_at(place)) for place in places
    )
    return OpaqueRelation(outputs, reads, "SQL", "UNKNOWN_SOURCE", "JDBC query")


def _translated(
    query: str, outputs: tuple[Attribute, ...], source: Mapping[str, Any], context: Context
) -> Relation:
    from headwater_spark.decode.database_query import relation_of  # noqa: PLC0415 - few jobs need a parser of SQL

    return relation_of(query, source, outputs, context)


def _read_by_rdd(source: Mapping[str, Any], context: Context) -> Relation:
    """What an RDD reads of a place: of nested columns those members alone that its scan takes out of them."""
    read = stored(columns_of(source, context), source, context)
    taken = [e for a in read.outputs for e in _innermost(Column(a.id, a.name, a.type), a.type)]
    if all(isinstance(e, Column) for e in taken):
        return read
    definitions = tuple(
        Definition(
            Attribute(e.id if isinstance(e, Column) else next(context.own_ids), e.name, e.type or UNKNOWN), e
        )
        for e in taken
    )
    return Project(tuple(d.attribute for d in definitions), read, definitions)


def _innermost(e: Column | Member, data_type: DataType, *, each: bool = False) -> Iterator[Column | Member]:
    """The expression itself, or of a struct or an array of structs the innermost members."""
    element = data_type.element if isinstance(data_type, ArrayType) and not each else data_type
    if not isinstance(element, StructType) or not element.fields:
        yield e
        return
    each = each or isinstance(data_type, ArrayType)
    for f in element.fields:
        yield from _innermost(Member(e, f.name, each, f.type), f.type, each=each)


def columns_of(source: Mapping[str, Any], context: Context) -> tuple[Attribute, ...]:
    """The columns that a source states, as attributes of their own; its rows where they are not known."""
    known = parse_type(source.get("columns"))
    if not isinstance(known, StructType) or not known.fields:
        return (Attribute(ROW, "", StructType()),)
    return tuple(Attribute(next(context.own_ids), f.name, f.type) for f in known.fields)
