"""The files of a queue, which somebody may remove while they are open."""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from pathlib import Path


def identity(path: Path) -> tuple[int, int] | None:
    """What a file is known by, whatever its name; None if there is none."""
    with suppress(FileNotFoundError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None


def log_of_its_own(db: sqlite3.Connection, path: Path) -> bool:
    """Copy what the open write-ahead log holds into the file, and begin a new one; whether that was possible.

    A file that somebody put in the log's place is renamed, because SQLite would delete it.
    """
    stranger = path.with_name(f"{path.name}-wal")
    if stranger.exists():
        stranger.rename(path.with_name(f"{path.name}-wal.{time.time_ns()}"))
    if db.execute("PRAGMA journal_mode = DELETE").fetchone() != ("delete",):
        return False
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("BEGIN IMMEDIATE")
    db.execute("COMMIT")
    return True
