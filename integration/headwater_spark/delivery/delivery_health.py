"""Log messages about problems, at most one warning for each receiver and application, which names what is lost.

Messages at level WARN and above become warnings in Spark's log; those at INFO are for debugging.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Final

log = logging.getLogger(__name__)

LONG: Final = 60.0
"""Seconds after which a continuing problem is logged at once. A shorter one is logged at the end, with its result."""


class LossLog:
    """Logs the lost lineage of one application: the first loss as a warning, further ones at INFO.

    Further ones need no warning, since each event lists what it lacks.
    """

    def __init__(self) -> None:
        self._warned = False

    def report(self, text: str, *args: object) -> None:
        """Log one more loss; formatted as ``logging`` does."""
        log.log(logging.INFO if self._warned else logging.WARNING, text, *args)
        self._warned = True


class DeliveryHealth:
    """The current problems of the delivery to one receiver."""

    def __init__(self, receiver: str) -> None:
        self._receiver = receiver
        self._problems: dict[str, str] = {}
        self._since: float | None = None
        self._warned = False

    def add_problem(self, kind: str, text: str) -> None:
        """Record a problem. The first text of its kind is kept until ``clear``."""
        self._since = self._since or time.monotonic()
        self._problems.setdefault(kind, text)
        if not self._warned and time.monotonic() - self._since > LONG:
            self._warned = True
            log.warning("%s", self._line(()))

    def clear(self, kind: str) -> None:
        """Remove the problem of this kind."""
        if self._problems.pop(kind, None) is not None and not self._problems:
            self._since = None

    def report(self, waiting: Sequence[str] = (), lost: Sequence[str] = ()) -> None:
        """Log, at the end, all problems with the events that still wait and those that are lost.

        A warning, unless one was logged before and nothing is lost.
        """
        if not (self._problems or waiting or lost):
            return
        is_known = self._warned and not lost
        log.log(logging.INFO if is_known else logging.WARNING, "%s", self._line((*waiting, *lost)))

    def _line(self, more: Sequence[str]) -> str:
        return f"{self._receiver}: {'; '.join([*self._problems.values(), *more])}"
