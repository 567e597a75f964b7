"""Why a program is not split."""

from __future__ import annotations


class CannotSplitError(Exception):
    """A part of the program that cannot be split: the operator, its line in the program, and the reason."""

    def __init__(self, operator: str, reason: str, line: str = "") -> None:
        super().__init__(f"{line + ': ' if line else ''}{operator}: {reason}")
        self.operator = operator
        self.reason = reason
        self.line = line
