"""Tree patterns over a record: which of its paths are asked for, and which records at all.

A node names a field; an array is looked through, and the bounds say how many of its elements have to match. A
condition is at a leaf. NULL matches nothing; a struct matches if all the node's children do; a value under an inner
node does not.
Records are plain: structs are dicts, arrays lists, maps lists of ``{"key", "value"}``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from headwater_records.nested.tree import Path, Tree, text_of

CHILD = "/"
DESCENDANT = "//"


class PatternError(ValueError):
    """A pattern that cannot be asked; ``position`` is where: in text counted from 1, in objects their place.

    It is 0 if nobody knows.
    """

    code = "bad_pattern"
    hint = 'an example is: user{id_str="lp"}, tweets[2..3]/text'

    def __init__(self, message: str, position: int | str = 0) -> None:
        where = f"position {position}" if isinstance(position, int) else position
        super().__init__(f"{message}, at {where}" if position else message)
        self.position = position


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition at a leaf."""

    operator: str
    value: Any

    def holds(self, value: Any) -> bool:
        """Whether the value meets it; what cannot be compared does not."""
        try:
            return bool(OPERATORS[self.operator](value, self.value))
        except TypeError:
            return False


OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": lambda value, other: value == other,
    "contains": lambda value, other: other in value,
    "!contains": lambda value, other: other not in value,
    ">": lambda value, other: value > other,
    "<": lambda value, other: value < other,
    "length": lambda value, other: len(value) == other,
}


@dataclass(frozen=True, slots=True)
class Node:
    """A field that has to match ``least`` to ``most`` times, with what is below it."""

    name: str
    children: tuple[Node, ...] = ()
    test: Condition | None = None
    least: int = 1
    most: int | None = None
    edge: str = CHILD
    position: int | str = 0

    def __post_init__(self) -> None:
        if self.edge not in {CHILD, DESCENDANT}:
            raise PatternError(f"an edge is / or //, not {self.edge!r}", self.position)
        if self.test and self.test.operator not in OPERATORS:
            raise PatternError(f"no condition {self.test.operator!r}", self.position)
        if self.test and self.children:
            raise PatternError(
                f"{self.name} has a condition and children: conditions are at leaves", self.position
            )
        if self.least < 0 or (self.most is not None and self.most < self.least):
            raise PatternError(f"{self.name} has to match {self.least} to {self.most} times", self.position)


@dataclass(frozen=True, slots=True)
class Pattern:
    """All of these have to match, each below the record."""

    nodes: tuple[Node, ...]

    def check(self, schema: Mapping[str, Any]) -> None:
        """Raise a PatternError if a name is nowhere in the schema: dicts of fields, where arrays are looked through."""
        for node in self.nodes:
            _check(node, schema)

    def match(self, record: Mapping[str, Any]) -> Tree | None:
        """The paths of the record that match, or None."""
        return _all(self.nodes, record)


def _check(node: Node, schema: Mapping[str, Any] | None) -> None:
    places = [below for name, below in _fields(schema, node.edge == DESCENDANT) if name == node.name]
    if not places:
        raise PatternError(f"no field {node.name} there", node.position)
    problems = [_problem(node, place) for place in places]
    if problems[0] is not None and None not in problems:
        raise problems[0]


def _problem(node: Node, place: Mapping[str, Any] | None) -> PatternError | None:
    try:
        for child in node.children:
            _check(child, place)
    except PatternError as problem:
        return problem
    return None


def _fields(schema: Mapping[str, Any] | None, deep: bool) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    for name, below in (schema or {}).items():
        yield name, below
        if deep:
            yield from _fields(below, deep)


def _all(nodes: tuple[Node, ...], value: Any) -> Tree | None:
    if not isinstance(value, Mapping):
        return None
    found = Tree()
    for node in nodes:
        part = _node(node, value)
        if part is None:
            return None
        found.unite(part)
    return found


def _node(node: Node, record: Mapping[str, Any]) -> Tree | None:
    found, count = Tree(), 0
    for path, value in _candidates(node, record):
        tree = _value(node, value)
        if tree is not None:
            count += 1
            found.at(path).unite(tree)
    return found if node.least <= count and (node.most is None or count <= node.most) else None


def _candidates(node: Node, record: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Each value of that name, array elements one by one."""
    for name, value in record.items():
        if name == node.name:
            yield from _elements((name,), value)
        if node.edge == DESCENDANT:
            for path, below in _elements((name,), value):
                if isinstance(below, Mapping):
                    yield from ((path + deeper, each) for deeper, each in _candidates(node, below))


def _elements(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    if not isinstance(value, list):
        yield path, value
        return
    for position, element in enumerate(value, 1):
        yield from _elements((*path, position), element)


def _value(node: Node, value: Any) -> Tree | None:
    if value is None or (node.test and not node.test.holds(value)):
        return None
    if node.children:
        return _all(node.children, value)
    return Tree(bound=True, contributes=True)


def paths_tree(paths: list[Path]) -> Tree:
    """The tree that asks for these paths."""
    tree = Tree()
    for path in paths:
        tree.at(path).bind(contributes=True)
    return tree


def read_path(text: str) -> Path:
    """``tweets[2].text`` as a path; a PatternError names what cannot be read."""
    path: list[str | int | None] = []
    for part in text.replace("[", ".[").split("."):
        inside = part[1:-1]
        if part.startswith("[") and part.endswith("]") and (not inside or inside.isdigit()):
            path.append(int(inside) if inside else None)
        elif part and "[" not in part and "]" not in part:
            path.append(part)
        elif part or not path:
            raise PatternError(f"cannot read the path {text!r}", len(text_of(tuple(path))) + 1)
    return tuple(path)
