"""What goes wrong, in as few lines as a job's log should have about it: one, that says what is lost.

Lines at level WARN and above become warnings in Spark's log; those at INFO are there for whoever looks for more.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Final

log = logging.getLogger(__name__)

LONG: Final = 60.0
"""Seconds of trouble after which it is said at once; what is shorter is said at the end, with what became of it."""


class Losses:
    """Lineage of one application that is lost: the first time is a warning, and every event says what it lacks."""

    def __init__(self) -> None:
        self._warned = False

    def say(self, text: str, *args: object) -> None:
        """One more loss; formatted as ``logging`` does."""
        log.log(logging.INFO if self._warned else logging.WARNING, text, *args)
        self._warned = True


class Trouble:
    """What keeps events from one receiver, and what becomes of them."""

    def __init__(self, receiver: str) -> None:
        self._receiver = receiver
        self._notes: dict[str, str] = {}
        self._since: float | None = None
        self._warned = False

    def note(self, kind: str, text: str) -> None:
        """Something is wrong; the first text of its kind is kept, until ``over``."""
        self._since = self._since or time.monotonic()
        self._notes.setdefault(kind, text)
        if not self._warned and time.monotonic() - self._since > LONG:
            self._warned = True
            log.warning("%s", self._line(()))

    def over(self, kind: str) -> None:
        """It is no longer wrong."""
        if self._notes.pop(kind, None) is not None and not self._notes:
            self._since = None

    def settle(self, waiting: Sequence[str] = (), lost: Sequence[str] = ()) -> None:
        """The end: say what has not been said, with what still waits and what is lost."""
        if not (self._notes or waiting or lost):
            return
        known = self._warned and not lost
        log.log(logging.INFO if known else logging.WARNING, "%s", self._line((*waiting, *lost)))

    def _line(self, more: Sequence[str]) -> str:
        return f"{self._receiver}: {'; '.join([*self._notes.values(), *more])}"
