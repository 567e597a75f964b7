"""What cannot be answered, each with a code and a hint.

RecordsError
├── UntraceableError    an operator whose records cannot be traced, by its name
├── UnrepeatableError   running again gives another result
└── ChangedInputError   the inputs are not what they were
"""

from __future__ import annotations


class RecordsError(Exception):
    """Which records made the result cannot be said."""

    code = "records"
    hint = ""


class UntraceableError(RecordsError):
    """An operator of the plan has no rule; ``operator`` is its name in Spark."""

    code = "untraceable"
    hint = "ask about the data frame before this operator, or write it down and ask about what was read back"

    def __init__(self, operator: str, reason: str = "") -> None:
        super().__init__(f"records cannot be traced through {operator}" + (f": {reason}" if reason else ""))
        self.operator = operator


class UnrepeatableError(RecordsError):
    """The plan with identifiers gives other rows than the plan alone."""

    code = "unrepeatable"
    hint = "order what is limited, collected or ranked by a key, or ask about what was written"
