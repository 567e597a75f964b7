"""What is wrong in a text of mappings, and where."""

from __future__ import annotations


class MappingError(ValueError):
    """A text is no mappings; ``line`` and ``column`` count from 1."""

    code = "MAPPING_INVALID"

    def __init__(self, line: int, column: int, problem: str, hint: str = "") -> None:
        super().__init__(f"line {line}, column {column}: {problem}")
        self.line = line
        self.column = column
        self.problem = problem
        self.hint = hint
