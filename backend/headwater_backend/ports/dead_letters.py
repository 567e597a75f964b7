"""The port to the dead letters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from headwater_backend.domain.dead_letters import DeadLetter, LetterPlace, ListedLetter


class DeadLetters(Protocol):
    """Events that were accepted and could not be stored."""

    def keep_dead_letters(self, letters: Sequence[DeadLetter]) -> None:
        """Store them durably, each key once; beyond ``MAX_LETTERS`` the oldest are deleted."""
        ...

    def dead_letters(self, first: int = 100, after: LetterPlace | None = None) -> Sequence[ListedLetter]:
        """Up to ``first`` dead letters after that place, oldest first, without their events. They are not part of
        ``contents``.
        """
        ...

    def dead_letter(self, key: str) -> DeadLetter | None:
        """The dead letter of that key, or None."""
        ...

    def forget_dead_letters(self, keys: Sequence[str]) -> None:
        """Delete the letters of these keys; unknown ones are ignored."""
        ...
