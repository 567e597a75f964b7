"""Plan documents by hand: a copy of files, as Spark's own plans look on the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"
_DATASOURCES = "org.apache.spark.sql.execution.datasources"
_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"
_COMMANDS = "org.apache.spark.sql.execution.command"
_CLASSES = [
    {
        "name": "AttributeReference",
        "class": f"{_EXPRESSIONS}.AttributeReference",
        "sort": "expression",
        "fields": ["name", "dataType", "nullable", "metadata"],
    },
]
_PACKAGES = {
    "InsertIntoHadoopFsRelationCommand": _DATASOURCES,
    "LogicalRelation": _DATASOURCES,
    "DataSourceV2Relation": f"{_DATASOURCES}.v2",
    "WriteToMicroBatchDataSource": "org.apache.spark.sql.execution.streaming.sources",
    "WriteToMicroBatchDataSourceV1": "org.apache.spark.sql.execution.streaming.sources",
}


def files(path: str, **more: Any) -> dict[str, Any]:
    """Files as a source."""
    return {"kind": "files", "roots": [f"file:{path}"], "format": "parquet", **more}


def table(name: str, **more: Any) -> dict[str, Any]:
    """A table of the session catalog as a source."""
    identifier = {"catalog": "spark_catalog", "database": "default", "table": name}
    return {"kind": "table", "identifier": identifier, "location": None, "provider": "parquet", **more}


def entry(source: Mapping[str, Any]) -> dict[str, Any] | None:
    """The catalog's entry that a table as a source comes from; None for another source."""
    if source["kind"] != "table":
        return None
    rest = {key: source[key] for key in source.keys() - {"kind", "identifier", "mode"}}
    return {"k": "table", **source["identifier"], **rest}


def options(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"m": [[key, each] for key, each in given.items() if key not in ("kind", "class", "mode")]}


