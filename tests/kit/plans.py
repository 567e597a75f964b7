"""Plan documents by hand: a copy of files, as Spark's own plans look on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"
_DATASOURCES = "org.apache.spark.sql.execution.datasources"
_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"
_COMMANDS = "org.apache.spark.sql.execution.command"
_CLASSES = [
    {
        "name": "AttributeReference",
        "class": f"{_EXPRESSIONS}.AttributeReference",
        "fields": ["name", "dataType", "nullable", "metadata"],
    },
    {
        "name": "LogicalRelation",
        "class": f"{_DATASOURCES}.LogicalRelation",
        "fields": ["relation", "output", "catalogTable", "isStreaming"],
    },
]


def files(path: str, **more: Any) -> dict[str, Any]:
    """The ``src`` of files."""
    return {"kind": "files", "roots": [f"file:{path}"], "format": "parquet", **more}


def table(name: str, **more: Any) -> dict[str, Any]:
    """The ``src`` of a table of the session catalog."""
    identifier = {"catalog": "spark_catalog", "database": "default", "table": name}
    return {"kind": "table", "identifier": identifier, "location": None, "provider": "parquet", **more}


def read_plan(source: Mapping[str, Any], column: str = "id") -> dict[str, Any]:
    """A plan that reads one column and writes nothing."""
    attribute = {"c": 0, "a": [column, {"T": 0}, True, None], "id": 1, "n": column, "q": [], "t": 0}
    relation = {"c": 1, "a": [{"o": "…"}, [{"r": 0}], None, False], "out": [0], "src": dict(source)}
    return {
        "classes": list(_CLASSES),
        "types": ["long"],
        "nodes": [attribute, relation],
        "root": 1,
        "truncated": False,
    }


def copy_plan(
    source: Mapping[str, Any],
    target: Mapping[str, Any],
    command: str = "InsertIntoHadoopFsRelationCommand",
) -> dict[str, Any]:
    """A plan that copies one column; ``target`` needs a ``mode``."""
    plan = read_plan(source)
    package = _DATASOURCES if command.startswith("Insert") else _COMMANDS
    fields = ["query", "outputColumnNames"]
    plan["classes"].append({"name": command, "class": f"{package}.{command}", "fields": fields})
    plan["nodes"].append({"c": 2, "a": [{"r": 1}, ["id"]], "src": {"mode": "overwrite", **target}})
    plan["root"] = 2
    return plan


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
        {**write, "a": [{"r": 4}, ["id", "made"]]},
    ]
    plan["root"] = 5
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
