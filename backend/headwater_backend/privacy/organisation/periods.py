"""Periods of retention as organisations state them: ``90 days``, ``3 years``, ``30d``, ``10 Jahre``."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import datetime, timedelta
from typing import Final, NamedTuple

_UNITS: Final = {
    "days": r"d|days?|tage?n?",
    "weeks": r"w|weeks?|wochen?",
    "months": r"months?|monate?n?",
    "years": r"y|years?|jahre?n?",
}
_PERIOD: Final = re.compile(
    r"(?P<count>\d{1,4})\s*(?:" + "|".join(f"(?P<{unit}>{words})" for unit, words in _UNITS.items()) + ")",
    re.IGNORECASE,
)


class Period(NamedTuple):
    """A number of days and of months."""

    days: int = 0
    months: int = 0

    def before(self, moment: datetime) -> datetime:
        """The moment that is this period before another one; of the last day of a month, a day that exists."""
        months = moment.year * 12 + moment.month - 1 - self.months
        year, month = max(1, months // 12), months % 12 + 1
        day = min(moment.day, monthrange(year, month)[1])
        return moment.replace(year=year, month=month, day=day) - timedelta(days=self.days)


def parse_period(text: str) -> Period | None:
    """The period, if the text is one and nothing else; of ``ten years after the order`` the beginning is not known."""
    counted = count_of(text)
    if counted is None:
        return None
    count, unit = counted
    if unit in ("days", "weeks"):
        return Period(days=count * (7 if unit == "weeks" else 1))
    return Period(months=count * (12 if unit == "years" else 1))


def count_of(text: str) -> tuple[int, str] | None:
    """A period's number and unit, ``(3, "years")``; None if the text is no period."""
    found = _PERIOD.fullmatch(text.strip())
    return found and (int(found["count"]), next(unit for unit in _UNITS if found[unit]))
