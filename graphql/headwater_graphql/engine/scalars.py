"""Additional GraphQL scalars."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import NewType

from graphql import GraphQLError

Long = NewType("Long", int)
"""A 64-bit signed integer."""


def maybe_long(value: int | None) -> Long | None:
    """Convert an integer to ``Long``; None stays None."""
    return None if value is None else Long(value)


def in_utc(time: datetime) -> datetime:
    """The time in UTC, which it also is without a time zone. Raises ``GraphQLError`` where that has no such year."""
    try:
        return time.replace(tzinfo=timezone.utc) if time.tzinfo is None else time.astimezone(timezone.utc)
    except (ValueError, OverflowError):
        raise GraphQLError(f"{time} is out of range in UTC") from None
