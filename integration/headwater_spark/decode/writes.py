"""Commands that write: what is written, where to, and under which column names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headwater_spark.decode.context import Context
from headwater_spark.decode.document import Node
from headwater_spark.ir import Write
from headwater_spark.types import StructField, StructType


@dataclass(frozen=True, slots=True)
class Command:
    """Which fields of a write command hold its query and the names of the columns written."""

    query: str = "query"
    columns: str | None = None
    table: str | None = None


COMMANDS: Mapping[str, Command] = {
    "InsertIntoHadoopFsRelationCommand": Command(columns="outputColumnNames"),
    "CreateDataSourceTableAsSelectCommand": Command(columns="outputColumnNames"),
    "InsertIntoHiveTable": Command(columns="outputColumnNames"),
    "CreateHiveTableAsSelectCommand": Command(columns="outputColumnNames"),
    "InsertIntoHiveDirCommand": Command(columns="outputColumnNames"),
    "OptimizedCreateHiveTableAsSelectCommand": Command(columns="outputColumnNames"),
    "InsertIntoDataSourceCommand": Command(table="logicalRelation"),
    "InsertIntoDataSourceDirCommand": Command(),
    "InsertIntoDir": Command(query="child"),
    "SaveIntoDataSourceCommand": Command(),
    "AppendData": Command(table="table"),
    "OverwriteByExpression": Command(table="table"),
    "OverwritePartitionsDynamic": Command(table="table"),
    "CreateTableAsSelect": Command(),
    "ReplaceTableAsSelect": Command(),
    "WriteToDataSourceV2": Command(),
    "WriteToMicroBatchDataSource": Command(),
    "WriteToMicroBatchDataSourceV1": Command(),
    "WriteToStream": Command(query="inputQuery"),
}

PLAN_CHANGES = frozenset({"DeleteFromTable", "UpdateTable", "MergeIntoTable", "ReplaceData", "WriteDelta"})
"""Commands that change rows in place: their target is known, their assignments are reported as not traced."""


def is_write(node: Node) -> bool:
    return node.name in COMMANDS


def write(node: Node, context: Context) -> Write | None:
    """The write, or None (with a problem) where its query cannot be read."""
    command = COMMANDS[node.name]
    queries = context.relations(node.get(command.query))
    if not queries:
        context.problem("UNKNOWN_RELATION", f"{node.name} without a query")
        return None
    child = queries[0]
    names = _column_names(node, command, context) or tuple(a.name for a in child.outputs)
    if len(names) != len(child.outputs):
        names = tuple(a.name for a in child.outputs)
    columns = StructType(
        tuple(StructField(name, a.type) for name, a in zip(names, child.outputs, strict=True))
    )
    target = node.extras.get("src") or {"kind": "unknown", "class": node.class_name}
    return Write(child, target, node.name, columns)


def _column_names(node: Node, command: Command, context: Context) -> tuple[str, ...]:
    if command.columns is not None and isinstance(names := node.get(command.columns), list):
        return tuple(str(n) for n in names)
    if command.table is not None:
        for relation in context.relations(node.get(command.table)):
            return tuple(a.name for a in relation.outputs)
    return ()
