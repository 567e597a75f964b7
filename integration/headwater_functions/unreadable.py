"""The one error of this package: why a function cannot be looked into, and what would change that."""

from __future__ import annotations

ANY_HINT = "declare what the function does"
"""The hint where no change of the code is known that would make it readable."""


class UnreadableError(Exception):
    """Code that stays opaque. ``code`` is stable, ``reason`` and ``hint`` are sentences for people."""

    def __init__(self, code: str, reason: str, hint: str = "", line: int | None = None) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint
        self.line = line
