"""Commands that write: what is written, where to, and under which column names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
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
from headwater_spark.decode.commands import extents, targets
from headwater_spark.decode.commands.command import Command, Effect, Measure, not_known
from headwater_spark.decode.commands.extents import with_extent
from headwater_spark.decode.commands.replaced_rows import with_replaced_rows
from headwater_spark.decode.context import Context, constant, text_of
from headwater_spark.decode.document import Node
from headwater_spark.decode.sources import BY_PROGRAM, WHAT_PROGRAM_DOES, Describer, unknown
from headwater_spark.decode.values import Source, constant_name, is_name, mapping, options_of, table_source


@dataclass(frozen=True, slots=True)
class Written:
    """Which fields of a command hold its query and the names of the columns written, and the partition's constants."""

    target: Describer
    query: str
    columns: str | None
    table: str | None
    partition: str | None
    extent: Measure


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


def is_command(node: Node) -> bool:
    """Whether the node is a command at all: something that is run for what it does."""
    package = node.class_name.rpartition(".")[0]
    return node.name.endswith("Command") or package.endswith((".command", ".commands"))


def write(node: Node, command: Written, context: Context) -> Write | None:
    """The write, or None (with a problem) where its query cannot be read."""
    queries = context.relations(node.get(command.query))
    if not queries:
        context.problem("UNKNOWN_RELATION", f"{node.name} without a query")
        return None
    child = _with_static_partitions(node, command, with_rows(queries[0]), context)
    fixed = child.outputs[len(queries[0].outputs) :]
    names = (*_column_names(node, command, context), *(a.name for a in fixed))
    if len(names) != len(child.outputs):
        names = tuple(a.name for a in child.outputs)
    columns = StructType(
        tuple(StructField(name, a.type) for name, a in zip(names, child.outputs, strict=True))
    )
    target = _with_topic(command.target(node, context.document) or unknown(node.class_name), child)
    if target.get(BY_PROGRAM):
        context.problem("UNKNOWN_SOURCE", WHAT_PROGRAM_DOES)
    target = targets.with_condition(target, node)
    child = with_replaced_rows(node, child, target, context)
    target = with_extent(target, command.extent, node, context.document)
    return Write(child, target, node.name, columns, _options(node))


def _options(node: Node) -> tuple[tuple[str, str], ...]:
    """What the command was given, or stands in the table that it creates."""
    kept = (mapping(node.get(field)).get("options") for field in ("table", "tableDesc", "storage"))
    given = map(options_of, (*kept, node.get("options"), node.get("writeOptions")))
    return tuple(chain.from_iterable(each.items() for each in given))


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
    if node.name in WITHOUT_DATA or not (inputs or _may_move(node)):
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


def _with_static_partitions(node: Node, command: Written, child: Relation, context: Context) -> Relation:
    """The query with the constants of ``PARTITION (day = '…')``, which a Hive insert keeps beside its query."""
    if command.partition is None:
        return child
    entries = (node.get(command.partition) or {}).get("m") or ()
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


def _column_names(node: Node, command: Written, context: Context) -> tuple[str, ...]:
    if command.columns is not None and isinstance(names := node.get(command.columns), list):
        return tuple(str(n[0] if isinstance(n, list) else n) for n in names)
    if command.table is not None:
        for relation in context.relations(node.get(command.table)):
            return tuple(a.name for a in relation.outputs)
    return ()


def writing(
    target: Describer,
    *,
    query: str = "query",
    columns: str | None = None,
    table: str | None = None,
    partition: str | None = None,
    extent: Measure = not_known,
    effect: Effect | None = None,
    inserts: bool = False,
    only_if: Callable[[Node], bool] = lambda _: True,
) -> Command:
    """The row of a command that writes what a query gives, if the node is one that does."""
    command = Written(target, query, columns, table, partition, extent)

    def decode(node: Node, context: Context) -> Write | Local | None:
        return write(node, command, context) if only_if(node) else Local((), node.name)

    return Command(decode, target, extent, effect, inserts)


def _outlives_the_session(node: Node) -> bool:
    """Whether a view is none of the session's."""
    return constant_name(node.get("viewType")) == "PersistedView"


_NAMES = "outputColumnNames"
_OVERWRITE = targets.v2_written("overwrite")
_NEW = Effect.CREATE

WRITES: Mapping[str, Command] = {
    "InsertIntoHadoopFsRelationCommand": writing(
        targets.files_or_table, columns=_NAMES, extent=extents.to_files
    ),
    "CreateDataSourceTableAsSelectCommand": writing(
        targets.created("table"), columns=_NAMES, extent=extents.created("table"), effect=_NEW, inserts=True
    ),
    "InsertIntoHiveTable": writing(
        targets.existing("table"), columns=_NAMES, partition="partition", extent=extents.to_hive
    ),
    "CreateHiveTableAsSelectCommand": writing(
        targets.created("tableDesc"),
        columns=_NAMES,
        extent=extents.created("tableDesc"),
        effect=_NEW,
        inserts=True,
    ),
    "OptimizedCreateHiveTableAsSelectCommand": writing(
        targets.created("tableDesc"), columns=_NAMES, extent=extents.created("tableDesc"), inserts=True
    ),
    "InsertIntoHiveDirCommand": writing(targets.directory, columns=_NAMES, extent=extents.to_directory),
    "SaveAsV1TableCommand": writing(
        targets.created("tableDesc"), extent=extents.created("tableDesc"), effect=_NEW, inserts=True
    ),
    "CreateViewCommand": writing(
        targets.view,
        query="plan",
        columns="userSpecifiedColumns",
        extent=extents.view,
        effect=_NEW,
        only_if=_outlives_the_session,
    ),
    "InsertIntoDataSourceCommand": writing(
        targets.inserted, table="logicalRelation", extent=extents.inserted
    ),
    "InsertIntoDataSourceDirCommand": writing(targets.directory, extent=extents.to_directory),
    "InsertIntoDir": writing(targets.directory, query="child"),
    "SaveIntoDataSourceCommand": writing(targets.saved, extent=extents.saved),
    "AppendData": writing(targets.v2_written("append"), table="table"),
    "OverwriteByExpression": writing(_OVERWRITE, table="table", extent=extents.v2_overwritten),
    "OverwritePartitionsDynamic": writing(_OVERWRITE, table="table", extent=extents.some_parts),
    "DeltaDynamicPartitionOverwriteCommand": writing(_OVERWRITE, table="table", extent=extents.some_parts),
    "CreateTableAsSelect": writing(targets.v2_created, extent=extents.v2_created, effect=_NEW, inserts=True),
    "ReplaceTableAsSelect": writing(
        targets.v2_replaced, extent=extents.v2_replaced, effect=Effect.OVERWRITE, inserts=True
    ),
    "WriteToDataSourceV2": writing(targets.continuous),
    "WriteToContinuousDataSource": writing(targets.continuous),
    "WriteToMicroBatchDataSource": writing(targets.streamed),
    "WriteToMicroBatchDataSourceV1": writing(targets.streamed),
    "WriteToStream": writing(targets.streamed, query="inputQuery"),
    "WriteIntoDelta": writing(targets.delta, query="data"),
    "CreateDeltaTableCommand": writing(targets.created("table"), effect=_NEW),
}
"""What writes the rows of a query, by Catalyst's class."""
