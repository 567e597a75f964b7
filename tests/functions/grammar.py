"""Functions written by chance from a grammar: rules of expressions of a kind, and of statements that name one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

HOLE = re.compile(r"<(\w+)>")
NAME = "@"
"""In a statement: the name of the variable that it gives a value."""
MOST_DEPTH = 3


@dataclass(frozen=True)
class Grammar:
    """``expressions`` of each kind, with other kinds in angle brackets; ``statements`` with the kind of what they bind.

    ``results`` are expressions, too: what a function gives back.
    """

    expressions: Mapping[str, Sequence[str]]
    statements: Sequence[tuple[str, str]]
    results: Sequence[str]


class Writer:
    """Writes one function; ``variables`` are those that it has by now, by kind."""

    def __init__(self, grammar: Grammar, chance: Random) -> None:
        self.grammar, self.chance = grammar, chance
        self.variables: dict[str, list[str]] = {}
        self.made = 0

    def function(self, head: str, most_statements: int = 6) -> str:
        lines = [line for _ in range(self.chance.randint(1, most_statements)) for line in self._statement()]
        result = self._filled(self.chance.choice(self.grammar.results), MOST_DEPTH)
        return "\n".join([head, *(f"    {line}" for line in lines), f"    return {result}"])

    def _statement(self) -> list[str]:
        kind, text = self.chance.choice(self.grammar.statements)
        self.made += 1
        name = f"v{self.made}"
        written = self._filled(text.replace(NAME, name), MOST_DEPTH)
        self.variables.setdefault(kind, []).append(name)
        return written.split("\n")

    def _filled(self, text: str, depth: int) -> str:
        return HOLE.sub(lambda hole: self._expression(hole[1], depth - 1), text)

    def _expression(self, kind: str, depth: int) -> str:
        known = self.variables.get(kind, ())
        if known and self.chance.random() < 0.5:
            return self.chance.choice(known)
        rules = self.grammar.expressions[kind]
        plain = [r for r in rules if not HOLE.search(r)]
        return self._filled(self.chance.choice(plain if depth < 1 and plain else rules), depth)
