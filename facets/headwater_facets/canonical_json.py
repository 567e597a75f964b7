"""Canonical JSON: equal values have equal text."""

from __future__ import annotations

import json
from typing import Any, Final

_CANONICAL: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


def canonical(value: Any) -> str:
    """Return JSON with sorted keys and no whitespace: equal values have equal text."""
    return _CANONICAL.encode(value)
