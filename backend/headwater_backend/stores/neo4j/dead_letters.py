"""Dead letters in Neo4j."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from neo4j import ManagedTransaction

from headwater_backend.domain.dead_letters import DeadLetter, LetterPlace, ListedLetter, oldest_beyond

KEEP: Final = """
UNWIND $rows AS r MERGE (n:DeadLetter {key: r.key})
ON CREATE SET n = r
ON MATCH SET n.code = r.code, n.pointer = r.pointer, n.detail = r.detail, n.about = r.about
"""
ALL: Final = "MATCH (n:DeadLetter) RETURN n.received, n.key"
FORGET: Final = "UNWIND $keys AS key MATCH (n:DeadLetter {key: key}) DELETE n"
ONE: Final = """
MATCH (n:DeadLetter {key: $key})
RETURN n.key, n.received, n.origin, n.code, n.pointer, n.detail, n.body, n.sender
"""
PAGE: Final = """
MATCH (n:DeadLetter)
WHERE $key IS NULL OR n.received > $received OR (n.received = $received AND n.key > $key)
RETURN n.key, n.received, n.origin, n.code, n.pointer, n.detail, coalesce(n.about, '')
ORDER BY n.received, n.key LIMIT $count
"""


def keep(tx: ManagedTransaction, letters: Sequence[DeadLetter]) -> None:
    """Store the letters, and delete the oldest beyond the bound."""
    tx.run(KEEP, rows=[{**asdict(letter), "about": letter.listed().about} for letter in letters]).consume()
    forget(tx, oldest_beyond((received, key) for received, key in tx.run(ALL).values()))


def forget(tx: ManagedTransaction, keys: Sequence[str]) -> None:
    """Delete the letters."""
    tx.run(FORGET, keys=list(keys)).consume()


def one(tx: ManagedTransaction, key: str) -> DeadLetter | None:
    """The letter of that key, or None."""
    row = tx.run(ONE, key=key).single()
    return DeadLetter(*row.values()) if row else None


def page(tx: ManagedTransaction, first: int, after: LetterPlace | None) -> list[ListedLetter]:
    """The letters after that place, oldest first, without their events."""
    received, key = after or (None, None)
    rows = tx.run(PAGE, received=received, key=key, count=first).values()
    return [ListedLetter(*row) for row in rows]
