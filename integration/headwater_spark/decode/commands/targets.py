"""What a command writes: its fields as a target, which is a source with the ``mode`` in which it is written."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

from headwater_spark.decode.document import Node, PlanDocument, references
from headwater_spark.decode.jdbc import jdbc
from headwater_spark.decode.sources import (
    Describer,
    below,
    files,
    is_in_memory,
    is_kafka,
    kafka,
    logical_relation,
    separator,
    sink_in_memory,
    unknown,
    v2_place,
    v2_relation,
)
from headwater_spark.decode.values import (
    Source,
    catalog_table,
    class_of,
    constant_name,
    identifier,
    mapping,
    options_of,
    table_source,
    v2_identifier,
)


def files_or_table(node: Node, document: PlanDocument) -> Source:
    """Files at a path, which may be a table's."""
    attributes = (document.nodes[i] for i in references(node.get("partitionColumns")))
    columns = [str(each.extras.get("n")) for each in attributes]
    target = catalog_table(node.get("catalogTable")) or {"kind": "files", "partitionColumns": columns}
    file_format = mapping(node.get("fileFormat"))
    return {
        **target,
        "roots": [document.places.qualified(str(node.get("outputPath")))],
        "format": file_format.get("format") or class_of(file_format),
        **separator(options_of(node.get("options"))),
        **_mode(node),
    }


def created(field: str) -> Describer:
    """A table of the session's catalog that the command creates, unless it appends to one that exists."""

    def describe(node: Node, _: PlanDocument) -> Source | None:
        stated = mapping(node.get(field))
        if not stated:
            return None
        mode = _mode(node)
        if mode["mode"] == "append" and stated.get("entry"):
            return {**table_source(stated["entry"]), **mode}
        new = (
            stated.get("location") is None
            and stated.get("defaultLocation") is not None
            and not stated.get("entry")
        )
        return {**table_source(stated), "location": _location(stated), "isNew": new, **mode}

    return describe


def _location(stated: Mapping[str, Any]) -> str | None:
    """Where a new table lies: at its own place, which may be below its database's, else where the catalog puts it."""
    own, usual = stated.get("location"), stated.get("defaultLocation")
    if own is None or usual is None or ":" in own or own.startswith("/"):
        return own or usual
    return f"{posixpath.dirname(usual)}/{own}"


def existing(field: str) -> Describer:
    """A table of the session's catalog that is inserted into."""

    def describe(node: Node, _: PlanDocument) -> Source | None:
        table = catalog_table(node.get(field))
        return None if table is None else {**table, **_overwrite(node)}

    return describe


def inserted(node: Node, document: PlanDocument) -> Source | None:
    """A relation of the first generation that is inserted into."""
    relation = below(node, "logicalRelation", document)
    return None if relation is None else {**logical_relation(relation, document), **_overwrite(node)}


def directory(node: Node, document: PlanDocument) -> Source:
    """``INSERT OVERWRITE DIRECTORY``."""
    location = mapping(node.get("storage")).get("location")
    roots = [document.places.qualified(location)] if location else []
    return {**files(roots, node.get("provider")), **_overwrite(node)}


def saved(node: Node, document: PlanDocument) -> Source:
    """What a provider of the first generation is given to save."""
    options = options_of(node.get("options"))
    provider = mapping(node.get("dataSource"))
    file_format = str(provider.get("format") or class_of(provider))
    mode = _mode(node)
    if file_format == "jdbc":
        return {**jdbc(options), **mode}
    if file_format == "kafka":
        return {**kafka(options), **mode}
    if "path" in options:
        return {**files([document.places.qualified(options["path"])], file_format), **mode}
    return {**unknown(class_of(provider)), **mode}


def view(node: Node, _: PlanDocument) -> Source:
    """A view of the session's catalog, which is nowhere."""
    mode = "overwrite" if node.get("replace") is True else "errorifexists"
    nowhere = {"location": None, "provider": None}
    name = mapping(node.get("name"))
    entry = mapping(name.get("entry"))
    known = {"created": entry["created"]} if entry.get("created") else {}
    return {"kind": "table", "identifier": identifier(name), **nowhere, "type": "VIEW", "mode": mode, **known}


def v2_created(node: Node, document: PlanDocument) -> Source:
    """A table that a V2 catalog creates: where it names no place the catalog decides."""
    fresh = "ignore" if node.get("ignoreIfExists") is True else "errorifexists"
    return {**_v2_new(node, document), "mode": fresh}


