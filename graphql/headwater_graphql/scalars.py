"""Scalars that GraphQL does not have itself."""

from __future__ import annotations

from typing import NewType

import strawberry

Long = NewType("Long", int)
LONG = strawberry.scalar(
    name="Long", description="A whole number of up to 64 bits.", serialize=int, parse_value=int
)


def maybe_long(value: int | None) -> Long | None:
    """The number, where there is one."""
    return None if value is None else Long(value)
