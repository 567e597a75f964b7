"""The text or document of an event as an OpenLineage event, or the ``EventError`` for which it is refused."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any, Final

from pydantic import ValidationError

from headwater_backend.domain.errors import EventError
from headwater_backend.domain.moments import micros
from headwater_backend.ingest.decoding import json_text
from headwater_backend.ingest.decoding.documents import Event, shape_of
from headwater_backend.ingest.decoding.limits import Limits
from headwater_facets.canonical_json import canonical

MICROSECONDS: Final = 1_000_000
_NESTED: Final = frozenset({dict, list})


def read(event: bytes | str | Mapping[str, Any], limits: Limits) -> Event:
    """The event; raises ``EventError``."""
    document = _parsed(event, limits) if isinstance(event, bytes | str) else dict(event)
    _check_values(document, limits)
    validated = _validated(document)
    _check_time(validated, limits)
    return validated


def _parsed(text: bytes | str, limits: Limits) -> dict[str, Any]:
    """The JSON object in the text."""
    if len(text) > limits.event_bytes:
        raise _too_large(limits)
    document = json_text.read(text, limits.values, json_text.EVENT_VALUES)
    if not isinstance(document, dict):
        raise EventError("NOT_AN_OBJECT", "", "an event is a JSON object")
    return document


def _too_large(limits: Limits) -> EventError:
    hint = "raise HEADWATER_MAX_EVENT_BYTES, or let the agent send less"
    return EventError("TOO_LARGE", "", f"the event is larger than {limits.event_bytes} bytes", hint)


def _check_values(document: Mapping[str, Any], limits: Limits) -> None:
    """Refuse what no store could keep: invalid text or numbers, too deep or too large documents."""
    _check_shape(document, limits)
    try:
        size = len(canonical(document).encode())
    except ValueError:
        for pointer, value in _scalars(document):
            _check_scalar(pointer, value)
        raise
    if size > limits.event_bytes:
        raise _too_large(limits)
    if size > limits.text:
        _check_texts(document, limits)


def _check_texts(document: Mapping[str, Any], limits: Limits) -> None:
    if not _has_text_longer_than(limits.text, document):
        return
    for pointer, value in _scalars(document):
        if isinstance(value, str) and len(value) > limits.text:
            detail = f"the text is longer than {limits.text} characters"
            hint = "raise HEADWATER_MAX_EVENT_TEXT, or let the agent cut it"
            raise EventError("TEXT_TOO_LONG", pointer[: limits.text], detail, hint)


def _has_text_longer_than(most: int, document: Any) -> bool:
    work = [document]
    while work:
        value = work.pop()
        if isinstance(value, str):
            if len(value) > most:
                return True
        elif isinstance(value, Mapping):
            work += value
            work += value.values()
        elif isinstance(value, list):
            work += value
    return False


def _check_shape(document: Any, limits: Limits) -> None:
    level: list[Any] = [document]
    values = 0
    for _ in range(limits.depth):
        values += sum(map(len, level))
        deeper: list[Any] = [
            child
            for value in level
            for child in (value.values() if type(value) is dict else value)
            if type(child) in _NESTED
        ]
        if values > limits.values:
            raise json_text.too_many(limits.values, json_text.EVENT_VALUES)
        if not deeper:
            return
        level = deeper
    hint = "raise HEADWATER_MAX_EVENT_DEPTH, or let the agent send less"
    raise EventError("TOO_DEEP", "", f"JSON nests deeper than {limits.depth}", hint)


def _scalars(document: Any) -> Iterator[tuple[str, Any]]:
    work = [("", document)]
    while work:
        pointer, value = work.pop()
        if isinstance(value, Mapping):
            yield from ((pointer, key) for key in value)
            work.extend((f"{pointer}/{_escaped(str(key))}", child) for key, child in value.items())
        elif isinstance(value, list):
            work.extend((f"{pointer}/{index}", child) for index, child in enumerate(value))
        else:
            yield pointer, value


def _check_scalar(pointer: str, value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise EventError("BAD_NUMBER", pointer, "a number that is not finite")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            safe = pointer.encode(errors="replace").decode()
            raise EventError("BAD_TEXT", safe, "half a surrogate pair is not text") from None


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _validated(document: dict[str, Any]) -> Event:
    try:
        return shape_of(document).model_validate(document)
    except ValidationError as error:
        raise _refusal(error) from None


def _check_time(event: Event, limits: Limits) -> None:
    """Refuse events from the future: as the newest of all, they would override everything reported until then."""
    ahead = micros(event.event_time) - micros(datetime.now(timezone.utc))
    if ahead > limits.clock_skew * MICROSECONDS:
        detail = f"the time is more than {limits.clock_skew} seconds ahead of this server's clock"
        hint = "set the producer's clock, or raise HEADWATER_MAX_CLOCK_SKEW"
        raise EventError("IN_THE_FUTURE", "/eventTime", detail, hint)


def _refusal(error: ValidationError) -> EventError:
    """The error for the first problem, with the places of others as a hint."""
    first, *others = error.errors(include_url=False, include_context=False, include_input=False)
    code = "MISSING" if first["type"] == "missing" else "INVALID"
    more = ", ".join(_pointer(other["loc"]) for other in others[:5])
    return EventError(code, _pointer(first["loc"]), first["msg"], f"also look at {more}" if more else None)


def _pointer(location: Iterable[str | int]) -> str:
    return "".join(f"/{_escaped(str(part))}" for part in location)
