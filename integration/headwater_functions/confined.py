"""What reads foreign code can do nothing but compute: the interpreter itself refuses the rest while it runs.

A hook for audit events, which stays in the process from the first reading on, refuses whatever a thread does while it
reads: opening files, connecting, importing, compiling, starting programs, loading code. Other threads are not
concerned. The reader has no instruction for any of these; the hook is there for the mistake that nobody has found yet.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from headwater_functions.unreadable import UnreadableError

P = ParamSpec("P")
R = TypeVar("R")

_HARMLESS = frozenset({"builtins.id", "object.__getattr__", "sys._getframe"})
"""Events that computing raises; a later Python's new events are refused."""
_held = threading.local()


def confined(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which raises ``UnreadableError`` where it would act on anything outside its own values."""

    @wraps(function)
    def within(*args: P.args, **kwargs: P.kwargs) -> R:
        _watch()
        outer = getattr(_held, "reads", False)
        _held.reads = True
        try:
            return function(*args, **kwargs)
        finally:
            _held.reads = outer

    return within


@cache
def _watch() -> None:
    sys.addaudithook(_refuse)


def _refuse(event: str, _: tuple[Any, ...]) -> None:
    if getattr(_held, "reads", False) and event not in _HARMLESS:
        raise UnreadableError("FORBIDDEN", f"reading it would do more than compute ({event})")
