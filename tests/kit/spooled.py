"""The events in a spool, also in the files that a running process has open."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


def spooled_events(root: Path) -> list[dict[str, Any]]:
    """The events below the spool's folder, read from copies of the files; not of a spool of this process.

    Empty where a file changed while it was copied.
    """
    with TemporaryDirectory() as copies:
        try:
            for file in root.glob("*/[0-9]*.db*"):
                shutil.copy(file, copies)
            return [event for file in sorted(Path(copies).glob("*.db")) for event in _events(file)]
        except (OSError, sqlite3.Error):
            return []


def spooled(root: Path) -> int:
    """The number of events below the spool's folder."""
    return len(spooled_events(root))


def _events(file: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(file)) as db:
        return [json.loads(content) for (content,) in db.execute("SELECT content FROM entry ORDER BY id")]
