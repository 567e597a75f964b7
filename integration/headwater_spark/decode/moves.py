"""Commands without a query that make stored data a table's, or give a table another name.

    LOAD DATA INPATH 'p' INTO TABLE t               each column of t from the one of that name at p
    ALTER TABLE t ADD PARTITION (d = 1) LOCATION 'p'
    CREATE TABLE t SHALLOW CLONE s                  each column of t from that of s
    CALL system.add_files('t', 's')                 t's rows from those of s: no columns are known
    ALTER TABLE t RENAME TO u                       no data: u is what t was

Such a command is decoded to a write of what it reads. Whether the columns at ``p`` have those names is not known here:
a backend knows who wrote there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from headwater_spark.decode.context import Context, Decoder, placeholder
from headwater_spark.decode.document import Node
from headwater_spark.decode.relations import columns_of
from headwater_spark.ir import (
    Attribute,
    Column,
    Definition,
    Expression,
    Literal,
    Local,
    Project,
    Read,
    Relation,
    Union,
    UnknownRelation,
    Write,
)
from headwater_spark.naming.datasets import SESSION_CATALOG
from headwater_spark.types import StructField, StructType

_PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")
_FILES = frozenset({"avro", "orc", "parquet"})


class Procedure(NamedTuple):
    """The parameters of a procedure that name the table which it fills, and what it fills it from."""

    table: str
    source: str


PROCEDURES: Mapping[str, Procedure] = {
    "AddFilesProcedure": Procedure("table", "source_table"),
    "SnapshotTableProcedure": Procedure("table", "source_table"),
}
"""Procedures of Iceberg that make data of elsewhere a table's."""
IN_PLACE = "org.apache.iceberg.spark.procedures."
"""How the names of classes begin whose other procedures leave a table's data in that table."""


def moved(node: Node, context: Context) -> Write | Local:
    """Stored data that becomes a table's; partition columns are constants of the command."""
    source = node.extras.get("src") or {}
    if not source.get("from"):
        return Local((), node.name)
    return _write(node, source, _stored(source, context))


def cloned(node: Node, context: Context) -> Relation:
    """What a table is cloned from; the command above says where to."""
    source = node.extras.get("src") or {}
    if not source.get("from"):
        context.problem("UNKNOWN_SOURCE", node.name)
        return UnknownRelation((), (), node.name)
    return _stored({**source, "partitionColumns": ()}, context)


def renamed(node: Node, _: Context) -> Write | Local:
    """A table under its new name, with the former one as ``previous``."""
    target = node.extras.get("src")
    if not target:
        return Local((), node.name)
    return Write(Local((), node.name), _placed(target), node.name, StructType())


def named_table(node: Node, _: Context) -> Local:
    """A table that a command names: nothing of it is read by that."""
    return Local((), node.name)


def called(node: Node, context: Context) -> Write | Local:
    """A stored procedure."""
    source = node.extras.get("src") or {}
    class_name = str(source.get("class") or "")
    procedure = PROCEDURES.get(class_name.rpartition(".")[2])
    if procedure is None and class_name.startswith(IN_PLACE):
        return Local((), node.name)
    given = _arguments(source.get("parameters") or (), context.expressions(node.get("args")))
    if procedure is None or not {procedure.table, procedure.source} <= given.keys():
        context.problem("UNKNOWN_RELATION", class_name or node.name)
        return _write(node, {"kind": "unknown", "class": class_name}, UnknownRelation((), (), node.name))
    target = {**_named(given[procedure.table], source.get("catalog")), "mode": "append"}
    return _write(node, target, _stored({"from": [_named(given[procedure.source])]}, context))


def _stored(source: Mapping[str, Any], context: Context) -> Relation:
    """The columns of the places that data is taken from, and after them the columns that are of the target alone."""
    columns = columns_of(source, context)
    own = set(source.get("partitionColumns") or ())
    kept = tuple(a for a in columns if a.name not in own)
    reads = tuple(Read(kept, place) for place in source["from"])
    child: Relation = reads[0] if len(reads) == 1 else Union(kept, reads)
    if len(kept) == len(columns):
        return child
    definitions = tuple(Definition(a, _constant(a) if a.name in own else _column(a)) for a in columns)
    return Project(columns, child, definitions)


def _constant(a: Attribute) -> Literal:
    hidden = placeholder(a.type)
    return Literal(None, a.type, hidden, hidden)


def _column(a: Attribute) -> Column:
    return Column(a.id, a.name, a.type)


def _write(node: Node, source: Mapping[str, Any], child: Relation) -> Write:
    target = {key: value for key, value in source.items() if key not in ("from", "columns")}
    columns = StructType(tuple(StructField(a.name, a.type) for a in child.outputs))
    return Write(child, target, node.name, columns)


def _placed(target: Mapping[str, Any]) -> Mapping[str, Any]:
    """Only a managed table of the session's catalog changes its place with its name; Iceberg's stay even so."""
    before = target.get("previous") or {}
    follows_name = target.get("type") == "MANAGED" and "iceberg" not in str(target.get("provider") or "")
    if follows_name and target.get("defaultLocation"):
        return target
    place = {"location": before.get("location") or target.get("location"), "defaultLocation": None}
    return {**target, **place, "previous": {**before, **place}}


def _arguments(parameters: Sequence[Any], values: Sequence[Expression]) -> dict[str, str]:
    """The constant arguments by the names of their parameters."""
    pairs = zip(parameters, values, strict=False)
    return {
        str(name): str(value.value) for name, value in pairs if isinstance(value, Literal) and value.value
    }


def _named(name: str, catalog: str | None = None) -> Mapping[str, Any]:
    """The table, or the files, that a procedure's argument names; one of two parts is in the given catalog."""
    parts = [quoted.replace("``", "`") or plain for quoted, plain in _PART.findall(name)]
    if len(parts) > 1 and parts[0].lower() in _FILES:
        return {"kind": "files", "roots": [parts[-1]], "format": parts[0].lower()}
    own = parts[0] if len(parts) > 2 else catalog or SESSION_CATALOG
    database = parts[1:-1] if len(parts) > 2 else parts[:-1]
    identifier = {"table": parts[-1], "database": ".".join(database) or "default", "catalog": own}
    return {"kind": "table", "identifier": identifier}


MOVES: Mapping[str, Decoder] = {
    "LoadDataCommand": moved,
    "AlterTableAddPartitionCommand": moved,
    "AlterTableSetLocationCommand": moved,
    "AlterTableRenameCommand": renamed,
    "RenameTable": renamed,
    "ResolvedTable": named_table,
    "CloneTableCommand": cloned,
    "Call": called,
}
"""Decoders of what moves data or names."""
