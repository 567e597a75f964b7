"""Commands that give a column of a stored table another name: the table is made anew of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from headwater_plan.nodes import Attribute, Cast, Column, Definition, Expression, Local, Project, Read, Write
from headwater_plan.types import ArrayType, DataType, MapType, StructField, StructType
from headwater_spark.decode.commands.command import Command
from headwater_spark.decode.context import Context
from headwater_spark.decode.document import Node
from headwater_spark.decode.sources import below, v2_relation
from headwater_spark.decode.values import mapping


def column_renamed(node: Node, context: Context) -> Write | Local:
    """``ALTER TABLE … RENAME COLUMN a.b TO c``: each column of the table from itself, that one from its former name."""
    table = below(node, "table", context.document)
    column = below(node, "column", context.document)
    columns = () if table is None else context.attributes(table.get("outputAttributes"))
    path = () if column is None else _path(column)
    name = str(node.get("newName") or "")
    if table is None or not columns or not all((*path, name)):
        context.problem("UNKNOWN_RELATION", node.name)
        return Local((), node.name)
    source = v2_relation(table, context.document)
    definitions = tuple(_definition(each, path, name, context) for each in columns)
    outputs = tuple(each.attribute for each in definitions)
    child = Project(outputs, Read(columns, source, context.reads_at(source)), definitions)
    schema = StructType(tuple(StructField(each.name, each.type) for each in outputs))
    return Write(child, {**source, "mode": "append"}, node.name, schema)


def _path(column: Node) -> tuple[str, ...]:
    """The names of the structs that a field is in, and its own."""
    own = mapping(mapping(column.get("field")).get("a")).get("name")
    return (*map(str, column.get("path") or ()), str(own or ""))


def _definition(a: Attribute, path: Sequence[str], name: str, context: Context) -> Definition:
    """What the column is made of; a struct with another name for a member is its cast, which goes by position."""
    itself: Expression = Column(a.id, a.name, a.type)
    if a.name.casefold() != path[0].casefold():
        return Definition(a, itself)
    own = next(context.own_ids)
    if len(path) == 1:
        return Definition(Attribute(own, name, a.type), itself)
    renamed = _renamed(a.type, path[1:], name)
    return Definition(Attribute(own, a.name, renamed), Cast(itself, renamed, renamed))


def _renamed(kind: DataType, path: Sequence[str], name: str) -> DataType:
    """The type with another name for the member at the path."""
    if isinstance(kind, StructType):
        return StructType(tuple(_member(each, path, name) for each in kind.fields))
    match kind, path[0]:
        case ArrayType(), "element":
            return replace(kind, element=_renamed(kind.element, path[1:], name))
        case MapType(), "key":
            return replace(kind, key=_renamed(kind.key, path[1:], name))
        case MapType(), "value":
            return replace(kind, value=_renamed(kind.value, path[1:], name))
        case _:
            return kind


def _member(field: StructField, path: Sequence[str], name: str) -> StructField:
    if field.name.casefold() != path[0].casefold():
        return field
    if len(path) == 1:
        return replace(field, name=name)
    return replace(field, type=_renamed(field.type, path[1:], name))


COLUMNS: Mapping[str, Command] = {"RenameColumn": Command(column_renamed)}
"""What changes the names of columns."""
