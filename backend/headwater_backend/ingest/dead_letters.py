"""Dead letters: listing events that could not be stored, and retrying them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater_backend.domain import pages
from headwater_backend.domain.dead_letters import DeadLetter, LetterPlace, ListedLetter
from headwater_backend.domain.errors import BadQuestion, UnknownDeadLetter
from headwater_backend.domain.pages import Page, page, size
from headwater_backend.ingest.decoding.limits import Limits
from headwater_backend.ingest.letter_changes import Change, changed
from headwater_backend.ingest.sender import Sender
from headwater_backend.ports import DeadLetters, EventStore

if TYPE_CHECKING:
    from headwater_backend.ingest.service import Outcome

AT_ONCE = 100
"""The most letters in one request: each is a transaction of its own, and the caller waits for all of them."""


def letters(store: DeadLetters, first: int | None = None, after: str | None = None) -> Page[ListedLetter]:
    """A page of dead letters without their events, the oldest first. Raises ``BadQuestion``."""
    wanted = size(first, "dead letters")
    place = LetterPlace(*pages.read_cursor(after, (int, str))) if after else None
    return page(store.dead_letters(wanted + 1, place), wanted)


def cursor(letter: ListedLetter) -> str:
    """The cursor of the list after this letter."""
    return pages.cursor(*letter.place)


def letter(store: DeadLetters, key: str) -> DeadLetter:
    """The dead letter of that key; raises ``UnknownDeadLetter``."""
    found = store.dead_letter(key)
    if found is None:
        raise UnknownDeadLetter(
            f"no dead letter has the key {key!r}", "`headwater dead-letters list` names them"
        )
    return found


def mend(store: EventStore, key: str, changes: Sequence[Change], limits: Limits, sender: Sender) -> Outcome:
    """Store a letter's event with these changes, under the rights of its sender and of the caller together.

    A letter that is still refused stays as it was received. Raises ``UnknownDeadLetter`` and ``BadQuestion``.
    """
    from headwater_backend.ingest import service  # noqa: PLC0415 - slow to import, and mending is rare

    found = letter(store, key)
    if found.body is None:
        raise BadQuestion("nothing is kept of this event", "its sender has to send it again")
    if not changes or len(changes) > AT_ONCE:
        raise BadQuestion(f"{len(changes)} changes", f"1 to {AT_ONCE} can be made at once")
    return service.mend(store, found, json.dumps(changed(found.event(), changes)), limits, sender)


def replay(store: EventStore, keys: Sequence[str], limits: Limits, sender: Sender) -> list[Outcome]:
    """Retry these letters, if all of them are known; one outcome each, in order, but none for a letter that was deleted
    meanwhile. One letter at a time is in memory.

    Raises ``UnknownDeadLetter``, and ``BadQuestion`` for more than ``AT_ONCE``.
    """
    from headwater_backend.ingest import service  # noqa: PLC0415 - slow to import, and retries are rare

    if len(keys) > AT_ONCE:
        raise BadQuestion(f"{len(keys)} dead letters to try again", f"try up to {AT_ONCE} at once")
    wanted = list(dict.fromkeys(keys))
    for key in wanted:
        letter(store, key)
    return service.replay(store, filter(None, map(store.dead_letter, wanted)), limits, sender)
