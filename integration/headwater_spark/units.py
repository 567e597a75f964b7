"""Parses durations, sizes and counts in the notation of Spark's configuration, and writes moments as events have them.

Invalid values give the default.
"""

from __future__ import annotations

import re
from datetime import datetime, timezone
from typing import Final

_NUMBER: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)
_SECONDS: Final = {"us": 1e-6, "ms": 1e-3, "": 1, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_BYTES: Final = {"": 1, "b": 1, "k": 2**10, "kb": 2**10, "m": 2**20, "mb": 2**20, "g": 2**30, "gb": 2**30}


def seconds(text: str, default: float) -> float:
    """Parse a duration like 500ms, 10s or 2m; a number without a unit is in seconds."""
    return _scaled(text, _SECONDS, default)


def size(text: str, default: int) -> int:
    """Parse a size like 512k, 64m or 1g, in powers of 1024; a number without a unit is in bytes, or a count."""
    return int(_scaled(text, _BYTES, default))


def instant(time: int) -> str:
    """Epoch milliseconds as RFC 3339 in UTC."""
    moment = datetime.fromtimestamp(time / 1000, timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _scaled(text: str, units: dict[str, int] | dict[str, float], default: float) -> float:
    found = _NUMBER.fullmatch(text)
    unit = units.get(found[2].lower()) if found else None
    return default if found is None or unit is None else float(found[1]) * unit
