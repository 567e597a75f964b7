"""What crosses the boundary between the regions and the outside."""

from __future__ import annotations

from dataclasses import dataclass

from headwater_boundary.policy import Sketch


@dataclass(frozen=True, slots=True)
class Leaving:
    """A column of an intermediate: its type, and why it may leave."""

    name: str
    type: str
    why: str
    sketch: Sketch | None = None


@dataclass(slots=True)
class Intermediate:
    """What crosses the boundary under a name: out of the regions, or back into them; ``of`` is the row set's number."""

    name: str
    of: int
    stage: int
    back: bool
    columns: list[Leaving]
    line: str
    least_group: int = 1
