"""Commands without a query that make stored data a table's, or give a table another name.

    LOAD DATA INPATH 'p' INTO TABLE t               each column of t from the one of that name at p
    ALTER TABLE t ADD PARTITION (d = 1) LOCATION 'p'
    CREATE TABLE t SHALLOW CLONE s                  each column of t from that of s
    CALL system.add_files('t', 's')                 t's rows from those of s: no columns are known
    RESTORE TABLE t TO VERSION AS OF 1              t from what it held before
    CALL system.rollback_to_snapshot('t', 7)        the same
    ALTER TABLE t RENAME TO u                       no data: u is what t was

Such a command is decoded to a write of what it reads. Whether the columns at ``p`` have those names is not known here:
a backend knows who wrote there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Mapping, Sequence
from typing import Any, NamedTuple

from headwater_plan.nodes import (
    ROW,
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
from headwater_plan.types import StructField, StructType
from headwater_spark.decode.commands import extents
from headwater_spark.decode.commands.command import Command, Effect, Measure, not_known
from headwater_spark.decode.commands.extents import with_extent
from headwater_spark.decode.context import Context, placeholder
from headwater_spark.decode.document import Node
from headwater_spark.decode.leaves import columns_of
from headwater_spark.decode.sources import below, files, unknown
from headwater_spark.decode.values import Source, class_of, identifier, mapping, table_source, v2_identifier
from headwater_spark.naming.datasets import SESSION_CATALOG

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
FORMER: frozenset[str] = frozenset(
    {
        "CherrypickSnapshotProcedure",
        "FastForwardBranchProcedure",
        "PublishChangesProcedure",
        "RollbackToSnapshotProcedure",
        "RollbackToTimestampProcedure",
        "SetCurrentSnapshotProcedure",
    }
)
"""Procedures of Iceberg that give a table what it held before, or what a branch of it holds."""
IN_PLACE = "org.apache.iceberg.spark.procedures."
"""How the names of classes begin whose other procedures leave a table's data in that table."""


def loaded(node: Node, context: Context) -> Write | Local:
    """``LOAD DATA INPATH``."""
    places = context.document.places
    path = str(node.get("path"))
    here = places.local_file(path) if node.get("isLocal") is True else places.qualified(path)
    mode = "overwrite" if node.get("isOverwrite") is True else "append"
    return _moved(node, "table", [here], mode, context, measure=extents.loaded)


def added(node: Node, context: Context) -> Write | Local:
    """``ALTER TABLE … ADD PARTITION … LOCATION``; nothing for partitions at places of the table's own."""
    pairs = node.get("partitionSpecsAndLocs") or ()
    stated = [str(pair[1]) for pair in pairs if isinstance(pair, list) and len(pair) > 1 and pair[1]]
    return _moved(
        node, "tableName", [context.document.places.qualified(each) for each in stated], "append", context
    )


def placed(node: Node, context: Context) -> Write | Local:
    """``ALTER TABLE … PARTITION … SET LOCATION``; nothing for a whole table, which is where it is put."""
    if node.get("partitionSpec") is None:
        return Local((), node.name)
    here = context.document.places.qualified(str(node.get("location")))
    return _moved(node, "tableName", [here], "append", context)


def _moved(
    node: Node, field: str, places: list[str], mode: str, context: Context, *, measure: Measure = not_known
) -> Write | Local:
    """Stored data that becomes a table's; partition columns are constants of the command."""
    if not places:
        return Local((), node.name)
    name = mapping(node.get(field))
    entry = mapping(name.get("entry"))
    table = table_source(entry) if entry else _gone(node, name, context)
    reads = [files([place], entry.get("provider")) for place in places]
    own = frozenset(entry.get("partitionColumns") or ())
    target = with_extent({**table, "mode": mode}, measure, node, context.document)
    return _write(node, target, _stored(reads, columns_of(entry, context), own))


def _gone(node: Node, name: Mapping[str, Any], context: Context) -> Source:
    """A table that the catalog no longer knows by the time that the driver asks it: where it usually is."""
    if not name:
        return unknown(node.class_name)
    _note_gone(node, context)
    place = {"location": name.get("defaultLocation"), "provider": None, "type": None}
    return {"kind": "table", "identifier": identifier(name), **place}


