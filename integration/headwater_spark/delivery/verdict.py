"""What a failed delivery means for its event: try again later, or never.

Later, with growing pauses: the receiver is away or asks to wait (no connection, 5xx, 408, 429), or it is misconfigured
(credentials or an address that it does not know, a redirect, which is not followed, or a login page). Never: it
refuses this event (any other 4xx), which is then set aside so that it does not block the events behind it.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from headwater_spark.delivery.transports import redirect, status

_TRY_LATER: Final = frozenset({401, 403, 404, 405, 407, 408, 425, 429})


class Verdict(Enum):
    """The result of sending an event."""

    DELIVERED = "delivered"
    LATER = "later"
    NEVER = "never"


def verdict(error: Exception) -> tuple[Verdict, str]:
    """The verdict for a transport's error, and its reason without secrets."""
    code = status(error)
    if code is None:
        return Verdict.LATER, type(error).__name__
    if 400 <= code < 500 and code not in _TRY_LATER:
        text = getattr(getattr(error, "response", None), "text", "")
        return Verdict.NEVER, f"HTTP {code}: {str(text)[:500]}"
    if code < 300:
        return Verdict.LATER, f"HTTP {code} with a page, which no receiver of events sends"
    place = redirect(error)
    return Verdict.LATER, f"HTTP {code}, a redirect to {place}" if place else f"HTTP {code}"
