"""Plan documents of any number of operators, in a chain over one read of one column, or of any number of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kit.plans import copy_plan, files, over

_CATALYST = "org.apache.spark.sql.catalyst"
_CLASSES = {
    "Filter": ("plans.logical", ["condition", "child"]),
    "Project": ("plans.logical", ["projectList", "child"]),
    "Alias": ("expressions", ["child", "name"]),
    "Add": ("expressions", ["left", "right"]),
    "GreaterThan": ("expressions", ["left", "right"]),
    "Literal": ("expressions", ["value", "dataType"]),
}


class _Nodes:
    """A document's nodes and classes as they grow."""

    def __init__(self) -> None:
        plan = copy_plan(files("/in/a"), files("/out/b", mode="overwrite"))
        *self.list, self._write = plan["nodes"]
        self._classes = plan["classes"]
        for name, (package, fields) in _CLASSES.items():
            self._classes.append({"name": name, "class": f"{_CATALYST}.{package}.{name}", "fields": fields})
        self._places = {each["name"]: i for i, each in enumerate(self._classes)}

    def add(self, name: str, *values: Any, **extras: Any) -> dict[str, int]:
        """A further node; gives the reference to it."""
        self.list.append({"c": self._places[name], "a": list(values), **extras})
        return {"r": len(self.list) - 1}

    def written(self, child: dict[str, int], names: Sequence[str] = ("id",)) -> dict[str, Any]:
        """The plan that writes what that node gives, under these names."""
        nodes = [*self.list, over(self._write, child["r"], names)]
        return {
            "classes": self._classes,
            "types": ["long"],
            "nodes": nodes,
            "root": len(nodes) - 1,
            "truncated": False,
        }


def filters(count: int) -> dict[str, Any]:
    """So many filters, one on top of the other."""
    nodes, column, child = _Nodes(), {"r": 0}, {"r": 1}
    one = nodes.add("Literal", 1, {"T": 0})
    for _ in range(count):
        child = nodes.add("Filter", nodes.add("GreaterThan", column, one), child, out=[column["r"]])
    return nodes.written(child)


def projections(count: int) -> dict[str, Any]:
    """So many projections, each of which computes the column anew."""
    nodes, column, child = _Nodes(), {"r": 0}, {"r": 1}
    one = nodes.add("Literal", 1, {"T": 0})
    for i in range(count):
        named = {"id": i + 10, "n": "id", "q": [], "t": 0}
        alias = nodes.add("Alias", nodes.add("Add", column, one), "id", **named)
        column = nodes.add("AttributeReference", "id", {"T": 0}, True, None, **named)
        child = nodes.add("Project", [alias], child, out=[column["r"]])
    return nodes.written(child)


def doubled(count: int) -> dict[str, Any]:
    """A projection of so many columns, each of which is computed from the one of its name, over one read."""
    nodes = _Nodes()
    one = nodes.add("Literal", 1, {"T": 0})
    read = [_attribute(nodes, f"column_{i}", i + 10) for i in range(count)]
    nodes.list[1] = {**nodes.list[1], "out": [column["r"] for column in read]}
    aliases = [
        nodes.add("Alias", nodes.add("Add", column, one), name, id=count + i + 10, n=name, q=[], t=0)
        for i, column in enumerate(read)
        for name in [f"column_{i}"]
    ]
    out = [_attribute(nodes, f"column_{i}", count + i + 10) for i in range(count)]
    child = nodes.add("Project", aliases, {"r": 1}, out=[column["r"] for column in out])
    return nodes.written(child, [f"column_{i}" for i in range(count)])


def _attribute(nodes: _Nodes, name: str, number: int) -> dict[str, int]:
    return nodes.add("AttributeReference", name, {"T": 0}, True, None, id=number, n=name, q=[], t=0)