def _note_gone(node: Node, context: Context) -> None:
    context.problem("UNKNOWN_SOURCE", f"{node.name} of a table that is gone")


def cloned(node: Node, context: Context) -> Relation:
    """What a table is cloned from; the command above names the target."""
    source = mapping(node.get("sourceTable"))
    if "path" not in source:
        context.problem("UNKNOWN_SOURCE", node.name)
        return UnknownRelation((), (), node.name)
    table = table_source(source["table"]) if source.get("table") else {"kind": "files"}
    read = {**table, "roots": [source["path"]], "format": source.get("format")}
    return _stored([read], columns_of(source, context))


def renamed(node: Node, context: Context) -> Write | Local:
    """A table of the session's catalog under its new name; a temporary view has no database."""
    before, after = mapping(node.get("oldName")), mapping(node.get("newName"))
    if not before.get("database"):
        return Local((), node.name)
    return _renamed(node, before, after, context)


def _renamed(node: Node, before: Mapping[str, Any], after: Mapping[str, Any], context: Context) -> Write:
    """The catalog may know either name by the time that the driver asks it; or neither, and so not where the table
    lies.
    """
    known = before.get("entry") or after.get("entry")
    if not known:
        _note_gone(node, context)
        known = {"type": "VIEW" if node.get("isView") is True else "MANAGED"}
    old = _named(before, known, is_its_name="entry" in before)
    new = _named(after, known, is_its_name="entry" not in before)
    return _rename(node, new, old)


def _rename(node: Node, new: Mapping[str, Any], old: Mapping[str, Any]) -> Write:
    target = _placed({**new, "mode": "rename", "previous": old})
    return Write(Local((), node.name), target, node.name, StructType())


def _named(name: Mapping[str, Any], known: Mapping[str, Any], *, is_its_name: bool) -> Mapping[str, Any]:
    """The table under one of its two names: a place is known of the one that the catalog has."""
    usual = {} if known.get("type") == "VIEW" else {"defaultLocation": name.get("defaultLocation")}
    return {
        "kind": "table",
        "identifier": identifier(name),
        "location": known.get("location") if is_its_name else None,
        **usual,
        "provider": known.get("provider"),
        "type": known.get("type"),
    }


def v2_renamed(node: Node, context: Context) -> Write | Local:
    """A table that a V2 catalog has loaded, under its new name, which may begin with the catalog's."""
    table = below(node, "child", context.document)
    parts = [str(part) for part in node.get("newName") or ()]
    if table is None or not parts:
        return Local((), node.name)
    before = v2_identifier(table.get("catalog"), table.get("identifier"))
    own = (
        [before["database"]]
        if len(parts) == 1
        else parts[parts[0] == before["catalog"] and len(parts) > 2 : -1]
    )
    after = {**before, "table": parts[-1], "database": ".".join(filter(None, own)) or None}
    if before["catalog"] == SESSION_CATALOG and "defaultLocation" in table.extras:
        return _renamed_in_session(node, table, before, after, context)
    place = mapping(table.get("table")).get("location")
    location = context.document.places.qualified(place) if place else None
    old = {"kind": "table", "identifier": before, "location": location}
    return _rename(node, {**old, "identifier": after}, old)


def _loaded(table: Mapping[str, Any], name: Mapping[str, Any], usual: str | None) -> Mapping[str, Any] | None:
    """The entry of a table that a format has loaded: the catalog may not know the name by the time that it is asked."""
    location = table.get("location")
    if not location:
        return None
    kind = "MANAGED" if location == usual else "EXTERNAL"
    return {"catalog": name["catalog"], "type": kind, "provider": table.get("provider"), "location": location}


def _renamed_in_session(
    node: Node, table: Node, before: Mapping[str, Any], after: Mapping[str, Any], context: Context
) -> Write:
    """The new name's place is beside the former one's, in the same database."""
    usual = table.extras["defaultLocation"]
    entry = mapping(table.extras.get("entry") or _loaded(mapping(table.get("table")), before, usual))
    beside = f"{posixpath.dirname(usual)}/{after['table']}" if usual else None
    known = {"entry": entry} if entry else {}
    in_session = {"catalog": entry.get("catalog")}
    old = {**before, **in_session, "defaultLocation": usual, **known}
    return _renamed(node, old, {**after, **in_session, "defaultLocation": beside}, context)