def v2_replaced(node: Node, document: PlanDocument) -> Source:
    return {**_v2_new(node, document), "mode": "overwrite"}


def _v2_new(node: Node, document: PlanDocument) -> Source:
    name = below(node, "name", document)
    if name is not None and "jdbc" in name.extras:
        return _in_database(name)
    named = v2_identifier(name.get("catalog"), name.get("identifier")) if name else {}
    stated = mapping(mapping(node.get("tableSpec")).get("a"))
    location = stated.get("location")
    place: dict[str, Any] = {"location": document.places.qualified(location) if location else None}
    if location is None and name is not None:
        entry = mapping(name.extras.get("entry"))
        place["defaultLocation"] = entry.get("location") or name.extras.get("defaultLocation")
    return {"kind": "table", "identifier": named, **place, "provider": stated.get("provider"), "type": None}


def _in_database(name: Node) -> Source:
    """A table of the database of which the catalog lists the tables, by the name that it has there."""
    known = mapping(name.get("identifier"))
    parts = [str(part) for part in (*(known.get("namespace") or ()), known.get("name"))]
    quoted = ".".join('"' + part.replace('"', '""') + '"' for part in parts)
    return jdbc({**options_of(name.extras["jdbc"]), "dbtable": quoted})


def v2_written(mode: str) -> Describer:
    """A table that a V2 catalog has loaded."""

    def describe(node: Node, document: PlanDocument) -> Source | None:
        table = below(node, "table", document)
        return None if table is None else {**v2_relation(table, document), "mode": mode}

    return describe


def changed(node: Node, document: PlanDocument) -> Source | None:
    """The table under UPDATE, DELETE or MERGE, below its aliases and whatever else is laid around it."""
    fields = ("targetTable", "target", "table")
    found = next((each for field in fields if (each := below(node, field, document))), None)
    while found is not None and (child := below(found, "child", document)) is not None:
        found = child
    if found is None:
        return None
    describe = logical_relation if "relation" in found.fields else v2_relation
    return {**describe(found, document), "mode": "update"}


def streamed(node: Node, document: PlanDocument) -> Source:
    """A streaming query's sink, of either generation."""
    mode = {"mode": "overwrite" if constant_name(node.get("outputMode")) == "Complete" else "append"}
    return {**_sink(node, document), **mode}


def _sink(node: Node, document: PlanDocument) -> Source:
    relation = below(node, "relation", document)
    inner = relation.get("table") if relation else None
    sink = node.get("sink") or inner or node.get("table")
    options = options_of(node.get("writeOptions"))
    if table := catalog_table(node.get("catalogTable")):
        return table
    if is_kafka(sink):
        return kafka(options)
    if is_in_memory(sink):
        return sink_in_memory(sink)
    if relation is not None:
        return v2_relation(relation, document)
    if "location" in mapping(sink):
        return v2_place(mapping(sink), document.places)
    if "path" in options:
        return {"kind": "files", "roots": [document.places.qualified(options["path"])]}
    return unknown(class_of(sink))


def writes_to_memory(document: PlanDocument) -> bool:
    """Whether the plan is a micro-batch's whose rows can be read again from the driver's memory."""
    root = None if document.is_action else document.nodes[document.root]
    return (
        root is not None and root.name.startswith("WriteToMicroBatch") and "instance" in _sink(root, document)
    )


def continuous(node: Node, _: PlanDocument) -> Source:
    """A sink that is known by its class alone."""
    return {"kind": "stream", "class": node.class_name}


def delta(node: Node, _: PlanDocument) -> Source:
    """Delta's own write, to the directory of its log."""
    target = catalog_table(node.get("catalogTableOpt")) or {"kind": "files"}
    path = mapping(node.get("deltaLog")).get("path")
    return {**target, "roots": [path] if path else [], "format": "delta", **_mode(node)}


_IF_ABSENT = ("allowExisting", "ifPartitionNotExists", "ignoreIfExists")
"""Fields of commands that do nothing where their target exists."""


def with_condition(target: Source, node: Node) -> Source:
    """The target, marked where the command leaves one that exists as it is."""
    conditional = _mode(node)["mode"] == "ignore" or any(node.get(field) is True for field in _IF_ABSENT)
    return {**target, "ifAbsent": True} if conditional else target


def _mode(node: Node) -> dict[str, str | None]:
    mode = constant_name(node.get("mode"))
    return {"mode": None if mode is None else mode.lower()}


def _overwrite(node: Node) -> dict[str, str]:
    return {"mode": "overwrite" if node.get("overwrite") is True else "append"}
