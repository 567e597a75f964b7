"""The life of an execution, from its first document to the last event of its run.

            ┌──────── join ─────────▶ FOLDED      a part of another run, which has its lineage and figures
            │                           ▲
           NEW ──── wait ──▶ WAITING ── join      ended, while the plan of the one that runs it is unknown
            │                   │
            └───── announce ────┴──▶ ANNOUNCED    a run; its START waits for a location, or for something written
                                        │ start
                                        ▼
                                     STARTED      START is sent: from here on, names of datasets do not change
                                        │ end
                                        ▼
                                      ENDED       its last event is sent

What is not drawn changes nothing: a run that is announced again is the run that it was, and one that has ended sends
nothing more. An execution that writes nothing, and is no access that is reported, stays NEW until it is forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final


class State(Enum):
    """Where an execution is in its life."""

    NEW = auto()
    WAITING = auto()
    FOLDED = auto()
    ANNOUNCED = auto()
    STARTED = auto()
    ENDED = auto()


class Change(Enum):
    """What happens to an execution."""

    JOIN = auto()
    WAIT = auto()
    ANNOUNCE = auto()
    START = auto()
    END = auto()


TRANSITIONS: Final[Mapping[tuple[State, Change], State]] = {
    (State.NEW, Change.JOIN): State.FOLDED,
    (State.NEW, Change.WAIT): State.WAITING,
    (State.NEW, Change.ANNOUNCE): State.ANNOUNCED,
    (State.WAITING, Change.JOIN): State.FOLDED,
    (State.WAITING, Change.ANNOUNCE): State.ANNOUNCED,
    (State.ANNOUNCED, Change.START): State.STARTED,
    (State.ANNOUNCED, Change.END): State.ENDED,
    (State.STARTED, Change.END): State.ENDED,
}
"""From a state, by what happens, to the next; nothing else changes a state."""

RUNS: Final = frozenset({State.ANNOUNCED, State.STARTED})
"""States of an execution that is a run which has not ended."""
