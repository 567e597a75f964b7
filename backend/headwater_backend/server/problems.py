"""Errors over HTTP: problem documents (RFC 9457) with a stable ``code``.

The type of a problem is ``urn:headwater:problem:CODE``. ``pointer`` is the JSON pointer of the place in the body.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from headwater_backend.domain.errors import EventError, StoreUnavailable
from headwater_backend.ingest.service import INTERNAL

MEDIA_TYPE = "application/problem+json"

_NOT_JSON = frozenset({"NOT_JSON", "TOO_DEEP", "BAD_TEXT", "BAD_NUMBER"})
_TOO_LARGE = frozenset({"TOO_LARGE", "TOO_MANY_EVENTS", "TOO_MANY_VALUES", "TEXT_TOO_LONG"})
_log = logging.getLogger(__name__)


class BodyError(Exception):
    """A request body that cannot be read."""

    def __init__(
        self, status: HTTPStatus, code: str, detail: str, hint: str | None = None, pointer: str | None = None
    ) -> None:
        super().__init__(detail)
        self.pointer = pointer
        self.status = status
        self.code = code
        self.detail = detail
        self.hint = hint


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    pointer: str | None = None,
    hint: str | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """A problem document; members that have no value are left out."""
    document: dict[str, Any] = {
        "type": f"urn:headwater:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "detail": detail,
        "code": code,
        "pointer": pointer,
        "hint": hint,
    }
    said = {name: value for name, value in document.items() if value is not None}
    return JSONResponse(said, status_code=status, headers=headers, media_type=MEDIA_TYPE)


def event_status(error: EventError) -> HTTPStatus:
    """400 for what is not JSON, 413 for what is too large, 403 for what is not the caller's to say, else 422; 500 where
    the event is not to blame.
    """
    if error.code == INTERNAL:
        return HTTPStatus.INTERNAL_SERVER_ERROR
    if error.code in _TOO_LARGE:
        return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    if error.code == "FORBIDDEN_NAMESPACE":
        return HTTPStatus.FORBIDDEN
    return HTTPStatus.BAD_REQUEST if error.code in _NOT_JSON else HTTPStatus.UNPROCESSABLE_ENTITY


def install(app: FastAPI) -> None:
    """Have every error of the app answered with a problem document."""
    app.add_exception_handler(EventError, _refused_event)
    app.add_exception_handler(BodyError, _refused_body)
    app.add_exception_handler(StoreUnavailable, _store_away)
    app.add_exception_handler(ClientDisconnect, _broken_off)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _internal)


async def _refused_event(_: Request, error: Exception) -> Response:
    assert isinstance(error, EventError)  # noqa: S101 - the handler is installed for no other
    return problem(event_status(error), error.code, error.detail, pointer=error.pointer, hint=error.hint)


async def _refused_body(_: Request, error: Exception) -> Response:
    assert isinstance(error, BodyError)  # noqa: S101
    return problem(error.status, error.code, error.detail, pointer=error.pointer, hint=error.hint)


async def _store_away(_: Request, error: Exception) -> Response:
    assert isinstance(error, StoreUnavailable)  # noqa: S101
    return problem(
        HTTPStatus.SERVICE_UNAVAILABLE,
        error.code,
        "the store does not answer",
        hint="send the same again; what is known already changes nothing",
        headers={"Retry-After": str(error.retry_after)},
    )


async def _broken_off(_: Request, __: Exception) -> Response:
    """For the log and the figures: nobody is there any more to read it."""
    return problem(HTTPStatus.BAD_REQUEST, "BROKEN_OFF", "the connection was closed before the body's end")


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    code = HTTPStatus(error.status_code).name
    return problem(error.status_code, code, error.detail, headers=dict(error.headers or {}))


async def _internal(request: Request, error: Exception) -> Response:
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "INTERNAL", "internal error; the server's log says more")
