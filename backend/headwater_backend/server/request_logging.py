"""Request ids, one log line per request, and request metrics.

A client may send an id in ``X-Request-ID``; every answer returns it.
"""

from __future__ import annotations

import logging
import re
import time
import uuid
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bound_contextvars

from headwater_backend.server.authentication import caller_of
from headwater_backend.server.metrics import Metrics

HEADER = "X-Request-ID"
_SOUND = re.compile(r"[A-Za-z0-9._-]{1,128}")
_QUIET = ("/health", "/metrics")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_log = logging.getLogger(__name__)


def request_id_of(connection: HTTPConnection) -> str:
    """Return the id of the request."""
    return str(connection.scope.get("state", {}).get("request_id", ""))


class RequestLogging:
    """ASGI middleware that assigns request ids, logs requests and updates metrics."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        status = 500

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        begun = time.perf_counter()
        with bound_contextvars(request_id=request_id), self._metrics.in_progress.track_inprogress():
            try:
                await self._app(scope, receive, send_with_id)
            finally:
                if scope["type"] == "http":
                    self._record(scope, status, time.perf_counter() - begun)

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        route = _route(scope)
        self._metrics.requests.labels(method, route, status).inc()
        self._metrics.request_seconds.labels(method, route).observe(seconds)
        quiet = status < HTTPStatus.BAD_REQUEST and scope["path"].startswith(_QUIET)
        fields = {
            "method": method,
            "route": route,
            "status": status,
            "seconds": round(seconds, 4),
            "caller": caller_of(HTTPConnection({**scope, "type": "http"})).name,
        }
        _log.log(logging.DEBUG if quiet else logging.INFO, "request", extra=fields)


def _route(scope: Scope) -> str:
    """Return the declared route, so that there are few values; if its own path is empty, the requested prefix."""
    path = getattr(scope.get("route"), "path", None)
    return "none" if path is None else path or scope["path"].rstrip("/")


def _request_id(scope: Scope) -> str:
    """Return the id in the request if it is valid, since it is written to logs, else a new one."""
    sent = Headers(scope=scope).get(HEADER, "")
    return sent if _SOUND.fullmatch(sent) else uuid.uuid4().hex
