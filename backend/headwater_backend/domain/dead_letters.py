"""Events that were taken in and could not be stored: kept, so that somebody can look at them and try again.

Two sorts of events come here. One validates, but the store refuses to apply it: another event would not mend that, a
newer Headwater or a mended store may. The other came over Kafka and does not validate: there is nobody to answer.

A letter holds the event as it came, and that is names, paths and facets, never data; what is no JSON object at all may
be anything, and is not kept: the letter then says where it came from. Letters are bounded in size and in number:
``MAX_BODY_BYTES`` each, and of more than ``MAX_LETTERS`` the oldest go. A list tells of them without the events
(``ListedLetter``): a page of these could be larger than the memory.
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
    """Where a letter stands in the list of all, the oldest first; also when it is there no more."""

    received: int
    key: str


@dataclass(frozen=True, slots=True)
class ListedLetter:
    """A dead letter without its event; ``about`` says which job, or dataset, and when, as far as the event does."""

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
    """An event that could not be stored, and why; ``received`` is in microseconds since 1970.

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
        """Who sent it, with the rights of then."""
        return Caller.of_text(self.sender) if self.sender else everything(self.origin)

    def event(self) -> Mapping[str, Any]:
        """The event; empty where nothing is kept of it."""
        found: dict[str, Any] = json.loads(self.body) if self.body is not None else {}
        return found

    def listed(self) -> ListedLetter:
        """As a list tells of it."""
        return ListedLetter(
            self.key, self.received, self.origin, self.code, self.pointer, self.detail, self._about()
        )

    def _about(self) -> str:
        event = self.event()
        parts = (part for part in (event.get("job"), event.get("dataset")) if isinstance(part, dict))
        named: Mapping[str, Any] = next(parts, {})
        told = (named.get("namespace"), named.get("name"), event.get("eventTime"))
        return _bounded(_storable(" ".join(str(part) for part in told if part)))


def letter_of(
    event: bytes | str | Mapping[str, Any], error: HeadwaterError, origin: str, sender: Caller | None = None
) -> DeadLetter:
    """The letter of an event that came from ``origin`` and failed so; without ``sender``, it has all rights."""
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
    """The keys of those (received, key) that have to go, so that ``limit`` stay."""
    return [key for _, key in sorted(letters, reverse=True)[limit:]]


def _text(event: bytes | str | Mapping[str, Any]) -> str:
    if isinstance(event, bytes):
        return event.decode(errors="replace")
    return event if isinstance(event, str) else json.dumps(event)


def _body(text: str) -> str | None:
    """The text, where it is a JSON object that any store can keep."""
    try:
        if len(text.encode()) > MAX_BODY_BYTES or not isinstance(json.loads(text), dict):
            return None
    except (ValueError, RecursionError):
        return None
    return text.replace("\0", "")


def _storable(text: str) -> str:
    """Without what JSON can escape and a store cannot keep: NULs and lone surrogates."""
    return text.replace("\0", "").encode(errors="replace").decode()


def _bounded(text: str) -> str:
    return text if len(text) <= 1_000 else text[:999] + "…"
