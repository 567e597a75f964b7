"""Moments as they are typed: ``2026-11-21``, ``2026-11-21T06:00``, ``2026-11-21T06:00:00Z``; without a zone, UTC.

Or as long ago: ``30d``, ``12h``, ``2w``.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Final

import click

_UNITS: Final = {"h": "hours", "d": "days", "w": "weeks"}


def duration(text: str) -> timedelta | None:
    """A number of hours, days or weeks: ``12h``, ``30d``, ``2w``; None for anything else."""
    found = re.fullmatch(r"([1-9]\d{0,4})([hdw])", text.strip().lower())
    return timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else None


class Moment(click.ParamType[str]):
    """Passes on the moment in ISO 8601 with its zone, as GraphQL takes it."""

    name = "TIME"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Raises wrong usage for what is not a moment."""
        ago = duration(value)
        try:
            if ago is not None:
                return (datetime.now(timezone.utc) - ago).isoformat()
            moment = datetime.fromisoformat(value.upper().replace("Z", "+00:00"))
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is not a time such as 2026-11-21, 2026-11-21T06:00:00Z or 30d", param, ctx)
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).isoformat()


MOMENT = Moment()
