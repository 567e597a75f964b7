"""The plan document as it comes over the pipe: a flat table of nodes, read without recursion.

Every node refers to earlier nodes only, so its size and depth cost no stack. The one thing that is not in order
is a CTE: its references stand before its definition; ``order`` puts the definition first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from headwater_plan.types import DataType, parse_type
from headwater_spark.decode.values import Places


class MalformedPlanError(ValueError):
    """The plan document breaks its own format; the text names the place."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a plan: an operator, an expression, or a part of one."""

    index: int
    name: str
    class_name: str
    fields: Mapping[str, Any]
    extras: Mapping[str, Any]
    sort: str = ""
    """``expression``, ``plan``, ``command`` or ``part``: some operators and expressions share a package."""

    def get(self, field: str) -> Any:
        """The field's raw value, None when this Spark version has no such field."""
        return self.fields.get(field)


class PlanDocument:
    """A plan's nodes and types. Raises ``MalformedPlanError`` on construction for anything out of form.

    An action on an RDD has no plan: its document holds the RDD, and no nodes.
    """

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self.is_action = isinstance(plan.get("rdd"), Mapping)
        if self.is_action:
            plan = {**plan, "types": [], "classes": [], "nodes": [], "root": 0}
        self._read(plan)

    def _read(self, plan: Mapping[str, Any]) -> None:
        try:
            self.types: list[DataType] = [parse_type(t) for t in plan["types"]]
            classes = [_Class.of(c) for c in plan["classes"]]
            self.nodes = [_node(i, n, classes) for i, n in enumerate(plan["nodes"])]
            self.root = int(plan["root"])
            self.truncated = bool(plan.get("truncated", False))
            self.places = Places.of(plan)
        except (KeyError, TypeError, IndexError, ValueError, AttributeError) as e:
            raise MalformedPlanError(f"plan document: {type(e).__name__}: {e}") from e
        if not self.is_action and not 0 <= self.root < len(self.nodes):
            raise MalformedPlanError(f"plan document: root {self.root} is not one of {len(self.nodes)} nodes")

    @classmethod
    def of_broken(cls, plan: Mapping[str, Any]) -> PlanDocument:
        """A document that breaks the format, with its nodes as far as they can be read and without types."""
        classes = [_Class.of(c) for c in plan["classes"]]
        document = cls({"types": [], "classes": [], "nodes": [], "root": 0, "rdd": {}})
        document.is_action = False
        document.nodes = [_as_it_is(i, n, classes) for i, n in enumerate(plan["nodes"])]
        document.root = int(plan["root"])
        document.places = Places.of(plan)
        return document

    def type(self, value: Any) -> DataType | None:
        """The type behind a type reference (``{"T": i}`` or a bare index), or None."""
        index = value.get("T") if isinstance(value, Mapping) else value
        if isinstance(index, int) and 0 <= index < len(self.types):
            return self.types[index]
        return None

    def order(self) -> Iterator[Node]:
        """The nodes that the root needs, each after everything it needs."""
        definitions = {n.get("id"): n.index for n in self.nodes if n.name == "CTERelationDef"}
        done: set[int] = set()
        open_: set[int] = set()
        stack = [self.root]
        while stack:
            index = stack[-1]
            if index in done:
                stack.pop()
                continue
            node = self.nodes[index]
            needs = [i for i in _needs(node, definitions) if i not in done and i not in open_]
            if needs and index not in open_:
                open_.add(index)
                stack.extend(reversed(needs))
                continue
            stack.pop()
            done.add(index)
            yield node


def root_name(plan: Mapping[str, Any]) -> str:
    """The Catalyst class of a plan's root, without reading the rest; empty for an action on an RDD."""
    if not plan.get("nodes"):
        return ""
    return str(plan["classes"][plan["nodes"][int(plan["root"])]["c"]]["name"])


def references(value: Any) -> Iterator[int]:
    """The nodes that a field's value refers to, in order."""
    if isinstance(value, list):
        for item in value:
            yield from references(item)
    elif isinstance(value, Mapping):
        if "r" in value:
            yield value["r"]
        else:
            for part in ("a", "m"):
                content = value.get(part)
                yield from references(list(content.values()) if isinstance(content, Mapping) else content)


def replacement_of(node: Node) -> Any:
    """The reference to what Spark runs in the node's place, None where it runs the node itself.

    The analyser resolves and rewrites the replacement only: parameters beside it are as the program stated them.
    """
    value = node.fields.get("replacement")
    return value if isinstance(value, Mapping) and "r" in value else None


def _needs(node: Node, definitions: Mapping[Any, int]) -> Iterator[int]:
    replacement = replacement_of(node)
    for value in node.fields.values() if replacement is None else (replacement,):
        yield from references(value)
    yield from node.extras.get("out", ())
    if node.name == "CTERelationRef" and node.get("cteId") in definitions:
        yield definitions[node.get("cteId")]


@dataclass(frozen=True, slots=True)
class _Class:
    """What is the same for all nodes of one Catalyst class."""

    name: str
    class_name: str
    fields: tuple[str, ...]
    sort: str

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> _Class:
        return cls(str(raw["name"]), str(raw["class"]), tuple(raw["fields"]), str(raw.get("sort") or ""))


def _as_it_is(index: int, raw: Any, classes: list[_Class]) -> Node:
    """The node without any check; one that cannot be read is of no class."""
    try:
        kind = classes[raw["c"]]
        extras = {k: v for k, v in raw.items() if k not in ("c", "a")}
        fields = dict(zip(kind.fields, raw["a"], strict=False))
        return Node(index, kind.name, kind.class_name, fields, extras, kind.sort)
    except (KeyError, TypeError, IndexError, AttributeError):
        return Node(index, "", "", {}, {})


def _node(index: int, raw: Mapping[str, Any], classes: list[_Class]) -> Node:
    kind = classes[raw["c"]]
    values = raw["a"]
    if len(values) != len(kind.fields):
        raise ValueError(f"node {index} ({kind.name}) has {len(values)} values for {len(kind.fields)} fields")
    for value in values:
        for reference in references(value):
            if not 0 <= reference < index:
                raise ValueError(f"node {index} ({kind.name}) refers to node {reference}")
    extras = {k: v for k, v in raw.items() if k not in ("c", "a")}
    fields = dict(zip(kind.fields, values, strict=True))
    return Node(index, kind.name, kind.class_name, fields, extras, kind.sort)
