"""Dead letters in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import astuple
from typing import Final

from headwater_backend.domain.dead_letters import DeadLetter, LetterPlace, ListedLetter, oldest_beyond

KEEP: Final = """
INSERT INTO dead_letter (key, received, origin, code, pointer, detail, body, sender, about)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE
SET code = excluded.code, pointer = excluded.pointer, detail = excluded.detail, about = excluded.about
"""
ALL: Final = "SELECT received, key FROM dead_letter"
FORGET: Final = "DELETE FROM dead_letter WHERE key = ?"
ONE: Final = (
    "SELECT key, received, origin, code, pointer, detail, body, sender FROM dead_letter WHERE key = ?"
)
PAGE: Final = """
SELECT key, received, origin, code, pointer, detail, about FROM dead_letter
WHERE :key IS NULL OR (received, key) > (:received, :key)
ORDER BY received, key LIMIT :count
"""


def keep(db: sqlite3.Connection, letters: Sequence[DeadLetter]) -> None:
    """Store the letters, and delete the oldest beyond the bound."""
    db.executemany(KEEP, ((*astuple(letter), letter.listed().about) for letter in letters))
    forget(db, oldest_beyond(db.execute(ALL)))


def forget(db: sqlite3.Connection, keys: Sequence[str]) -> None:
    """Delete the letters."""
    db.executemany(FORGET, ((key,) for key in keys))


def one(db: sqlite3.Connection, key: str) -> DeadLetter | None:
    """The letter of that key, or None."""
    row = db.execute(ONE, (key,)).fetchone()
    return DeadLetter(*row) if row else None


def page(db: sqlite3.Connection, first: int, after: LetterPlace | None) -> list[ListedLetter]:
    """The letters after that place, oldest first, without their events."""
    received, key = after or (None, None)
    rows = db.execute(PAGE, {"received": received, "key": key, "count": first})
    return [ListedLetter(*row) for row in rows]
