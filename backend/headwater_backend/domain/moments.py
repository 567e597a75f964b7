"""Times as whole microseconds since 1970 UTC, which both stores keep and compare exactly."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)


def micros(moment: datetime) -> int:
    """Microseconds since 1970; a time without zone is UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    return (aware - EPOCH) // _MICROSECOND


def moment(value: int) -> datetime:
    """The inverse of ``micros``, in UTC."""
    return EPOCH + timedelta(microseconds=value)


def maybe_moment(value: int | None) -> datetime | None:
    """``moment`` of a value that may be missing."""
    return None if value is None else moment(value)


def now() -> int:
    """The present, by this machine's clock."""
    return time.time_ns() // 1_000
