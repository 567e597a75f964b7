"""OpenLineage HTTP endpoints for single events and for batches.

A single event is answered with 201 when it is durable, and with 202 if the store refuses it and it is kept as a dead
letter. A batch is answered with 200 when all of it is durable, else with 207 and the failed members.
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
from headwater_backend.ingest.sender import Sender
from headwater_backend.ingest.service import Outcome, RawEvent, ingest
from headwater_backend.ports import EventStore
from headwater_backend.server import openapi
from headwater_backend.server.authentication import caller_of
from headwater_backend.server.middleware import too_large
from headwater_backend.server.problems import BodyError
from headwater_backend.server.request_logging import request_id_of

_GZIP = 16 + zlib.MAX_WBITS
_GZIP_NAMES = ("gzip", "x-gzip")
"""RFC 9110 recommends to treat both as equivalent."""
_FORMS = frozenset({"application/x-www-form-urlencoded", "multipart/form-data", "text/plain"})
_ACCEPT_GZIP = {"Accept-Encoding": "gzip"}
"""Answer header that announces the supported encodings (RFC 9110, 12.5.3)."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits of a request."""

    event: Limits
    body_bytes: int
    batch_events: int
    batch_values: int


def router(
    store: EventStore,
    limits: RequestLimits,
    report: Callable[[Sequence[Outcome]], None],
    journal: Journal | None = None,
) -> APIRouter:
    """Return the endpoints under ``/api/v1``; ``report`` is called with the outcomes of each request.

    With a ``journal``, events are accepted while the store is unavailable.
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
        body = await read_body(request, limits.body_bytes)
        outcomes = await run_in_threadpool(ingest, store, [body], limits.event, _origin(request), journal)
        report(outcomes)
        (outcome,) = outcomes
        if outcome.dead_letter:
            return JSONResponse(_dead_letter(outcome), status_code=HTTPStatus.ACCEPTED, headers=_ACCEPT_GZIP)
        if outcome.error:
            raise outcome.error
        return Response(status_code=HTTPStatus.CREATED, headers=_ACCEPT_GZIP)

    @routes.post("/lineage/batch", responses=openapi.BATCH_RESPONSES, openapi_extra=openapi.BATCH_BODY)
    async def batch(request: Request) -> Response:
        body = await read_body(request, limits.body_bytes)
        ingest_events = partial(ingest, store, limits=limits.event, sender=_origin(request), journal=journal)
        outcomes = await run_in_threadpool(_ingest_batch, body, limits, ingest_events)
        report(outcomes)
        return _batch_response(outcomes)

    return routes


def _origin(request: Request) -> Sender:
    return Sender(caller_of(request), request_id_of(request))


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body, decompressed if it is gzip; raises ``BodyError`` if it has more than ``limit`` bytes."""
    _require_no_form(request)
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "", *_GZIP_NAMES):
        raise BodyError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "UNKNOWN_ENCODING",
            f"{encoding!r} is not supported",
            "use gzip",
        )
    body = await request.body()
    return await run_in_threadpool(_unpacked, body, limit) if encoding in _GZIP_NAMES else body


def _require_no_form(request: Request) -> None:
    """Raise ``BodyError`` for content types that an HTML form of another site can send."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type in _FORMS:
        raise BodyError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "UNKNOWN_MEDIA_TYPE",
            f"the content type {media_type} is not supported",
            "send JSON with Content-Type: application/json",
        )


def _unpacked(body: bytes, limit: int) -> bytes:
    """Decompress the body, never to more than ``limit`` bytes."""
    unpacker = zlib.decompressobj(_GZIP)
    try:
        plain = unpacker.decompress(body, limit + 1)
    except zlib.error as error:
        raise BodyError(HTTPStatus.BAD_REQUEST, "NOT_GZIP", f"the body is not gzip: {error}") from None
    if len(plain) > limit:
        raise too_large(limit)
    if not unpacker.eof:
        raise BodyError(HTTPStatus.BAD_REQUEST, "NOT_GZIP", "the gzip body is truncated")
    if unpacker.unused_data:
        raise BodyError(HTTPStatus.BAD_REQUEST, "NOT_GZIP", "the gzip body has trailing data")
    return plain


def _ingest_batch(
    body: bytes, limits: RequestLimits, ingest_events: Callable[[list[RawEvent]], list[Outcome]]
) -> list[Outcome]:
    """Store the events of a JSON array with ``ingest_events``; raises ``EventError`` if it is not an array."""
    members = _members(body, limits.batch_values)
    if len(members) > limits.batch_events:
        detail = f"the batch has {len(members)} events, more than the maximum {limits.batch_events}"
        raise EventError(
            "TOO_MANY_EVENTS", "", detail, "send smaller batches, or raise HEADWATER_MAX_BATCH_EVENTS"
        )
    events: list[RawEvent] = [member for member in members if isinstance(member, dict)]
    stored = iter(ingest_events(events))
    return [
        replace(next(stored), index=index) if isinstance(member, dict) else Outcome(index, _not_an_object())
        for index, member in enumerate(members)
    ]


def _members(body: bytes, most_values: int) -> list[Any]:
    members = json_text.read(body, most_values, json_text.BATCH_VALUES)
    if not isinstance(members, list):
        raise EventError("NOT_AN_ARRAY", "", "expected a JSON array of events")
    return members


def _not_an_object() -> EventError:
    return EventError("NOT_AN_OBJECT", "", "expected a JSON object")


def _dead_letter(outcome: Outcome) -> dict[str, str | None]:
    """Return the body for an event that is kept as a dead letter, because sending it again would not help."""
    error = outcome.error
    return {
        "code": error.code if error else None,
        "detail": error.detail if error else None,
        "hint": error.hint if error else None,
        "dead_letter": outcome.dead_letter,
    }


def _batch_response(outcomes: list[Outcome]) -> Response:
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
        headers=_ACCEPT_GZIP,
    )
