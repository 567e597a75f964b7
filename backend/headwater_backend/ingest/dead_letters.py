"""Dead letters: which events could not be stored, and whether they can be by now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater_backend.domain import pages
from headwater_backend.domain.dead_letters import DeadLetter, LetterPlace, ListedLetter
from headwater_backend.domain.errors import BadQuestion, UnknownDeadLetter
from headwater_backend.domain.pages import Page, page, size
from headwater_backend.ingest.decoding.limits import Limits
from headwater_backend.ingest.origin import Origin
from headwater_backend.ports import DeadLetters, EventStore

if TYPE_CHECKING:
    from headwater_backend.ingest.service import Outcome

AT_ONCE = 100
"""Each letter is a transaction of its own, and somebody waits for all of them."""


def letters(store: DeadLetters, first: int | None = None, after: str | None = None) -> Page[ListedLetter]:
    """A page of dead letters without their events, the oldest first. Raises ``BadQuestion``."""
    wanted = size(first, "dead letters")
    place = LetterPlace(*pages.read_cursor(after, (int, str))) if after else None
    return page(store.dead_letters(wanted + 1, place), wanted)


def cursor(letter: ListedLetter) -> str:
    """Where the list goes on behind this one."""
    return pages.cursor(*letter.place)


def letter(store: DeadLetters, key: str) -> DeadLetter:
    """The dead letter of that key; raises ``UnknownDeadLetter``."""
    found = store.dead_letter(key)
    if found is None:
        raise UnknownDeadLetter(
            f"there is no dead letter {key!r}", "`headwater dead-letters list` names them"
        )
    return found


def replay(store: EventStore, keys: Sequence[str], limits: Limits, origin: Origin) -> list[Outcome]:
    """Try these letters again, if all of them are known; one outcome each, in order, but none for a letter that is
    gone by then. One at a time is in memory.

    Raises ``UnknownDeadLetter``, and ``BadQuestion`` for more than ``AT_ONCE``.
    """
    from headwater_backend.ingest import service  # noqa: PLC0415 - decoding is dear to import, and few try again

    if len(keys) > AT_ONCE:
        raise BadQuestion(f"{len(keys)} dead letters to try again", f"try up to {AT_ONCE} at once")
    wanted = list(dict.fromkeys(keys))
    for key in wanted:
        letter(store, key)
    return service.replay(store, filter(None, map(store.dead_letter, wanted)), limits, origin)
