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

    with _starting:
        before = threading.stack_size(STACK_BYTES)
        try:
            sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST))
            thread = threading.Thread(target=run, name="analysis", daemon=True)
            thread.start()
        finally:
            threading.stack_size(before)
    thread.join()
    if failures:
        raise failures[0]
    return results[0]
