"""A digest of what a plan does with its leaves' rows: the same for the plans of one program, whatever they read.

Of a leaf, the columns' names and types count, and not what is read: a plan of a streaming query's micro-batch has
nothing in the place of a source without new rows. Expression ids count by the order in which they appear.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final

from headwater_plan.nodes import (
    Attribute,
    Column,
    Literal,
    Local,
    Project,
    Read,
    Relation,
    Rename,
    Shown,
)

_LEFT_OUT: Final = frozenset({"line", "file", "why", "unread", "held"})
"""Fields that say where code stands, why it was not read, and which texts it has, which never leave."""


def digest_of(relation: Relation, stands_for: Callable[[Any], Any]) -> str:
    """The digest, in hexadecimal digits; some of the relations stand for others."""
    text = hashlib.sha256()
    for part in _Program(stands_for).parts(relation):
        text.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return text.hexdigest()[:32]


class _Program:
    """A walk over one plan, which numbers what it meets."""

    def __init__(self, stands_for: Callable[[Any], Any]) -> None:
        self._stands_for = stands_for
        self._ids: dict[int, int] = {}
        self._met: dict[int, int] = {}

    def parts(self, value: Any) -> Iterator[str]:
        """Texts that are the same for the same program."""
        if is_dataclass(value):
            yield from self._node(self._stands_for(value))
        elif isinstance(value, Mapping):
            yield from self.parts(sorted(value.items(), key=repr))
        elif isinstance(value, list | tuple):
            yield f"{len(value)} parts"
            for each in value:
                yield from self.parts(each)
        elif isinstance(value, frozenset):
            yield from self.parts(sorted(value, key=repr))
        else:
            yield value.name if isinstance(value, Enum) else repr(value)

    def _node(self, node: Any) -> Iterator[str]:
        if isinstance(node, Attribute | Column):
            yield f"{self._ids.setdefault(node.id, len(self._ids))} {node.name} {node.type!r}"
        elif isinstance(node, Literal):
            yield f"constant {node.text if node.shown is Shown.VALUE else ''} {node.type!r}"
        elif _is_leaf(node):
            yield "leaf"
            yield from self.parts(node.outputs)
        elif id(node) in self._met:
            yield f"as {self._met[id(node)]}"
        else:
            yield type(node).__name__
            if "__eq__" not in vars(type(node)):  # a node of a plan, which may have shared parts
                self._met[id(node)] = len(self._met)
            for field in fields(node):
                if field.name not in _LEFT_OUT:
                    yield from self.parts(getattr(node, field.name))


def _is_leaf(node: Any) -> bool:
    """Whether it gives columns of a leaf as they are, perhaps under other names."""
    while isinstance(node, Rename) or (isinstance(node, Project) and _only_passes(node)):
        node = node.child
    return isinstance(node, Read | Local)


def _only_passes(node: Project) -> bool:
    return all(isinstance(each.expression, Column) for each in node.definitions)
