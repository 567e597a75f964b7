"""What every request passes before anything else looks at it: three small ASGI layers.

``HostGuard`` refuses names that are not ours: a page of a foreign site may have its own name resolve to this machine,
and would then be of our origin. It also refuses requests that a browser sends for another site's page, but for links
that somebody follows.
``BodyLimit`` counts the body while it is read, and does not wait for it for ever. ``SecurityHeaders`` marks every
answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import urlsplit

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headwater_backend.access.addresses import is_address
from headwater_backend.server.problems import BodyError, problem

EVENTS = "/api/v1/lineage"
PROBES = frozenset({"/health/live", "/health/ready"})
"""Asked by orchestrators, at whatever address the server happens to have; they say yes or no."""
_LENGTH_DIGITS = 18

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
    """``hosts`` are the names by which we may be called, in lower case; None lets any through.

    With ``addresses`` any address will do, too: nobody can have it resolve to another.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None, addresses: bool = False) -> None:
        self._app = app
        self._hosts = hosts
        self._addresses = addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or scope["path"] in PROBES:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not self._is_ours(hostname(headers.get("host", ""))):
            hint = "call it by its address, or name the host in HEADWATER_ALLOWED_HOSTS"
            await problem(
                HTTPStatus.MISDIRECTED_REQUEST, "UNKNOWN_HOST", "the server is not called so", hint=hint
            )(scope, receive, send)
        elif is_foreign(headers) and not _is_followed_link(scope, headers):
            await foreign()(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_ours(self, host: str) -> bool:
        return self._hosts is None or host in self._hosts or (self._addresses and is_address(host))


def is_foreign(headers: Mapping[str, str]) -> bool:
    """Whether a browser says that it sends the request for a page of another site; old ones do not always."""
    if headers.get("sec-fetch-site", "none").lower() not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and _place(origin) != headers.get("host", "").lower()


def foreign() -> Response:
    """The answer to what a browser sends for a page of another site."""
    detail = "requests for other sites' pages are refused"
    return problem(HTTPStatus.FORBIDDEN, "FOREIGN_ORIGIN", detail)


def _is_followed_link(scope: Scope, headers: Headers) -> bool:
    """Whether somebody goes to a page of ours, from wherever it is; another site's page does not see the answer."""
    return (
        scope.get("method") == "GET"
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
        and "origin" not in headers
    )


def _place(origin: str) -> str:
    """The host and port of an origin."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


class BodyLimit:
    """Raises ``BodyError``: 413 as soon as more bytes have come than may, or are announced; 408 when it takes too long.

    ``limit`` holds for events, ``query_limit`` for everything else. A body has to be there after ``seconds``, so that
    nobody holds connections by sending it byte by byte.
    """

    def __init__(self, app: ASGIApp, limit: int, query_limit: int, seconds: float) -> None:
        self._app = app
        self._limit = limit
        self._query_limit = query_limit
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_events = scope["path"].startswith(EVENTS)
        error = too_large(self._limit) if is_events else too_large_query(self._query_limit)
        left = self._limit if is_events else self._query_limit
        announced = Headers(scope=scope).get("content-length", "")
        refused = _is_more(announced, left)
        until = anyio.current_time() + self._seconds
        more = True

        async def counted() -> Message:
            nonlocal left, more
            if refused:
                raise error
            message = await (_before(until, receive) if more else receive())
            more = message.get("more_body", False)
            left -= len(message.get("body", b""))
            if left < 0:
                raise error
            return message

        await self._app(scope, counted, send)


async def _before(until: float, receive: Receive) -> Message:
    with anyio.move_on_at(until):
        return await receive()
    raise BodyError(
        HTTPStatus.REQUEST_TIMEOUT,
        "BODY_TOO_SLOW",
        "the body did not come in time",
        "send it at once, or raise HEADWATER_BODY_SECONDS",
    )


def _is_more(announced: str, limit: int) -> bool:
    """Whether the announced length is larger; one of too many digits to be read is."""
    return announced.isdecimal() and (len(announced) > _LENGTH_DIGITS or int(announced) > limit)


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
    """The name in a Host header, without port and brackets, in lower case; empty where there is none, or more."""
    if set(host) & set("@/?#\\"):
        return ""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def too_large_query(limit: int) -> BodyError:
    """What is said of a GraphQL request of more than ``limit`` bytes."""
    return BodyError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "BODY_TOO_LARGE",
        f"the request is larger than {limit} bytes",
        "ask for less at once, or raise HEADWATER_MAX_QUERY_BYTES",
    )


def too_large(limit: int) -> BodyError:
    """What is said of events of more than ``limit`` bytes together."""
    return BodyError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "BODY_TOO_LARGE",
        f"the body is larger than {limit} bytes",
        "send smaller batches, or raise HEADWATER_MAX_BODY_BYTES",
    )
