"""JSON from untrusted senders: its values are counted before they are parsed.

Three bytes of text, ``[],``, are 64 bytes of memory as a list in a list, so that a body within its limits could still
take all memory. A value is the first of all, or follows a comma or an opening bracket, so the number of these bounds
the number of values. Those within strings are excluded only when it matters.
"""

from __future__ import annotations

import json
import re
from typing import Any

from headwater_backend.domain.errors import EventError

EVENT_VALUES = "HEADWATER_MAX_EVENT_VALUES"
BATCH_VALUES = "HEADWATER_MAX_BATCH_VALUES"
_STRING = re.compile(r'"[^"]*"')
_BEFORE_VALUES = (",", "[", "{")


def read(text: bytes | str, most_values: int, setting: str) -> Any:
    """The parsed JSON; raises ``EventError``: NOT_JSON, TOO_DEEP, or TOO_MANY_VALUES, whose hint is ``setting``."""
    try:
        plain = text if isinstance(text, str) else text.decode("utf-8-sig", "surrogatepass")
        if has_more_values(plain, most_values):
            raise too_many(most_values, setting)
        return json.loads(plain)
    except RecursionError:
        raise EventError("TOO_DEEP", "", "JSON nests too deep") from None
    except ValueError as error:
        raise EventError("NOT_JSON", "", str(error), "send JSON in UTF-8") from None


def too_many(most_values: int, setting: str) -> EventError:
    """The error for an event or a batch with more values than that."""
    detail = f"it has more than {most_values} JSON values"
    return EventError("TOO_MANY_VALUES", "", detail, f"send less at once, or raise {setting}")


def has_more_values(text: str, most: int) -> bool:
    """Whether the text holds more JSON values than that; takes time linear in the text, whatever its content."""
    if _count(text) < most:
        return False
    return _count(_STRING.sub("", text.replace("\\\\", "").replace('\\"', ""))) >= most


def _count(text: str) -> int:
    return sum(map(text.count, _BEFORE_VALUES))
