"""Parser for the built-in operations: selected fields and their arguments.

It supports the part of GraphQL that ``graphql/queries`` uses: operations, variables with defaults, arguments, and
fragments. Anything else raises ``ValueError``. The server parses all of GraphQL with graphql-core, which takes longer
to import than a query of a local store takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

_TOKEN: Final = re.compile(
    r'[\s,]+|\#[^\n]*|(?P<token>\.\.\.|\w+|\$\w+|[{}()\[\]:!=]|"[^"\\\n]*")|(?P<unknown>.)'
)
_WORDS: Final = {"true": True, "false": False, "null": None}


class Variable(str):
    """Name of a variable used as a value."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Field:
    """A selected field; an argument is a ``Variable`` or a value. A field without ``fields`` is a scalar."""

    name: str
    arguments: Mapping[str, Any]
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class ParsedOperation:
    """An operation: its kind (``query``, ``mutation`` or ``subscription``), variable defaults and root fields."""

    kind: str
    defaults: Mapping[str, Any]
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class _Spread:
    """Name of a fragment that is spread in a selection."""

    fragment: str


@dataclass(slots=True)
class _Selected:
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    inside: list[_Selected | _Spread] = field(default_factory=list)


@cache
def operation(text: str) -> ParsedOperation:
    """Parse a document with one operation."""
    return _Reader(text).operation()


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._fragments: dict[str, list[_Selected | _Spread]] = {}

    def operation(self) -> ParsedOperation:
        kind, _ = self._take(), self._take()
        defaults = dict(self._variables()) if self._next() == "(" else {}
        selected = self._selections()
        while self._at < len(self._tokens):
            self._take("fragment")
            name, _, _ = self._take(), self._take("on"), self._take()
            self._fragments[name] = self._selections()
        return ParsedOperation(kind, defaults, tuple(self._inlined(selected)))

    def _inlined(self, selected: list[_Selected | _Spread]) -> Iterator[Field]:
        for each in selected:
            if isinstance(each, _Spread):
                yield from self._inlined(self._fragments[each.fragment])
            else:
                yield Field(each.name, each.arguments, tuple(self._inlined(each.inside)))

    def _variables(self) -> Iterator[tuple[str, Any]]:
        self._take("(")
        while self._next() != ")":
            name, _ = self._take(), self._take(":")
            while self._next() not in ("=", ")") and not self._next().startswith("$"):
                self._take()  # the type is defined by the schema
            if self._next() == "=":
                self._take()
                yield name.removeprefix("$"), self._value()
        self._take(")")

    def _value(self) -> Any:
        if self._next() != "[":
            return _literal(self._take())
        self._take("[")
        found = []
        while self._next() != "]":
            found.append(self._value())
        self._take("]")
        return found

    def _selections(self) -> list[_Selected | _Spread]:
        found: list[_Selected | _Spread] = []
        self._take("{")
        while self._next() != "}":
            found.append(self._selection())
        self._take("}")
        return found

    def _selection(self) -> _Selected | _Spread:
        name = self._take()
        if name == "...":
            return _Spread(self._take())
        selected = _Selected(name)
        if self._next() == "(":
            selected.arguments = dict(self._arguments())
        if self._next() == "{":
            selected.inside = self._selections()
        return selected

    def _arguments(self) -> Iterator[tuple[str, Any]]:
        self._take("(")
        while self._next() != ")":
            name, _ = self._take(), self._take(":")
            yield name, self._value()
        self._take(")")

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, expected: str | None = None) -> str:
        token = self._next()
        if not token or (expected or token) != token:
            raise ValueError(f"expected {expected or 'more'}, got {token or 'end of document'}")
        self._at += 1
        return token


def _tokens(text: str) -> Iterator[str]:
    for found in _TOKEN.finditer(text):
        if found["unknown"]:
            raise ValueError(f"{found['unknown']!r} is not supported")
        if found["token"]:
            yield found["token"]


def _literal(token: str) -> Any:
    """Return the value of a token: a variable, a number, a string, a constant or an enum value."""
    if token.startswith("$"):
        return Variable(token[1:])
    if token.startswith('"'):
        return token[1:-1]
    return int(token) if token.isdigit() else _WORDS.get(token, token)