def _leaf(source: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Class and fields of a leaf that reads the source."""
    if "instance" in source:
        return "MemoryPlan", {"sink": _sink(source), "output": [{"r": 0}]}
    if source["kind"] == "memory":
        return "LocalRelation", {"output": [{"r": 0}], "isStreaming": False}
    if source["kind"] == "rdd":
        described = {"o": "org.apache.spark.rdd.RDD", "id": source["id"], "inputs": []}
        return "LogicalRDD", {"output": [{"r": 0}], "rdd": described, "isStreaming": False}
    relation: dict[str, Any] = {"o": f"{_DATASOURCES}.x.Relation"}
    if source["kind"] == "jdbc":
        relation["jdbc"] = options(source)
    elif source["kind"] == "files":
        relation |= {key: source[key] for key in source.keys() - {"kind"}}
    fields = {"relation": relation, "output": [{"r": 0}], "catalogTable": entry(source), "isStreaming": False}
    return "LogicalRelation", fields


def _sink(described: Mapping[str, Any]) -> dict[str, Any]:
    return {"o": "x.MemorySink", **{key: described[key] for key in ("instance",) if key in described}}


class _Document:
    """A plan document as it grows."""

    def __init__(self) -> None:
        self.classes = list(_CLASSES)
        self.nodes: list[dict[str, Any]] = []

    def add(self, name: str, fields: Mapping[str, Any], **extras: Any) -> dict[str, int]:
        package = _PACKAGES.get(name, _COMMANDS if name.endswith("Command") else _LOGICAL)
        self.classes.append({"name": name, "class": f"{package}.{name}", "fields": list(fields)})
        self.nodes.append({"c": len(self.classes) - 1, "a": list(fields.values()), **extras})
        return {"r": len(self.nodes) - 1}

    def plan(self) -> dict[str, Any]:
        root = len(self.nodes) - 1
        rest = {"root": root, "truncated": False, "working": "file:/work"}
        return {"classes": self.classes, "types": ["long"], "nodes": self.nodes, **rest}


def read_plan(source: Mapping[str, Any], column: str = "id") -> dict[str, Any]:
    """A plan that reads one column and writes nothing."""
    return _read(source, column).plan()


def _read(source: Mapping[str, Any], column: str = "id") -> _Document:
    document = _Document()
    attribute = [column, {"T": 0}, True, None]
    document.nodes.append({"c": 0, "a": attribute, "id": 1, "n": column, "q": [], "t": 0})
    name, fields = _leaf(source)
    document.add(name, fields, out=[0])
    return document


def copy_plan(
    source: Mapping[str, Any],
    target: Mapping[str, Any],
    command: str = "InsertIntoHadoopFsRelationCommand",
) -> dict[str, Any]:
    """A plan that copies one column; it overwrites unless the ``target`` has another ``mode``."""
    document = _read(source)
    if target["kind"] == "unknown":
        command = "SaveIntoDataSourceCommand"
    written = _written(document, command, target)
    document.add(command, {"query": {"r": 1}, "outputColumnNames": ["id"], **written})
    return document.plan()


def _written(document: _Document, command: str, target: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a command that hold its target."""
    mode = {"mode": {"e": str(target.get("mode", "overwrite")).capitalize()}}
    location = target.get("location")
    match command:
        case "InsertIntoHadoopFsRelationCommand":
            path = (target.get("roots") or [location])[0]
            provider = {"o": "x.Format", "format": target.get("format") or target.get("provider")}
            return {"outputPath": path, "fileFormat": provider, "catalogTable": entry(target), **mode}
        case "CreateDataSourceTableAsSelectCommand":
            return {"table": entry(target), **mode}
        case "SaveIntoDataSourceCommand":
            return {"dataSource": {"o": target.get("class")}, "options": options(target), **mode}
        case "CreateTableAsSelect" | "ReplaceTableAsSelect":
            name = document.add("ResolvedIdentifier", _v2_name(target), out=[])
            spec = {"provider": target.get("provider"), "location": location}
            return {"name": name, "tableSpec": {"p": "TableSpec", "a": spec}}
        case "AppendData":
            loaded = {"o": "x.Table", "location": location, "provider": target.get("provider")}
            relation = {"table": loaded, "output": [{"r": 0}], **_v2_name(target)}
            return {"table": document.add("DataSourceV2Relation", relation, out=[0])}
        case _:
            sink = _sink(target) if target["kind"] == "memory" else {"o": "x.FileSink"}
            place = {"path": target["roots"][0]} if target.get("roots") else {}
            return {"sink": sink, "writeOptions": options(place), "outputMode": {"e": "Append"}}


def over(write: Mapping[str, Any], query: int, names: Sequence[str]) -> dict[str, Any]:
    """The write of another query of the same document, under these names."""
    return {**write, "a": [{"r": query}, list(names), *write["a"][2:]]}


def _v2_name(target: Mapping[str, Any]) -> dict[str, Any]:
    named = target["identifier"]
    namespace = str(named.get("database") or "").split(".")
    identifier = {"k": "identifier", "namespace": namespace, "name": named["table"]}
    return {"catalog": {"k": "catalog", "name": named["catalog"]}, "identifier": identifier}


def literal_plan(source: Mapping[str, Any], target: Mapping[str, Any]) -> dict[str, Any]:
    """A plan that copies one column and writes a constant beside it, as ``made``."""
    plan = copy_plan(source, target)
    plan["types"].append("string")
    plan["classes"] += [
        {"name": "Literal", "class": f"{_EXPRESSIONS}.Literal", "fields": ["value", "dataType"]},
        {"name": "Alias", "class": f"{_EXPRESSIONS}.Alias", "fields": ["child", "name"]},
        {"name": "Project", "class": f"{_LOGICAL}.Project", "fields": ["projectList", "child"]},
    ]
    *_, write = plan["nodes"]
    plan["nodes"][2:] = [
        {"c": 3, "a": ["k7", {"T": 1}], "t": 1},
        {"c": 4, "a": [{"r": 2}, "made"], "id": 2, "n": "made", "q": [], "t": 1},
        {"c": 5, "a": [[{"r": 0}, {"r": 3}], {"r": 1}]},
        over(write, 4, ["id", "made"]),
    ]
    plan["root"] = 5
    return plan


def observing_plan(source: Mapping[str, Any], target: Mapping[str, Any]) -> dict[str, Any]:
    """A plan that copies one column and hands the program a figure of it (``observe``)."""
    plan = copy_plan(source, target)
    plan["classes"] += [
        {"name": "Alias", "class": f"{_EXPRESSIONS}.Alias", "fields": ["child", "name"]},
        {"name": "CollectMetrics", "class": f"{_LOGICAL}.CollectMetrics", "fields": ["metrics", "child"]},
    ]
    *_, write = plan["nodes"]
    plan["nodes"][2:] = [
        {"c": 3, "a": [{"r": 0}, "figure"], "id": 2, "n": "figure", "q": [], "t": 0},
        {"c": 4, "a": [[{"r": 2}], {"r": 1}]},
        over(write, 3, ["id"]),
    ]
    plan["root"] = 4
    return plan


def start(
    execution: int,
    plan: Any,
    root: int | None = None,
    time: int = 1_767_225_601_000,
    description: str = "a job",
) -> dict[str, Any]:
    """An ``execution-start`` document."""
    return {
        "v": 1,
        "kind": "execution-start",
        "time": time,
        "execution": execution,
        "root": execution if root is None else root,
        "description": description,
        "callSite": "",
        "plan": plan,
    }


def end(
    execution: int,
    plan: Any,
    root: int | None = None,
    rows: int | None = None,
    error: Mapping[str, Any] | None = None,
    dropped: int = 0,
) -> dict[str, Any]:
    """An ``execution-end`` document; ``rows`` are those written, None where none were counted."""
    output = None if rows is None else {"rows": rows, "bytes": rows * 10, "files": 1}
    return {
        "v": 1,
        "kind": "execution-end",
        "time": 1_767_225_602_000,
        "execution": execution,
        "root": execution if root is None else root,
        "durationNanos": 1,
        "plan": plan,
        "error": error,
        "metrics": {"output": output, "input": []},
        "dropped": dropped,
    }
