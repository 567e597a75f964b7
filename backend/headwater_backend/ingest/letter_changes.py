"""Changes of an event, each at a JSON pointer (RFC 6901): small enough for the audit log, whatever the event's size."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from headwater_backend.domain.errors import BadQuestion


class Change(NamedTuple):
    """What is at the pointer afterwards, as JSON text; None removes it."""

    pointer: str
    value: str | None


def changed(document: Mapping[str, Any], changes: Sequence[Change]) -> dict[str, Any]:
    """A copy of the document with the changes, made one after the other. Raises ``BadQuestion``."""
    found: dict[str, Any] = json.loads(json.dumps(document))
    for change in changes:
        _change(found, change)
    return found


def _change(document: dict[str, Any], change: Change) -> None:
    *above, last = _steps(change.pointer)
    place: Any = document
    for step in above:
        place = _member(place, step, change.pointer)
    match place:
        case dict():
            _put(place, last, change)
        case list() if last.isdigit() and int(last) < len(place):
            _put(place, int(last), change)
        case _:
            raise _nothing_at(change.pointer)


def _put(place: Any, key: str | int, change: Change) -> None:
    if change.value is not None:
        place[key] = _value(change)
        return
    try:
        del place[key]
    except KeyError:
        raise _nothing_at(change.pointer) from None


def _value(change: Change) -> Any:
    try:
        return json.loads(change.value or "")
    except (ValueError, RecursionError):
        raise BadQuestion(f"what is to be at {change.pointer} is not JSON", "texts have quotes") from None


def _member(place: Any, step: str, pointer: str) -> Any:
    try:
        return place[int(step)] if isinstance(place, list) else place[step]
    except (KeyError, ValueError, IndexError, TypeError):
        raise _nothing_at(pointer) from None


def _steps(pointer: str) -> list[str]:
    if not pointer.startswith("/"):
        raise BadQuestion(f"{pointer!r} is no JSON pointer to a part of the event", "such as /job/name")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]


def _nothing_at(pointer: str) -> BadQuestion:
    return BadQuestion(f"the event has nothing at {pointer}", "`deadLetter` has the event as it was received")
