"""What was read from the code of a user function: flows from paths of its arguments to paths of its result."""

from __future__ import annotations

from dataclasses import dataclass

from headwater_facets.kinds import MOVES, Manipulation, Retains


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
class Reading:
    """The flows of a function whose code was read. ``unread``: why parts of its result may hold more."""

    name: str
    file: str
    line: int
    flows: tuple[ReadFlow, ...]
    unread: tuple[str, ...] = ()