def named_table(node: Node, _: Context) -> Local:
    """A table that a command names: nothing of it is read by that."""
    return Local((), node.name)


def called(node: Node, context: Context) -> Write | Local:
    """A stored procedure. In Spark 4 a node of its own has resolved it."""
    resolved = below(node, "procedure", context.document)
    described = mapping(node.get("procedure") if resolved is None else resolved.get("procedure"))
    class_name = class_of(described)
    name = class_name.rpartition(".")[2]
    procedure = PROCEDURES.get(name)
    given = _arguments(described.get("parameters") or (), context.expressions(node.get("args")))
    stated = described.get("catalog") if resolved is None else mapping(resolved.get("catalog")).get("name")
    if name in FORMER and "table" in given:
        return _to_former_version(node, _argument(given["table"], stated))
    if name not in FORMER and procedure is None and class_name.startswith(IN_PLACE):
        return Local((), node.name)
    if procedure is None or not {procedure.table, procedure.source} <= given.keys():
        context.problem("UNKNOWN_RELATION", class_name or node.name)
        return _write(node, unknown(class_name), UnknownRelation((), (), node.name))
    target = {**_argument(given[procedure.table], stated), "mode": "append"}
    return _write(node, target, _stored([_argument(given[procedure.source])], columns_of({}, context)))


def branched(node: Node, _: Context) -> Write | Local:
    """A branch of an Iceberg table: the table itself is its main one, which may be put to a former snapshot."""
    parts = node.get("table")
    if node.get("branch") != "main" or node.get("replace") is not True or not isinstance(parts, list):
        return Local((), node.name)
    quoted = (str(part).replace("`", "``") for part in parts)
    return _to_former_version(node, _argument(".".join(f"`{part}`" for part in quoted)))


def restored(node: Node, context: Context) -> Write | Local:
    """A Delta table that is given back what it held at a version."""
    table = mapping(node.get("sourceTable"))
    if not table.get("location"):
        context.problem("UNKNOWN_RELATION", node.name)
        return Local((), node.name)
    place = files([context.document.places.qualified(str(table["location"]))], table.get("provider"))
    return _to_former_version(node, place)


def _to_former_version(node: Node, table: Source) -> Write:
    """A table made of what it held at some time: the document does not tell when."""
    rows = Read((Attribute(ROW, "", StructType()),), table, at=0)
    return _write(node, {**table, "mode": "append"}, rows)


def _stored(places: Sequence[Source], columns: tuple[Attribute, ...], own: Container[str] = ()) -> Relation:
    """The columns of the places that data is taken from, and among them those that are of the target alone."""
    kept = tuple(a for a in columns if a.name not in own)
    reads = tuple(Read(kept, place) for place in places)
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


def _write(node: Node, target: Source, child: Relation) -> Write:
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


def _argument(name: str, catalog: str | None = None) -> Mapping[str, Any]:
    """The table, or the files, that a procedure's argument names; one of two parts is in the given catalog."""
    parts = [quoted.replace("``", "`") or plain for quoted, plain in _PART.findall(name)]
    if len(parts) > 1 and parts[0].lower() in _FILES:
        return {"kind": "files", "roots": [parts[-1]], "format": parts[0].lower()}
    own = parts[0] if len(parts) > 2 else catalog or SESSION_CATALOG
    database = parts[1:-1] if len(parts) > 2 else parts[:-1]
    identifier = {"table": parts[-1], "database": ".".join(database) or "default", "catalog": own}
    return {"kind": "table", "identifier": identifier}


MOVES: Mapping[str, Command] = {
    "LoadDataCommand": Command(loaded),
    "AlterTableAddPartitionCommand": Command(added, effect=Effect.ALTER),
    "AlterTableSetLocationCommand": Command(placed, effect=Effect.ALTER),
    "AlterTableRenameCommand": Command(renamed, effect=Effect.ALTER),
    "RenameTable": Command(v2_renamed),
    "ResolvedTable": Command(named_table),
    "ResolvedProcedure": Command(named_table),
    "CloneTableCommand": Command(cloned),
    "RestoreTableCommand": Command(restored),
    "CreateOrReplaceBranch": Command(branched, effect=Effect.CREATE),
    "Call": Command(called),
}
"""What moves data or names."""
