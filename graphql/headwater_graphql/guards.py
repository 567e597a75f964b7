"""What every request passes before anything else looks at it: three small ASGI layers.

``HostGuard`` refuses names that are not ours: a page of a foreign site may have its own name resolve to this machine,
and would then be of our origin. It also refuses requests that a browser sends for another site's page.
``BodyLimit`` counts the body while it is read. ``SecurityHeaders`` marks every answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headwater_graphql.problems import BodyError, problem

HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}


class HostGuard:
    """``hosts`` are the names by which we may be called, in lower case; None lets any through."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if self._hosts is not None and hostname(host) not in self._hosts:
            hint = "call it by its address, or name the host in HEADWATER_ALLOWED_HOSTS"
            await problem(
                HTTPStatus.MISDIRECTED_REQUEST, "UNKNOWN_HOST", "the server is not called so", hint=hint
            )(scope, receive, send)
        elif origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            await problem(
                HTTPStatus.FORBIDDEN, "FOREIGN_ORIGIN", "requests from other sites' pages are refused"
            )(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class BodyLimit:
    """Raises ``BodyError`` (413) as soon as more than ``limit`` bytes have come, or are announced."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "")
        left = self._limit
        refused = announced.isdigit() and int(announced) > self._limit

        async def counted() -> Message:
            nonlocal left
            if refused:
                raise too_large(self._limit)
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise too_large(self._limit)
            return message

        await self._app(scope, counted, send)


class SecurityHeaders:
    """Adds ``HEADERS`` to every answer that does not set them itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, marked)


def hostname(host: str) -> str:
    """The name in a Host header, without port and brackets, in lower case."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def too_large(limit: int) -> BodyError:
    """What is said of a body of more than ``limit`` bytes."""
    return BodyError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "BODY_TOO_LARGE",
        f"the body is larger than {limit} bytes",
        "send smaller batches, or raise HEADWATER_MAX_BODY_BYTES",
    )
