"""The OpenLineage HTTP endpoints: one event, or a batch of them.

One event is answered with 201 when it is durable, and with 202 when the store refuses it and it is kept as a dead
letter. A batch is answered with 200 when all of it is durable, and with 207 and the members that failed when some are
not.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from headwater_backend.domain.errors import EventError
from headwater_backend.ingest.decoding import json_text
from headwater_backend.ingest.decoding.limits import Limits
from headwater_backend.ingest.journal import Journal
from headwater_backend.ingest.origin import Origin
from headwater_backend.ingest.service import Outcome, RawEvent, ingest
from headwater_backend.ports import EventStore
from headwater_backend.server import openapi
from headwater_backend.server.authentication import caller_of
from headwater_backend.server.guards import too_large
from headwater_backend.server.problems import BodyError
from headwater_backend.server.requests import request_id_of

_GZIP = 16 + zlib.MAX_WBITS
_GZIP_NAMES = ("gzip", "x-gzip")
"""RFC 9110 has recipients take both for the same."""
_FORMS = frozenset({"application/x-www-form-urlencoded", "multipart/form-data", "text/plain"})
_TAKES_GZIP = {"Accept-Encoding": "gzip"}
"""In an answer: what a client may send from now on (RFC 9110, 12.5.3)."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a request may be at most."""

    event: Limits
    body_bytes: int
    batch_events: int
    batch_values: int


def router(
    store: EventStore,
    bounds: Bounds,
    tell: Callable[[Sequence[Outcome]], None],
    journal: Journal | None = None,
) -> APIRouter:
    """The endpoints under ``/api/v1``; ``tell`` is called with what became of each request's events.

    With a ``journal``, events are taken in while the store is away.
    """
    routes = APIRouter(prefix="/api/v1")

    @routes.post(
        "/lineage",
        status_code=HTTPStatus.CREATED,
        response_class=Response,
        responses=openapi.EVENT_RESPONSES,
        openapi_extra=openapi.EVENT_BODY,
    )
    async def one_event(request: Request) -> Response:
        body = await read_body(request, bounds.body_bytes)
        outcomes = await run_in_threadpool(ingest, store, [body], bounds.event, _origin(request), journal)
        tell(outcomes)
        (outcome,) = outcomes
        if outcome.dead_letter:
            return JSONResponse(_dead_letter(outcome), status_code=HTTPStatus.ACCEPTED, headers=_TAKES_GZIP)
        if outcome.error:
            raise outcome.error
        return Response(status_code=HTTPStatus.CREATED, headers=_TAKES_GZIP)

    @routes.post("/lineage/batch", responses=openapi.BATCH_RESPONSES, openapi_extra=openapi.BATCH_BODY)
    async def batch(request: Request) -> Response:
        body = await read_body(request, bounds.body_bytes)
        take_in = partial(ingest, store, limits=bounds.event, origin=_origin(request), journal=journal)
        outcomes = await run_in_threadpool(_ingest_batch, body, bounds, take_in)
        tell(outcomes)
        return _told(outcomes)

    return routes


def _origin(request: Request) -> Origin:
    return Origin(caller_of(request), request_id_of(request))


async def read_body(request: Request, limit: int) -> bytes:
    """The body, unpacked when it is gzip; at most ``limit`` bytes either way, else ``BodyError``."""
    _require_no_form(request)
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "", *_GZIP_NAMES):
        raise BodyError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "UNKNOWN_ENCODING",
            f"{encoding!r} is not understood",
            "use gzip",
        )
    body = await request.body()
    return await run_in_threadpool(_unpacked, body, limit) if encoding in _GZIP_NAMES else body


def _require_no_form(request: Request) -> None:
    """Raise ``BodyError`` for what the form of any site's page can have a browser send."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type in _FORMS:
        raise BodyError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "UNKNOWN_MEDIA_TYPE",
            f"events are not taken as {media_type}",
            "send JSON, and say so: Content-Type: application/json",
        )


def _unpacked(body: bytes, limit: int) -> bytes:
    """Never unpacks more than ``limit`` bytes, whatever there is."""
    unpacker = zlib.decompressobj(_GZIP)
    try:
        plain = unpacker.decompress(body, limit + 1)
    except zlib.error as error:
        raise BodyError(HTTPStatus.BAD_REQUEST, "NOT_GZIP", f"the body is not gzip: {error}") from None
    if len(plain) > limit:
        raise too_large(limit)
    if not unpacker.eof:
        raise BodyError(HTTPStatus.BAD_REQUEST, "NOT_GZIP", "the gzip body ends too early")
    if unpacker.unused_data:
        raise BodyError(HTTPStatus.BAD_REQUEST, "NOT_GZIP", "something follows the gzip body")
    return plain


def _ingest_batch(
    body: bytes, bounds: Bounds, take_in: Callable[[list[RawEvent]], list[Outcome]]
) -> list[Outcome]:
    """Like ``ingest`` (which ``take_in`` is), for a JSON array; raises ``EventError`` when it is none."""
    members = _members(body, bounds.batch_values)
    if len(members) > bounds.batch_events:
        detail = f"a batch has {bounds.batch_events} events at most, and this one {len(members)}"
        raise EventError("TOO_MANY_EVENTS", "", detail, "send several, or raise HEADWATER_MAX_BATCH_EVENTS")
    events: list[RawEvent] = [member for member in members if isinstance(member, dict)]
    stored = iter(take_in(events))
    return [
        replace(next(stored), index=index) if isinstance(member, dict) else Outcome(index, _not_an_object())
        for index, member in enumerate(members)
    ]


def _members(body: bytes, most_values: int) -> list[Any]:
    members = json_text.read(body, most_values, json_text.BATCH_VALUES)
    if not isinstance(members, list):
        raise EventError("NOT_AN_ARRAY", "", "a batch is a JSON array of events")
    return members


def _not_an_object() -> EventError:
    return EventError("NOT_AN_OBJECT", "", "an event is a JSON object")


def _dead_letter(outcome: Outcome) -> dict[str, str | None]:
    """What is said of an event that is kept, but not stored: sending it again would not mend that."""
    error = outcome.error
    return {
        "code": error.code if error else None,
        "detail": error.detail if error else None,
        "hint": error.hint if error else None,
        "dead_letter": outcome.dead_letter,
    }


def _told(outcomes: list[Outcome]) -> Response:
    failed = [
        {
            "index": outcome.index,
            "reason": outcome.error.detail,
            "retriable": False,
            "code": outcome.error.code,
            "pointer": f"/{outcome.index}{outcome.error.pointer}",
            "hint": outcome.error.hint,
            **({"dead_letter": outcome.dead_letter} if outcome.dead_letter else {}),
        }
        for outcome in outcomes
        if outcome.error
    ]
    stored = len(outcomes) - len(failed)
    summary = {
        "received": len(outcomes),
        "successful": stored,
        "failed": len(failed),
        "retriable": 0,
        "non_retriable": len(failed),
    }
    status = "success" if not failed else "partial_success" if stored else "failure"
    return JSONResponse(
        {"status": status, "summary": summary, "failed_events": failed},
        status_code=HTTPStatus.MULTI_STATUS if failed else HTTPStatus.OK,
        headers=_TAKES_GZIP,
    )
