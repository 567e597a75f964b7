"""The entries of a queue."""

from __future__ import annotations

from typing import Final, NamedTuple

FIRST_TURN: Final = (0, 0)
LONGEST_PAUSE: Final = 900.0
"""The most seconds until an entry is due again. More is left, after the clock was set back, only of wrong times."""


class Entry(NamedTuple):
    """An entry without its content."""

    id: int
    stream: str | None
    events: int
    """The number of events in it, which the queue only adds up; so are ``bytes``, the size of the content."""
    bytes: int
    tries: int

    @property
    def turn(self) -> tuple[int, int]:
        """The place in the order in which entries are tried."""
        return self.tries, self.id
