"""Dead letters: events that were received and could not be stored, kept so that somebody can inspect and retry them.

There are two sorts of such events. One validates, but the store refuses to apply it: sending it again does not help, a
newer Headwater or a repaired store may. The other came over Kafka and does not validate: its sender gets no answer.

A letter holds the event as it was received: names, paths and facets, never data. A message that is no JSON object may
be anything, and is not kept: such a letter only has its origin. Letters are bounded in size and in number:
``MAX_BODY_BYTES`` each, and beyond ``MAX_LETTERS`` the oldest are deleted. A list has the letters without their events
(``ListedLetter``), because a page of events could be larger than the memory.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Final, NamedTuple

from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.domain.moments import micros
from headwater_backend.domain.roles import Caller, everything

MAX_BODY_BYTES: Final = 8 * 1024 * 1024
MAX_LETTERS: Final = 10_000


class LetterPlace(NamedTuple):
    """The position of a letter in the list of all, oldest first; it stays valid when the letter is deleted."""

    received: int
    key: str


@dataclass(frozen=True, slots=True)
class ListedLetter:
    """A dead letter without its event; ``about`` is the event's job or dataset and its time, as far as it has them."""

    key: str
    received: int
    origin: str
    code: str
    pointer: str
    detail: str
    about: str

    @property
    def place(self) -> LetterPlace:
        return LetterPlace(self.received, self.key)


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """An event that could not be stored, with the reason; ``received`` is in microseconds since 1970.

    The same event from the same place has the same ``key``. ``body`` is None where nothing is kept of it. ``sender`` is
    the caller with its rights (``Caller.text``), None where the event came with all of them.
    """

    key: str
    received: int
    origin: str
    code: str
    pointer: str
    detail: str
    body: str | None
    sender: str | None = None

    def caller(self) -> Caller:
        """The sender, with the rights that it had when it sent the event."""
        return Caller.of_text(self.sender) if self.sender else everything(self.origin)

    def event(self) -> Mapping[str, Any]:
        """The event; empty where nothing is kept of it."""
        found: dict[str, Any] = json.loads(self.body) if self.body is not None else {}
        return found

    def listed(self) -> ListedLetter:
        """The letter without its event."""
        return ListedLetter(
            self.key, self.received, self.origin, self.code, self.pointer, self.detail, self._about()
        )

    def _about(self) -> str:
        event = self.event()
        parts = (part for part in (event.get("job"), event.get("dataset")) if isinstance(part, dict))
        named: Mapping[str, Any] = next(parts, {})
        about = (named.get("namespace"), named.get("name"), event.get("eventTime"))
        return _bounded(_storable(" ".join(str(part) for part in about if part)))


def letter_of(
    event: bytes | str | Mapping[str, Any], error: HeadwaterError, origin: str, sender: Caller | None = None
) -> DeadLetter:
    """The letter of an event from ``origin`` that failed with ``error``; without ``sender``, it has all rights."""
    text = _text(event)
    key = hashlib.sha256(f"{origin}\n{text}".encode(errors="surrogatepass")).hexdigest()[:16]
    return DeadLetter(
        key=key,
        received=micros(datetime.now(timezone.utc)),
        origin=origin,
        code=error.code,
        pointer=getattr(error, "pointer", ""),
        detail=_bounded(error.message),
        body=_body(text),
        sender=sender.text() if sender else None,
    )


def oldest_beyond(letters: Iterable[tuple[int, str]], limit: int = MAX_LETTERS) -> list[str]:
    """The keys of the oldest letters beyond ``limit``; ``letters`` are (received, key)."""
    return [key for _, key in sorted(letters, reverse=True)[limit:]]


def _text(event: bytes | str | Mapping[str, Any]) -> str:
    if isinstance(event, bytes):
        return event.decode(errors="replace")
    return event if isinstance(event, str) else json.dumps(event)


def _body(text: str) -> str | None:
    """The text if it is a JSON object that any store can keep, else None."""
    try:
        if len(text.encode()) > MAX_BODY_BYTES or not isinstance(json.loads(text), dict):
            return None
    except (ValueError, RecursionError):
        return None
    return text.replace("\0", "")


def _storable(text: str) -> str:
    """The text without what JSON can escape and a store cannot keep: NULs and lone surrogates."""
    return text.replace("\0", "").encode(errors="replace").decode()


def _bounded(text: str) -> str:
    return text if len(text) <= 1_000 else text[:999] + "…"
