"""Room for deep expressions: a thread with a large stack, in which recursion is not cut short.

An expression of some thousand terms, built in a loop, nests as deep as it has terms. Spark's own stack bears that for
a while; the analysis bears more.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

STACK_BYTES = 512 * 1024 * 1024
"""Address space, not memory: only what is used is ever taken."""

DEEPEST = 200_000

T = TypeVar("T")


class _RecursionLimit:
    """The interpreter's limit, which is one for all threads: raised as long as an analysis runs, and no longer.

    Without it, a deep JSON text would overflow the stack of an ordinary thread, which ends the process.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._users:
                self._before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(self._before, DEEPEST))
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                sys.setrecursionlimit(self._before)


_raised_limit = _RecursionLimit()
_starting = threading.Lock()


def with_deep_stack(function: Callable[[], T]) -> T:
    """The function's result, from a thread of its own; what it raises is raised here."""
    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as e:  # noqa: BLE001 - carried over to the caller's thread
            failures.append(e)

    with _raised_limit:
        with _starting:
            before = threading.stack_size(STACK_BYTES)
            try:
                thread = threading.Thread(target=run, name="analysis", daemon=True)
                thread.start()
            finally:
                threading.stack_size(before)
        thread.join()
    if failures:
        raise failures[0]
    return results[0]
