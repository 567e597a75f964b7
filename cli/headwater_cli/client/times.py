"""Parameter type for times: ``2026-11-21``, ``2026-11-21T06:00``, ``2026-11-21T06:00:00Z``; UTC without a time zone.

An age is accepted as well: ``30d``, ``12h``, ``2w``.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Final

import click

LAST_REVIEW: Final = "last-review"
_UNITS: Final = {"h": "hours", "d": "days", "w": "weeks"}


def parse_duration(text: str) -> timedelta | None:
    """Parse a number of hours, days or weeks: ``12h``, ``30d``, ``2w``; return None for other text."""
    found = re.fullmatch(r"([1-9]\d{0,4})([hdw])", text.strip().lower())
    return timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else None


class TimeParam(click.ParamType[str]):
    """Parameter type that converts a time or an age to ISO 8601 with a time zone, as GraphQL expects it."""

    name = "TIME"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Raise a usage error for text that is not a time."""
        ago = parse_duration(value)
        try:
            if ago is not None:
                return (datetime.now(timezone.utc) - ago).isoformat()
            time = datetime.fromisoformat(value.upper().replace("Z", "+00:00"))
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is not a time such as 2026-11-21, 2026-11-21T06:00:00Z or 30d", param, ctx)
        return (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).isoformat()


class TimeOrLastReview(TimeParam):
    """Parameter type that accepts ``last-review`` as well, and leaves it as it is."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return value if value == LAST_REVIEW else super().convert(value, param, ctx)


TIME = TimeParam()
