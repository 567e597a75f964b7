"""What was read from the code of a user function, or why nothing was, and how that differs from its declaration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from headwater_facets.kinds import MOVES, Difference, Manipulation, Retains
from headwater_plan.declarations import Declaration, Flow


@dataclass(frozen=True, slots=True)
class ReadFlow:
    """One way from a path of an argument to a path of the result; paths are step names.

    ``decides``: it only decides, as ``CONDITION`` or ``NULL_TEST``; ``extent``: only how many elements it has does.
    """

    argument: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    manipulation: tuple[Manipulation, ...] = ()
    retains: Retains = Retains.VALUE
    decides: str = ""
    extent: bool = False

    @property
    def moves(self) -> bool:
        return not self.decides and MOVES.issuperset(self.manipulation)


@dataclass(frozen=True, slots=True)
class Why:
    """Why code is opaque. ``code`` is stable; ``hint`` is the change that would make it readable."""

    code: str
    reason: str
    hint: str = ""
    line: int | None = None


class Place(NamedTuple):
    """Where code stands: the function's own name, the file's, and its first line."""

    function: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A function whose code was read: where it stands, and its flows. ``unread``: why its result may hold more.

    ``held``: texts and numbers of the program that it carries. They are compared, and never leave.
    """

    name: str
    file: str
    line: int
    flows: tuple[ReadFlow, ...]
    unread: tuple[Why, ...] = ()
    held: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def place(self) -> Place:
        return Place(self.name, self.file, self.line)


@dataclass(frozen=True, slots=True)
class Different:
    """A flow of which a declaration and the code say different things."""

    difference: Difference
    argument: int
    source: tuple[str, ...]
    target: tuple[str, ...]


def differences(declaration: Declaration, reading: Reading) -> tuple[Different, ...]:
    """Where the code does something else than is declared of it; nothing of code that was not read as a whole."""
    return () if reading.unread else tuple(dict.fromkeys(_differences(declaration, reading)))


def _differences(declaration: Declaration, reading: Reading) -> Iterator[Different]:
    for read in reading.flows:
        place = (read.argument, read.source, read.target)
        if not any(_covers(flow, read) for flow in declaration.flows):
            yield Different(Difference.UNDECLARED, *place)
        elif declaration.masking and not read.decides and read.retains.readable:
            yield Different(Difference.READABLE, *place)
    for flow in declaration.flows:
        if not any(_is_same_way(flow, read) for read in reading.flows):
            yield Different(Difference.NOT_DONE, flow.argument, flow.source, flow.target or ())


def _covers(flow: Flow, read: ReadFlow) -> bool:
    """Whether all of the flow that was read is declared: a part of it does not do."""
    if flow.argument != read.argument or read.source[: len(flow.source)] != flow.source:
        return False
    if flow.target is None:
        return bool(read.decides)
    return bool(read.decides) or read.target[: len(flow.target)] == flow.target


def _is_same_way(flow: Flow, read: ReadFlow) -> bool:
    if flow.argument != read.argument or not meet(flow.source, read.source):
        return False
    return flow.target is None or meet(flow.target, read.target)


def meet(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one path is the other, or above it."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
