"""Commands that write: what is written, where to, and under which column names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from headwater_plan.nodes import (
    ROW,
    Attribute,
    Column,
    DecodedPlan,
    Definition,
    Literal,
    Local,
    OpaqueRelation,
    Project,
    Read,
    Relation,
    UnknownRelation,
    Write,
)
from headwater_plan.types import AtomicType, StructField, StructType
from headwater_spark.decode.commands import targets
from headwater_spark.decode.commands.extents import with_extent
from headwater_spark.decode.commands.replaced_rows import with_replaced_rows
from headwater_spark.decode.context import Context, constant, text_of
from headwater_spark.decode.document import Node
from headwater_spark.decode.sources import Describer, unknown
from headwater_spark.decode.values import Source, constant_name, is_name, table_source


@dataclass(frozen=True, slots=True)
class Command:
    """A write command: its target, and which fields hold its query and the names of the columns written."""

    target: Describer
    query: str = "query"
    columns: str | None = None
    table: str | None = None


COMMANDS: Mapping[str, Command] = {
    "InsertIntoHadoopFsRelationCommand": Command(targets.files_or_table, columns="outputColumnNames"),
    "CreateDataSourceTableAsSelectCommand": Command(targets.created("table"), columns="outputColumnNames"),
    "InsertIntoHiveTable": Command(targets.existing("table"), columns="outputColumnNames"),
    "CreateHiveTableAsSelectCommand": Command(targets.created("tableDesc"), columns="outputColumnNames"),
    "InsertIntoHiveDirCommand": Command(targets.directory, columns="outputColumnNames"),
    "OptimizedCreateHiveTableAsSelectCommand": Command(
        targets.created("tableDesc"), columns="outputColumnNames"
    ),
    "SaveAsV1TableCommand": Command(targets.created("tableDesc")),
    "CreateViewCommand": Command(targets.view, query="plan", columns="userSpecifiedColumns"),
    "InsertIntoDataSourceCommand": Command(targets.inserted, table="logicalRelation"),
    "InsertIntoDataSourceDirCommand": Command(targets.directory),
    "InsertIntoDir": Command(targets.directory, query="child"),
    "SaveIntoDataSourceCommand": Command(targets.saved),
    "AppendData": Command(targets.v2_written("append"), table="table"),
    "OverwriteByExpression": Command(targets.v2_written("overwrite"), table="table"),
    "OverwritePartitionsDynamic": Command(targets.v2_written("overwrite"), table="table"),
    "DeltaDynamicPartitionOverwriteCommand": Command(targets.v2_written("overwrite"), table="table"),
    "CreateTableAsSelect": Command(targets.v2_created),
    "ReplaceTableAsSelect": Command(targets.v2_replaced),
    "WriteToDataSourceV2": Command(targets.continuous),
    "WriteToMicroBatchDataSource": Command(targets.streamed),
    "WriteToMicroBatchDataSourceV1": Command(targets.streamed),
    "WriteToStream": Command(targets.streamed, query="inputQuery"),
    "WriteIntoDelta": Command(targets.delta, query="data"),
    "CreateDeltaTableCommand": Command(targets.created("table")),
}
"""What writes, by Catalyst's class."""

WITHOUT_DATA = frozenset(
    {
        "AlterViewAsCommand",
        "AnalyzeColumnCommand",
        "CacheTable",
        "CacheTableAsSelect",
        "DescribeQueryCommand",
        "ExplainCommand",
        "SetCommand",
    }
)
"""Commands that hold a plan and write no dataset."""


WITHIN_A_TABLE = (
    "Alter",
    "Analyze",
    "Convert",
    "Describe",
    "Drop",
    "Generate",
    "List",
    "Optimize",
    "Refresh",
    "Restore",
    "Set",
    "Show",
    "Upgrade",
    "Vacuum",
)
"""How the names of connectors' commands begin that leave each table's data in that table."""

_FIRST_OWN_ID = -1_000
"""Expression ids for attributes that the plan has not: below all that mean something."""


def is_write(node: Node) -> bool:
    """Whether the node writes a dataset in a way that is known. A temporary view is none."""
    if node.name == "CreateViewCommand":
        return constant_name(node.get("viewType")) == "PersistedView"
    return node.name in COMMANDS


def is_command(node: Node) -> bool:
    """Whether the node is a command at all: something that is run for what it does."""
    package = node.class_name.rpartition(".")[0]
    return node.name.endswith("Command") or package.endswith((".command", ".commands"))


