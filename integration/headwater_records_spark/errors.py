"""What cannot be answered, each with a code and a hint.

RecordsError
├── UntraceableError    an operator whose records cannot be traced, by its name
├── UnrepeatableError   running again gives another result
├── ChangedInputError   the inputs are not what they were
└── NotCapturedError    of an output nothing was kept, or not enough
"""

from __future__ import annotations


class RecordsError(Exception):
    """Which records made the result is not known."""

    code = "records"
    hint = ""


class UntraceableError(RecordsError):
    """An operator of the plan has no rule; ``operator`` is its name in Spark."""

    code = "untraceable"
    hint = "ask about the data frame before this operator, or write it down and ask about what was read back"

    def __init__(self, operator: str, reason: str = "", *, hint: str = "") -> None:
        super().__init__(f"records cannot be traced through {operator}" + (f": {reason}" if reason else ""))
        self.operator = operator
        self.hint = hint or self.hint


class UnrepeatableError(RecordsError):
    """The plan with identifiers gives other rows than the plan alone."""

    code = "unrepeatable"
    hint = "order what is limited, collected or ranked by a key, or ask about what was written"


class ChangedInputError(RecordsError):
    """A file of an input, or of an output that is asked about, is not what it was; ``path`` is its name."""

    code = "changed_input"
    hint = (
        "read the input anew and ask about the new frame, or capture in the mode full, which needs no inputs"
    )

    def __init__(self, source: str, path: str, change: str) -> None:
        super().__init__(f"{source} is not what it was: {path} {change}")
        self.path = path


class NotCapturedError(RecordsError):
    """Of a written output nothing was kept that could answer; the message names the output or the file."""

    code = "not_captured"
    hint = "write inside `with headwater_records_spark.capture(spark, into=…)`"
