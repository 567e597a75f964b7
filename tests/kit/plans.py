"""Plan documents by hand: a copy of files, as Spark's own plans look on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"
_DATASOURCES = "org.apache.spark.sql.execution.datasources"
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


def read_plan(source: Mapping[str, Any]) -> dict[str, Any]:
    """A plan that reads one column and writes nothing."""
    attribute = {"c": 0, "a": ["id", {"T": 0}, True, None], "id": 1, "n": "id", "q": [], "t": 0}
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


def start(
    execution: int, plan: Any, root: int | None = None, time: int = 1_767_225_601_000
) -> dict[str, Any]:
    """An ``execution-start`` document."""
    return {
        "v": 1,
        "kind": "execution-start",
        "time": time,
        "execution": execution,
        "root": execution if root is None else root,
        "description": "a job",
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