def write(node: Node, context: Context) -> Write | None:
    """The write, or None (with a problem) where its query cannot be read."""
    command = COMMANDS[node.name]
    queries = context.relations(node.get(command.query))
    if not queries:
        context.problem("UNKNOWN_RELATION", f"{node.name} without a query")
        return None
    child = _with_static_partitions(node, with_rows(queries[0]), context)
    fixed = child.outputs[len(queries[0].outputs) :]
    names = (*_column_names(node, command, context), *(a.name for a in fixed))
    if len(names) != len(child.outputs):
        names = tuple(a.name for a in child.outputs)
    columns = StructType(
        tuple(StructField(name, a.type) for name, a in zip(names, child.outputs, strict=True))
    )
    target = _with_topic(command.target(node, context.document) or unknown(node.class_name), child)
    target = targets.with_condition(target, node)
    child = with_replaced_rows(node, child, target, context)
    return Write(child, with_extent(target, node, context.document), node.name, columns)


def written_by_step(step: DecodedPlan, command: str, target: Source) -> DecodedPlan:
    """The plan of a step as the command's write: in it are the columns that the table computes itself, too."""
    if step.relation is None or step.write is not None:
        return step
    columns = StructType(tuple(StructField(a.name, a.type) for a in step.relation.outputs))
    return replace(step, write=Write(step.relation, target, command, columns))


def with_rows(query: Relation) -> Relation:
    """The query; of an RDD whose columns are not known, its rows as a whole."""
    if isinstance(query, OpaqueRelation) and not query.outputs:
        return replace(query, outputs=(Attribute(_FIRST_OWN_ID, "", StructType()),))
    return query


def _with_topic(target: Mapping[str, Any], child: Relation) -> Mapping[str, Any]:
    """The Kafka sink with the topic that the rows name in a column, where that is a constant."""
    if target.get("kind") != "kafka" or target.get("topic") or not isinstance(child, Project):
        return target
    made = (each.expression for each in child.definitions if each.attribute.name.lower() == "topic")
    named = next(made, None)
    return {**target, "topic": str(named.value)} if isinstance(named, Literal) and named.value else target


def unknown_command(node: Node, context: Context) -> Write | Relation:
    """A command that is not known: it may have written anything of what is below it, or of the tables that it names."""
    inputs = context.relations(list(node.fields.values()))
    if node.name in WITHOUT_DATA or node.name in COMMANDS or not (inputs or _may_move(node)):
        return Local((), node.name)
    context.problem("UNKNOWN_RELATION", node.name)
    target, *others = ([] if inputs else _tables(node)) or [unknown(node.class_name)]
    inputs = inputs or tuple(Read((Attribute(ROW, "", StructType()),), each) for each in others)
    outputs = tuple(
        Attribute(_FIRST_OWN_ID - i, a.name, a.type)
        for i, a in enumerate(inputs[0].outputs if inputs else ())
    )
    child = UnknownRelation(outputs, inputs, node.name)
    columns = StructType(tuple(StructField(a.name, a.type) for a in outputs))
    return Write(child, target, node.name, columns)


def _may_move(node: Node) -> bool:
    """Whether a command without a query may put data into a table: Spark's own are known, others go by their names."""
    is_own = node.class_name.startswith("org.apache.spark.sql.") and ".delta." not in node.class_name
    return not (is_own or node.name.startswith(WITHIN_A_TABLE))


def _tables(node: Node) -> list[Source]:
    """The tables of the session's catalog that a command names."""
    return [table_source(each) for each in node.fields.values() if is_name(each)]


def _with_static_partitions(node: Node, child: Relation, context: Context) -> Relation:
    """The query with the constants of ``PARTITION (day = '…')``, which a Hive insert keeps beside its query."""
    if node.name != "InsertIntoHiveTable":
        return child
    entries = (node.get("partition") or {}).get("m") or ()
    string = AtomicType("string")
    fixed = tuple(
        Definition(
            Attribute(_FIRST_OWN_ID - i, str(name), string),
            constant(value, string, text_of(value), context.constants),
        )
        for i, (name, value) in enumerate(entries)
        if value is not None
    )
    if not fixed:
        return child
    kept = tuple(Definition(a, Column(a.id, a.name, a.type)) for a in child.outputs)
    outputs = tuple(each.attribute for each in (*kept, *fixed))
    return Project(outputs, child, (*kept, *fixed))


def _column_names(node: Node, command: Command, context: Context) -> tuple[str, ...]:
    if command.columns is not None and isinstance(names := node.get(command.columns), list):
        return tuple(str(n[0] if isinstance(n, list) else n) for n in names)
    if command.table is not None:
        for relation in context.relations(node.get(command.table)):
            return tuple(a.name for a in relation.outputs)
    return ()
