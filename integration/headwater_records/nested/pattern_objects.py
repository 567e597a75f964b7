"""Reads a pattern from objects, as JSON and GraphQL have them; an error names the place, such as ``[0].children[1]``.

[{"name": "user", "children": [{"name": "id_str", "condition": {"equal": "lp"}}]},
 {"name": "tweets", "least": 2, "most": 3, "children": [{"name": "text", "edge": "//"}]}]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater_records.nested.patterns import CHILD, Condition, Node, Pattern, PatternError

CONDITIONS = {
    "equal": "=",
    "contains": "contains",
    "not_contains": "!contains",
    "greater": ">",
    "less": "<",
    "length": "length",
}
"""The operator of each condition, by its name in objects."""
_KEYS = {"name", "edge", "least", "most", "condition", "children"}


def read_pattern(given: Any) -> Pattern:
    """The pattern of a list of nodes; a PatternError names the place of what cannot be read."""
    if not given:
        raise PatternError("a pattern has at least one node")
    return Pattern(_nodes(given, ""))


def _nodes(given: Any, above: str) -> tuple[Node, ...]:
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise PatternError("expected a list of nodes", above)
    return tuple(_node(each, f"{above}[{number}]") for number, each in enumerate(given))


def _node(given: Any, place: str) -> Node:
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str) or not given["name"]:
        raise PatternError("expected a node with a name", place)
    unknown = sorted(set(given) - _KEYS)
    if unknown:
        raise PatternError(f"a node has no {unknown[0]!r}", place)
    most = given.get("most")
    return Node(
        given["name"],
        _nodes(given.get("children") or (), f"{place}.children"),
        _condition(given.get("condition"), f"{place}.condition"),
        _count(given.get("least", 1), f"{place}.least"),
        None if most is None else _count(most, f"{place}.most"),
        given.get("edge", CHILD),
        place,
    )


def _count(given: Any, place: str) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        raise PatternError("expected a number of elements", place)
    return given


def _condition(given: Any, place: str) -> Condition | None:
    if given is None:
        return None
    if not isinstance(given, Mapping) or len(given) != 1 or not set(given) <= set(CONDITIONS):
        raise PatternError(f"expected one of {', '.join(CONDITIONS)}", place)
    ((name, value),) = given.items()
    if not isinstance(value, str | int | float):
        raise PatternError("expected a text, a number, true or false", f"{place}.{name}")
    return Condition(CONDITIONS[name], value)
