"""Where a leaf of the plan reads: its fields as a source."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from headwater_spark.decode.document import Node, PlanDocument, references
from headwater_spark.decode.jdbc import jdbc
from headwater_spark.decode.values import (
    Options,
    Places,
    Source,
    catalog_table,
    class_of,
    mapping,
    names_of_whole,
    options_of,
    simple_class,
    v2_identifier,
)

Describer: TypeAlias = Callable[[Node, PlanDocument], Source | None]
"""From a node to the source that it reads, or the target that it writes; None where it has none."""

_KAFKA_OPTIONS = ("topic", "subscribe", "subscribepattern", "assign")
_KAFKA = frozenset({"KafkaRelation", "KafkaSourceProvider", "KafkaTable", "KafkaSink"})
_BY_POSITION = ("positionalfieldmatching", "orc.force.positional.evolution")
_PATTERN = re.compile(r"[*?\[{]")
"""In a path that names several directories, which are not known before they are looked into."""
_DELTA_INDEX = ".delta."
_CHANGE_FEED = "DeltaCDFRelation"
MADE_BY_CHANGE_FEED = ("_change_type", "_commit_version", "_commit_timestamp")
"""Columns of Delta's change feed that say how and when a row changed, and hold no value of it."""
_IN_MEMORY = frozenset({"MemorySink", "ForeachBatchSink", "ConsoleTable", "NoopTable"})
"""Sinks of streaming queries that are no dataset."""
_KEEP_NOTHING = frozenset({"ConsoleTable", "NoopTable"})
_OF_TABLE = ("version", "since", "partitioning", "contents", "ids")
_PYTHON = "PythonTable"
BY_PROGRAM = "byProgram"
"""In a source or target: a data source of the program reads or writes there, and perhaps elsewhere."""
WHAT_PROGRAM_DOES = "a data source in Python: what it reads or writes, and where, is not known"


def source_of(node: Node, document: PlanDocument) -> Source:
    """The source of a leaf; of one that is in no table, its class."""
    describe = SOURCES.get(node.name)
    found = describe(node, document) if describe is not None else None
    return found or unknown(node.class_name)


def unknown(class_name: str) -> Source:
    return {"kind": "unknown", "class": class_name}


def files(roots: list[str], file_format: str | None, **more: Any) -> dict[str, Any]:
    return {"kind": "files", "roots": roots, "format": file_format, **more}


def below(node: Node, field: str, document: PlanDocument) -> Node | None:
    """The node that a field refers to."""
    return next((document.nodes[i] for i in references(node.get(field))), None)


def memory(_: Node, __: PlanDocument) -> Source:
    return {"kind": "memory"}


def memory_sink(node: Node, _: PlanDocument) -> Source:
    """The table of a memory sink: the rows of a streaming query."""
    return sink_in_memory(node.get("sink"))


def is_in_memory(sink: Any) -> bool:
    return simple_class(sink) in _IN_MEMORY


def sink_in_memory(sink: Any) -> Source:
    """A sink in the driver's memory; one that the driver tells from others may be read again, others keep nothing."""
    if simple_class(sink) in _KEEP_NOTHING:
        return {"kind": "memory", "keeps": "nothing"}
    instance = mapping(sink).get("instance")
    return {"kind": "memory"} if instance is None else {"kind": "memory", "instance": instance}


def local_rows(node: Node, _: PlanDocument) -> Source:
    """Rows in the plan: of a program, which an encoder has made, or of a query's text, which Spark has parsed."""
    return {"kind": "memory", "handedIn": mapping(node.get("data")).get("of") == "UnsafeRow"}


def logical_relation(node: Node, document: PlanDocument) -> Source:
    """A relation of the first generation: files, a database, or what a connector makes of it."""
    relation = mapping(node.get("relation"))
    table = catalog_table(node.get("catalogTable"))
    if "roots" in relation:
        return _relation_of_files(node, relation, table, document.places)
    if "jdbc" in relation:
        parts = {"parts": relation["parts"]} if "parts" in relation else {}
        return {**jdbc(options_of(relation["jdbc"])), **parts}
    if simple_class(relation) in _KAFKA:
        return kafka(options_of(relation.get("options")))
    if simple_class(relation) == _CHANGE_FEED:
        roots = [relation["changesOf"]] if relation.get("changesOf") else []
        return {**(table or files(roots, "delta")), "made": MADE_BY_CHANGE_FEED}
    return table or unknown(class_of(relation))


def _relation_of_files(
    node: Node, relation: Mapping[str, Any], table: Source | None, places: Places
) -> Source:
    """A micro-batch reads single files of the directory that the stream watches."""
    found = dict(table or {"kind": "files"})
    columns = (*found.get("partitionColumns", ()), *(relation.get("partitionColumns") or ()))
    found["partitionColumns"] = list(dict.fromkeys(columns))
    options = options_of(relation.get("options"))
    watched = options.get("basepath") if node.get("isStreaming") is True else None
    if relation.get("below"):
        watched = None
    found["roots"] = relation["roots"] if watched is None else [places.qualified(watched)]
    # A Delta table is read as Parquet, by an index of its own.
    is_delta = _DELTA_INDEX in str(relation.get("index") or "")
    found["format"] = "delta" if is_delta else relation.get("format")
    found |= separator(options) | _matching(options)
    if str(options.get("header")).lower() == "true":
        found["header"] = True
    if named := names_of_whole(options):
        found["whole"] = named
    if "emptyvalue" in options:
        found["emptyValue"] = options["emptyvalue"]
    found |= {
        key: relation[key]
        for key in ("caseSensitive", "version", "since", "matching", "ids")
        if key in relation
    }
    if watched is None:
        found |= {key: relation[key] for key in ("contents", "partial") if key in relation}
    elif "watched" in relation:
        found["contents"] = [relation["watched"]]
    return found


