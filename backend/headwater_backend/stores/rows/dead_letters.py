"""Dead letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from headwater_backend.domain.dead_letters import DeadLetter, LetterPlace, ListedLetter, oldest_beyond
from headwater_backend.stores.rows.transaction import Transaction, WritingTransaction


def keep(tx: WritingTransaction, letters: Sequence[DeadLetter]) -> None:
    """Store the letters, and delete the oldest beyond the bound."""
    statements = tx.statements.dead_letters
    tx.write(statements.keep, ({**asdict(letter), "about": letter.listed().about} for letter in letters))
    forget(tx, oldest_beyond((received, key) for received, key in tx.rows(statements.places)))


def forget(tx: WritingTransaction, keys: Sequence[str]) -> None:
    """Delete the letters."""
    tx.delete(tx.statements.dead_letters.forget, keys=list(keys))


def one(tx: Transaction, key: str) -> DeadLetter | None:
    """The letter of that key, or None."""
    return next((DeadLetter(*row) for row in tx.rows(tx.statements.dead_letters.one, key=key)), None)


def page(tx: Transaction, first: int, after: LetterPlace | None) -> list[ListedLetter]:
    """The letters after that place, oldest first, without their events."""
    received, key = after or (None, None)
    rows = tx.rows(tx.statements.dead_letters.page, received=received, key=key, count=first)
    return [ListedLetter(*row) for row in rows]
