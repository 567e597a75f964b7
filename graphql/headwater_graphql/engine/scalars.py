"""Additional GraphQL scalars."""

from __future__ import annotations

from typing import NewType

Long = NewType("Long", int)
"""A 64-bit signed integer."""


def maybe_long(value: int | None) -> Long | None:
    """Convert an integer to ``Long``; None stays None."""
    return None if value is None else Long(value)
