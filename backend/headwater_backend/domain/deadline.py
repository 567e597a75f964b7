"""How long a question may take, and whether anybody still waits for its answer.

Who takes a question sets a ``Deadline`` for what follows in the same context; threads that it has do a part of the work
get a copy of the context, and with it the deadline. What may take long looks at it: stores before and during each
statement, searches at each level, and answers at each list. Without a deadline, as for taking events in, everything
takes the time that it needs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from headwater_backend.domain.errors import QuestionError

_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


class OutOfTime(QuestionError):  # noqa: N818, the name says what is the case
    """The answer takes longer than it may, or nobody waits for it any more."""

    code = "OUT_OF_TIME"


class Deadline:
    """The end of the time for a question, ``seconds`` from now."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._abandoned = threading.Event()

    def abandon(self) -> None:
        """Nobody waits any more."""
        self._abandoned.set()

    def remaining(self) -> float:
        """The seconds that are left, at least 0."""
        return 0.0 if self._abandoned.is_set() else max(0.0, self._until - time.monotonic())

    def is_over(self) -> bool:
        """Whether no time is left."""
        return not self.remaining()

    def check(self) -> None:
        """Raise ``OutOfTime`` where no time is left."""
        if self.is_over():
            raise self.error()

    def error(self) -> OutOfTime:
        """What is said of an answer that takes too long."""
        hint = "ask for less: fewer levels, fields or items, or a page of them"
        return OutOfTime(f"the answer takes longer than {self._seconds:g} seconds", hint)

    def part(self, share: float) -> Deadline:
        """A deadline after that share of the time that is left, which is abandoned together with this one."""
        part = Deadline(self.remaining() * share)
        part._abandoned = self._abandoned
        return part


def current() -> Deadline | None:
    """The deadline of what is being done, if there is one."""
    return _current.get()


def check() -> None:
    """Raise ``OutOfTime`` where there is a deadline, and it is over."""
    deadline = _current.get()
    if deadline:
        deadline.check()


@contextmanager
def within(deadline: Deadline | None) -> Iterator[None]:
    """Have what is done inside end by then; None is any time."""
    token = _current.set(deadline)
    try:
        yield
    finally:
        _current.reset(token)
