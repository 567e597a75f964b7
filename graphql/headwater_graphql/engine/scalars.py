"""Scalars that GraphQL does not have itself."""

from __future__ import annotations

from typing import NewType

Long = NewType("Long", int)
"""A whole number of up to 64 bits."""


def maybe_long(value: int | None) -> Long | None:
    """The number, where there is one."""
    return None if value is None else Long(value)
