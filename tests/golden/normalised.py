"""A plan document without what differs from session to session, so that two captures of a program are equal.

Spark counts expressions, CTEs, datasets and RDDs over a session's life, draws seeds, and makes up names for frames, for
lambda variables of Python programs and for compiled lambdas; cloudpickle draws marks for classes. Numbers become 0, 1,
2 … by appearance, each sort for itself: what was equal stays equal, and what was different stays different. The
session's folder of tables, what is in it and the working directory are left out.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from typing import Any

from kit.plan_documents import Plan, references

_TABLES = re.compile(r"/[^\s,\[\]]*?headwater-plans-[^/]+/")
_COMPILED = re.compile(r"\$\$Lambda[$\d]*/0x[0-9a-f]+")
_FRAME = re.compile(r"_pyspark_([0-9a-f]{32})")
_ATTRIBUTE = re.compile(r"#(\d+)")
_VARIABLE = re.compile(r"_\d+$")
_MARK = re.compile(rb"(\x8c )[0-9a-f]{32}(?=\x94)")

_COUNTED = frozenset({"id", "cteId", "loopId", "dataframeId", "randomSeed", "seed"})
"""Fields of expressions and operators with numbers that Spark counts or draws."""
_OF_FILES = "contents"
"""Member of a read with the figures of its files, whose footers name who wrote them."""
_SEEDED = frozenset({"Rand", "Randn"})
"""Expressions with a literal for a seed, which Spark draws where the program gives none."""


def _unmarked(command: str) -> str:
    """A pickle without the marks by which classes that are pickled by value are kept apart."""
    return b64encode(_MARK.sub(rb"\g<1>" + b"0" * 32, b64decode(command))).decode("ascii")


def normalised(plan: Plan) -> Plan:
    """The plan as any session would have given it."""
    return _Session(plan).plan()


class _Session:
    """One plan and the numbers that stand for those of its session."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._numbers: dict[str, dict[Any, int]] = {}
        nodes = plan["nodes"]
        self._seeds = {
            ref for each in nodes if self._class(each)["name"] in _SEEDED for ref in references(each)
        }

    def plan(self) -> Plan:
        nodes = [self._node(index, node) for index, node in enumerate(self._plan["nodes"])]
        return {**self._plan, "nodes": nodes, **({"working": "file:/"} if "working" in self._plan else {})}

    def _class(self, node: Plan) -> Plan:
        described: Plan = self._plan["classes"][node["c"]]
        return described

    def _number(self, sort: str, value: Any) -> int:
        numbers = self._numbers.setdefault(sort, {})
        return numbers.setdefault(value, len(numbers))

    def _node(self, index: int, node: Plan) -> Plan:
        described = self._class(node)
        values = [self._field(*each) for each in zip(described["fields"], node["a"], strict=True)]
        if index in self._seeds and described["name"] == "Literal":
            values[0] = 0
        found = {key: self._value(value) for key, value in node.items()} | {"a": values}
        if "id" in node:
            found["id"] = self._number("expression", node["id"])
        if described["name"] == "NamedLambdaVariable":
            found["n"] = values[0] = _VARIABLE.sub("", node["n"])
        return found

    def _field(self, name: str, value: Any) -> Any:
        return (
            self._number("counted", value) if name in _COUNTED and type(value) is int else self._value(value)
        )

    def _value(self, value: Any) -> Any:
        match value:
            case str():
                return self._text(value)
            case list():
                return [self._value(each) for each in value]
            case {"x": int(expression)}:
                return {"x": self._number("expression", expression)}
            case {"p": "CommonExpressionId", "a": {"id": int(common)}}:
                return {**value, "a": {**value["a"], "id": self._number("common", common)}}
            case {"k": "python", "command": str(command)}:
                return {**value, "command": _unmarked(command)}
            case {"kind": "rdd" | "memory", "id": int(rdd)}:
                rest = {key: self._value(each) for key, each in value.items()}
                return {**rest, "id": self._number("rdd", rdd)}
            case dict():
                return {key: self._value(each) for key, each in value.items() if key != _OF_FILES}
            case _:
                return value

    def _text(self, text: str) -> str:
        text = _COMPILED.sub("$$Lambda", _TABLES.sub("/", text))
        text = _FRAME.sub(lambda found: f"_pyspark_{self._number('frame', found[1])}", text)
        return _ATTRIBUTE.sub(lambda found: f"#{self._number('expression', int(found[1]))}", text)
