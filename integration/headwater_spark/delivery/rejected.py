"""The file of the events that a receiver refused, with the reasons: JSON lines, for people to read."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Final

REJECTED_LIMIT: Final = 64_000_000  # bytes of refused events that are kept
_FILE: Final = "rejected.ndjson"


def rejected_file(folder: Path) -> Path:
    """The file in a destination's folder."""
    return folder / _FILE


def append_rejected(folder: Path, event: bytes, reason: str) -> bool:
    """Append a refused event and the reason; False if that fails or the file is full."""
    text = json.dumps({"time": time.time_ns() // 1_000_000, "reason": reason, "event": _parse(event)})
    try:
        with rejected_file(folder).open("a", encoding="utf-8") as file:
            if file.tell() + len(text) > REJECTED_LIMIT:
                return False
            file.write(text + "\n")
    except OSError:
        return False
    return True


def count_rejected(folder: Path) -> int:
    """The number of refused events in a destination's folder."""
    try:
        with rejected_file(folder).open("rb") as file:
            return sum(1 for _ in file)
    except OSError:
        return 0


def _parse(event: bytes) -> object:
    """The JSON value of an event; its text if it is not JSON."""
    try:
        return json.loads(event)
    except ValueError:
        return event.decode("utf-8", "replace")
