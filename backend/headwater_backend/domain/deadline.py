"""Deadlines of questions: how long one may take, and whether anybody still waits for its answer.

The server sets a ``Deadline`` for the context in which it answers a question; threads that do a part of the work get a
copy of the context, and with it the deadline. Whatever may take long checks it: stores before and during each
statement, searches at each level, and answers at each list. Without a deadline, as for taking events in, there is no
limit.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from headwater_backend.domain.errors import QuestionError

_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


class OutOfTime(QuestionError):  # noqa: N818, the name describes the condition
    """The answer takes longer than it may, or nobody waits for it any more."""

    code = "OUT_OF_TIME"


class Deadline:
    """The end of the time for a question, ``seconds`` from now."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._abandoned = threading.Event()

    def abandon(self) -> None:
        """End the deadline: nobody waits for the answer any more."""
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
        """The error for an answer that takes too long."""
        hint = "ask for less: fewer levels, fields or items, or a page of them"
        return OutOfTime(f"the answer takes longer than {self._seconds:g} seconds", hint)

    def part(self, share: float) -> Deadline:
        """A deadline after that share of the time that is left, which is abandoned together with this one."""
        part = Deadline(self.remaining() * share)
        part._abandoned = self._abandoned
        return part


def current() -> Deadline | None:
    """The deadline of the current context, or None."""
    return _current.get()


def check() -> None:
    """Raise ``OutOfTime`` where the current context has a deadline that is over."""
    deadline = _current.get()
    if deadline:
        deadline.check()


@contextmanager
def within(deadline: Deadline | None) -> Iterator[None]:
    """Set the deadline for the code inside; None is no limit."""
    token = _current.set(deadline)
    try:
        yield
    finally:
        _current.reset(token)
