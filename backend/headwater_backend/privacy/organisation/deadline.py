"""The deadline of Art. 33(1) GDPR, 72 hours from the discovery, by times that people state.

What is stated may be a day alone, and may lack its time zone; it is then any moment that it may mean.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Final, NamedTuple

HOURS: Final = timedelta(hours=72)
_FIRST_ZONE: Final = timezone(timedelta(hours=14))
_LAST_ZONE: Final = timezone(timedelta(hours=-12))
"""The zones in which a day begins first and last."""


class _Stated(NamedTuple):
    """A time as it is stated: its beginning, and how long it is."""

    begin: datetime
    length: timedelta


def deadline(discovered: str) -> str | None:
    """The end of the 72 hours, of a day from its beginning; None if no time is stated."""
    stated = _read(discovered)
    return (stated.begin + HOURS).isoformat(" ", "minutes") if stated else None


def is_late(discovered: str, notified: str) -> bool | None:
    """Whether the notification came after the deadline; None if what is stated does not tell.

    Two times without a zone are of the same one.
    """
    if not notified.strip():
        return False
    first, then = _read(discovered), _read(notified)
    if first is None or then is None:
        return None
    one_zone = first.begin.tzinfo is None and then.begin.tzinfo is None
    (earliest, latest), (begin, end) = (_moments(each, one_zone=one_zone) for each in (first, then))
    if begin > latest + HOURS:
        return True
    return None if end > earliest + HOURS else False


def _read(text: str) -> _Stated | None:
    text = text.strip()
    try:
        return _Stated(datetime.combine(date.fromisoformat(text), datetime.min.time()), timedelta(days=1))
    except ValueError:
        pass
    try:
        return _Stated(datetime.fromisoformat(text.replace("Z", "+00:00")), timedelta())
    except ValueError:
        return None


def _moments(stated: _Stated, *, one_zone: bool) -> tuple[datetime, datetime]:
    """The first and the last moment that is meant."""
    begin, end = stated.begin, stated.begin + stated.length
    if begin.tzinfo is not None:
        return begin, end
    first, last = (timezone.utc, timezone.utc) if one_zone else (_FIRST_ZONE, _LAST_ZONE)
    return begin.replace(tzinfo=first), end.replace(tzinfo=last)
