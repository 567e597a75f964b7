"""Reads a pattern from text.

    pattern  = branch { "," branch }
    branch   = [ "//" ] name [ "[" least ".." [ most ] "]" ] [ "{" pattern "}" ] [ condition | ( "/" | "//" ) branch ]
    condition = ( "=" | ">" | "<" | "contains" | "!contains" | "length" ) value
    value    = a text in double quotes, a number, true, false

Names with other characters than letters, digits, ``_`` and ``-`` stand in backticks.
"""

from __future__ import annotations

import json
import re

from headwater_records.nested.patterns import CHILD, DESCENDANT, Condition, Node, Pattern, PatternError

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[\w-]+|`[^`]+`")
_BOUNDS = re.compile(r"\[\s*(\d+)\s*\.\.\s*(\d*)\s*\]")
_CONDITION = re.compile(r"!contains\b|contains\b|length\b|[=<>]")
_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true\b|false\b')


def parse_pattern(text: str) -> Pattern:
    """The pattern; a PatternError names the position of what cannot be read."""
    reader = _Reader(text)
    nodes = reader.branches()
    if reader.rest():
        raise reader.error("expected , or the end")
    return Pattern(nodes)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    def error(self, message: str) -> PatternError:
        return PatternError(message, self.place + 1)

    def rest(self) -> str:
        self.take(_SPACE)
        return self.text[self.place :]

    def take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.place)
        if not found:
            return ""
        self.place = found.end()
        return found.group()

    def sign(self, sign: str) -> bool:
        if not self.rest().startswith(sign):
            return False
        self.place += len(sign)
        return True

    def branches(self) -> tuple[Node, ...]:
        found = [self.branch(DESCENDANT if self.sign("//") else CHILD)]
        while self.sign(","):
            found.append(self.branch(DESCENDANT if self.sign("//") else CHILD))
        return tuple(found)

    def branch(self, edge: str) -> Node:
        self.rest()
        start = self.place + 1
        name = self.take(_NAME).strip("`")
        if not name:
            raise self.error("expected a name")
        least, most = self.bounds()
        children: tuple[Node, ...] = ()
        if self.sign("{"):
            children = self.branches()
            if not self.sign("}"):
                raise self.error("expected }")
        test = None
        if self.sign("//"):
            children = (*children, self.branch(DESCENDANT))
        elif self.sign("/"):
            children = (*children, self.branch(CHILD))
        else:
            test = self.condition()
        return Node(name, children, test, least, most, edge, start)

    def bounds(self) -> tuple[int, int | None]:
        if not self.rest().startswith("["):
            return 1, None
        found = _BOUNDS.match(self.text, self.place)
        if not found:
            raise self.error("expected bounds as [2..3] or [2..]")
        self.place = found.end()
        return int(found[1]), int(found[2]) if found[2] else None

    def condition(self) -> Condition | None:
        self.rest()
        operator = self.take(_CONDITION)
        if not operator:
            return None
        self.rest()
        value = self.take(_VALUE)
        if not value:
            raise self.error("expected a text in double quotes, a number, true or false")
        return Condition(operator, json.loads(value))
