"""Opaque cursors: where a page ended, as text that a client hands back."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from headwater_backend.errors import BadQuestion


def made(*parts: str | int | None) -> str:
    """A cursor that says these parts."""
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()


def read(cursor: str, kinds: Sequence[type]) -> list[Any]:
    """The parts of a cursor that ``made`` made, if they are of these kinds; raises ``BadQuestion``."""
    try:
        parts = json.loads(base64.urlsafe_b64decode(cursor.encode()))
    except (ValueError, RecursionError):
        parts = None
    if not isinstance(parts, list) or len(parts) != len(kinds):
        raise _not_a_cursor(cursor)
    if not all(type(part) is kind for part, kind in zip(parts, kinds, strict=True)):
        raise _not_a_cursor(cursor)
    if any(isinstance(part, int) and not 0 <= part < 2**63 for part in parts):
        raise _not_a_cursor(cursor)
    return parts


def _not_a_cursor(cursor: str) -> BadQuestion:
    return BadQuestion(f"{cursor!r} is not a cursor", "take the cursor of the page before")
