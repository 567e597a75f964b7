"""What is known of values of the JVM while a function is read, and of its methods and their types."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from headwater_functions.analysis.values import Edge
from headwater_functions.unreadable import UnreadableError

PARAMETER = re.compile(r"\[*(?:L[^;]+;|[ZBCSIJFD])")


@dataclass(frozen=True)
class Held:
    """A value. ``sites``: where it may have been made; ``program``: an object that is bound to the function."""

    edges: frozenset[Edge] = frozenset()
    constant: str | int | None = None
    sites: frozenset[Any] = frozenset()
    program: bool = False

    def joined(self, other: Held) -> Held:
        if self == other:
            return self
        constant = self.constant if self.constant == other.constant else None
        return Held(
            self.edges | other.edges, constant, self.sites | other.sites, self.program or other.program
        )


PLAIN_DATA = Held()
SECOND = Held(constant="\0second")
"""The second slot of a value that takes two."""


@dataclass(frozen=True)
class Method:
    """A method's instructions: of each its number, and what belongs to it."""

    is_static: bool
    line: int
    has_handlers: bool
    code: tuple[tuple[Any, ...], ...]


@dataclass
class State:
    stack: list[Held]
    names: dict[int, Held]

    def copy(self) -> State:
        return State(list(self.stack), dict(self.names))

    def join_into(self, known: State) -> bool:
        """Whether what is known has grown."""
        if len(self.stack) != len(known.stack):
            raise unreadable("BYTECODE", "its stack differs between two ways")
        stack = [a.joined(b) for a, b in zip(known.stack, self.stack, strict=True)]
        names = {n: known.names[n].joined(self.names[n]) for n in known.names if n in self.names}
        grown = stack != known.stack or names != known.names
        known.stack, known.names = stack, names
        return grown


def unreadable(code: str, reason: str, hint: str = "") -> UnreadableError:
    return UnreadableError(code, reason, hint)


def parameters_of(key: str) -> list[str]:
    """The types of a method's parameters, as class files write them."""
    return PARAMETER.findall(key[key.index("(") : key.index(")")])


def first_of(key: str) -> str:
    return parameters_of(key)[0]


def slots(value: Held, kind: str) -> tuple[Held, ...]:
    return (value, SECOND) if kind in ("J", "D") else (value,)


DATA = frozenset(
    {*"ZBCSIJFD", "Ljava/lang/String;"}
    | {f"Ljava/lang/{n};" for n in ("Integer", "Long", "Double", "Boolean")}
)
"""The types of fields that hold nothing but a value."""
