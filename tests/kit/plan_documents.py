"""The rules that every plan document keeps, and ways to look into one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headwater_spark.decode.commands.writes import WRITES
from headwater_spark.decode.document import PlanDocument
from headwater_spark.decode.sources import SOURCES, source_of
from headwater_spark.decode.values import Source

Plan = dict[str, Any]


def plan(*nodes: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A document whose last node is the root; a field that is an ``int`` refers to the node of that index."""
    classes = [{"name": name, "class": f"x.{name}", "fields": list(fields)} for name, fields in nodes]
    values = [[{"r": v} if type(v) is int else v for v in fields.values()] for _, fields in nodes]
    written = [{"c": i, "a": each} for i, each in enumerate(values)]
    rest = {"root": len(nodes) - 1, "working": "hdfs://nn/user/ann"}
    return {"classes": classes, "types": [], "nodes": written, **rest}


def problems(plan: Plan) -> Iterator[str]:
    """What breaks the document's rules, in words."""
    nodes, classes, types = plan["nodes"], plan["classes"], plan["types"]
    if plan["root"] != len(nodes) - 1:
        yield f"the root is {plan['root']} of {len(nodes)} nodes"
    for index, node in enumerate(nodes):
        fields = classes[node["c"]]["fields"]
        if len(fields) != len(node["a"]):
            yield f"node {index} has {len(node['a'])} values for {fields}"
        if len(set(fields)) != len(fields):
            yield f"{classes[node['c']]['name']} names a field twice: {fields}"
        yield from (f"node {index} refers to {ref}" for ref in references(node) if not 0 <= ref < index)
        yield from (
            f"node {index} names type {ref}" for ref in type_references(node) if not 0 <= ref < len(types)
        )


def references(node: dict[str, Any]) -> Iterator[int]:
    yield from node.get("out", [])
    yield from (value["r"] for value in values(node["a"]) if "r" in value)


def type_references(node: dict[str, Any]) -> Iterator[int]:
    if "t" in node:
        yield node["t"]
    yield from (value["T"] for value in values(node["a"]) if "T" in value)


def values(value: Any) -> Iterator[dict[str, Any]]:
    """Every object among the values, at any depth."""
    if isinstance(value, list):
        for element in value:
            yield from values(element)
    elif isinstance(value, dict):
        yield value
        yield from values(list(value.values()))


def named(plan: Plan, *names: str) -> list[dict[str, Any]]:
    """The nodes of these classes, each with its fields by name beside its extras."""
    found = []
    for node in plan["nodes"]:
        described = plan["classes"][node["c"]]
        if described["name"] in names:
            found.append(
                {**node, "class": described["name"], **dict(zip(described["fields"], node["a"], strict=True))}
            )
    return found


def sources(plan: Plan) -> list[Source]:
    """What the plan's leaves read and its commands write, in the order of its nodes."""
    return [*_sources(PlanDocument(plan))]


def _sources(document: PlanDocument) -> Iterator[Source]:
    for node in document.nodes:
        if node.name in SOURCES:
            yield source_of(node, document)
        elif (row := WRITES.get(node.name)) and row.target and (written := row.target(node, document)):
            yield written
