"""Problem documents (RFC 9457) with a stable ``code`` for errors over HTTP.

The type of a problem is ``urn:headwater:problem:CODE``. ``pointer`` is a JSON pointer into the body.
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
    """A request body is invalid."""

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
    """Return a problem document; members without a value are omitted."""
    document: dict[str, Any] = {
        "type": f"urn:headwater:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "detail": detail,
        "code": code,
        "pointer": pointer,
        "hint": hint,
    }
    members = {name: value for name, value in document.items() if value is not None}
    return JSONResponse(members, status_code=status, headers=headers, media_type=MEDIA_TYPE)


def event_status(error: EventError) -> HTTPStatus:
    """Return the status for an event's error: 400 if it is not JSON, 413 if it is too large, 403 if the caller may not
    write its namespaces, 500 if the error is internal, else 422.
    """
    if error.code == INTERNAL:
        return HTTPStatus.INTERNAL_SERVER_ERROR
    if error.code in _TOO_LARGE:
        return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    if error.code == "FORBIDDEN_NAMESPACE":
        return HTTPStatus.FORBIDDEN
    return HTTPStatus.BAD_REQUEST if error.code in _NOT_JSON else HTTPStatus.UNPROCESSABLE_ENTITY


def install(app: FastAPI) -> None:
    """Install handlers that answer all errors of the app with problem documents."""
    app.add_exception_handler(EventError, _refused_event)
    app.add_exception_handler(BodyError, _refused_body)
    app.add_exception_handler(StoreUnavailable, _store_unavailable)
    app.add_exception_handler(ClientDisconnect, _disconnected)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _internal)


async def _refused_event(_: Request, error: Exception) -> Response:
    assert isinstance(error, EventError)  # noqa: S101 - the handler is only installed for this type
    return problem(event_status(error), error.code, error.detail, pointer=error.pointer, hint=error.hint)


async def _refused_body(_: Request, error: Exception) -> Response:
    assert isinstance(error, BodyError)  # noqa: S101 - the handler is only installed for this type
    return problem(error.status, error.code, error.detail, pointer=error.pointer, hint=error.hint)


async def _store_unavailable(_: Request, error: Exception) -> Response:
    assert isinstance(error, StoreUnavailable)  # noqa: S101 - the handler is only installed for this type
    return problem(
        HTTPStatus.SERVICE_UNAVAILABLE,
        error.code,
        "the store does not answer",
        hint="send the events again; repeated events change nothing",
        headers={"Retry-After": str(error.retry_after)},
    )


async def _disconnected(_: Request, __: Exception) -> Response:
    """Answer for logs and metrics only, because the client has disconnected."""
    return problem(
        HTTPStatus.BAD_REQUEST, "BROKEN_OFF", "the connection was closed before the end of the body"
    )


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - the handler is only installed for this type
    code = HTTPStatus(error.status_code).name
    return problem(error.status_code, code, error.detail, headers=dict(error.headers or {}))


async def _internal(request: Request, error: Exception) -> Response:
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "INTERNAL", "internal error; see the server's log")