def _matching(options: Options) -> dict[str, str]:
    """How the reader finds columns, where the program says so."""
    asked = any(str(options.get(key)).lower() == "true" for key in _BY_POSITION)
    return {"matching": "position"} if asked else {}


def separator(options: Options) -> dict[str, str]:
    """What stands between the columns of CSV, where the program names it."""
    named = options.get("sep", options.get("delimiter"))
    return {} if named is None else {"separator": named}


def kafka(options: Options) -> Source:
    named = {key: options[key] for key in _KAFKA_OPTIONS if key in options}
    return {"kind": "kafka", "bootstrapServers": options.get("kafka.bootstrap.servers"), **named}


def is_kafka(value: Any) -> bool:
    return simple_class(value) in _KAFKA


def hive_relation(node: Node, _: PlanDocument) -> Source | None:
    return catalog_table(node.get("tableMeta"))


def v2_relation(node: Node, document: PlanDocument) -> Source:
    """A table of a V2 catalog or provider."""
    table = mapping(node.get("table"))
    if not table:
        return _stream(node, document)
    options = options_of(node.get("options") or node.get("extraOptions"))
    if "jdbc" in table:
        return jdbc(options_of(table["jdbc"]))
    if is_kafka(table):
        return kafka(options)
    if is_in_memory(table):
        return sink_in_memory(table)
    if node.get("identifier") or "location" in table:
        return _v2_table(node, table, document.places)
    if "roots" in table:
        more = {key: table[key] for key in ("contents", "partial") if key in table}
        return files(table["roots"], table.get("format"), **more)
    if "path" in options:
        found = files([document.places.qualified(options["path"])], table.get("name"))
        return {**found, BY_PROGRAM: True} if simple_class(table) == _PYTHON else found
    return unknown(class_of(table))


def v2_place(table: Mapping[str, Any], places: Places) -> Source:
    """A table that is known by its place alone; a path in the options may be its name."""
    more = {key: table[key] for key in _OF_TABLE if key in table}
    return files([places.qualified(table["location"])], table.get("provider"), **more)


def _v2_table(node: Node, table: Mapping[str, Any], places: Places) -> Source:
    if not node.get("identifier"):
        return v2_place(table, places)
    location = table.get("location")
    return {
        "kind": "table",
        "identifier": v2_identifier(node.get("catalog"), node.get("identifier")),
        "location": places.qualified(location) if location else None,
        "provider": table.get("provider"),
        "type": table.get("type"),
        "class": class_of(table),
        **{key: table[key] for key in ("roots", *_OF_TABLE) if key in table},
    }


def _stream(node: Node, document: PlanDocument) -> Source:
    """A micro-batch's source in Spark 3.5, which keeps the stream and not the table that it came from."""
    stream = mapping(node.get("stream"))
    if "location" in stream:
        return _v2_table(node, {**stream, "provider": "iceberg"}, document.places)
    if "servers" not in stream and "topics" not in stream:
        return unknown(class_of(stream))
    topics = {"subscribe": ",".join(stream["topics"])} if stream.get("topics") else {}
    return {"kind": "kafka", "bootstrapServers": stream.get("servers"), **topics}


def v2_scan(node: Node, document: PlanDocument) -> Source | None:
    relation = below(node, "relation", document)
    return None if relation is None else v2_relation(relation, document)


def v2_name(node: Node, _: PlanDocument) -> Source:
    return {"kind": "table", "identifier": v2_identifier(node.get("catalog"), node.get("identifier"))}


def rdd(node: Node, _: PlanDocument) -> Source:
    return rdd_source(node.get("rdd"))


def rdd_source(value: Any) -> Source:
    """An RDD with the places that it goes back to."""
    described = {key: each for key, each in mapping(value).items() if key not in ("k", "o", "a", "functions")}
    return {"kind": "rdd", "inputs": [], **described}


def stream(node: Node, document: PlanDocument) -> Source:
    """A stream of the first generation, or kept beside one of the second: of a table, of topics or of files."""
    source = mapping(node.get("dataSource"))
    options = options_of(source.get("options"))
    path = options.get("path")
    if source.get("format") == "kafka":
        return kafka(options)
    if table := catalog_table(source.get("table")):
        return table
    if path is None or _PATTERN.search(path):
        return unknown(source.get("format") or class_of(node.get("source")))
    return files([document.places.qualified(path)], source.get("format"))


SOURCES: Mapping[str, Describer] = {
    "LocalRelation": local_rows,
    "Range": memory,
    "OneRowRelation": memory,
    "Transpose": memory,
    "LogicalRelation": logical_relation,
    "HiveTableRelation": hive_relation,
    "DataSourceV2Relation": v2_relation,
    "DataSourceV2ScanRelation": v2_scan,
    "StreamingRelation": stream,
    "StreamingRelationV2": v2_relation,
    "StreamingExecutionRelation": stream,
    "StreamingDataSourceV2Relation": v2_relation,
    "StreamingDataSourceV2ScanRelation": v2_scan,
    "ResolvedIdentifier": v2_name,
    "MemoryPlan": memory_sink,
    "LogicalRDD": rdd,
    "ExternalRDD": rdd,
}
"""What reads, by Catalyst's class."""
