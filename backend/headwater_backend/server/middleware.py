"""ASGI middleware that checks hosts, origins and body sizes, and adds security headers.

``HostGuard`` refuses unknown host names, because a foreign site may resolve its own name to this machine, and would
then have the server's origin. It also refuses requests that browsers send for other sites' pages, except links that
users follow, and frames of the pages that may be framed: their content policy says by whom.
``BodyLimit`` limits size and duration of bodies while they are read. ``SecurityHeaders`` adds headers to every answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
"""Health endpoints, which orchestrators call at any address of the server; they expose no data."""
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
    """Refuses unknown hosts. ``hosts`` are the server's names in lower case; None accepts all.

    With ``addresses``, IP addresses are accepted as well, because nobody can resolve them to another machine. Other
    sites' pages may have the paths ``framed`` in a frame.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: frozenset[str] | None,
        addresses: bool = False,
        framed: Sequence[str] = (),
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._addresses = addresses
        self._framed = framed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or scope["path"] in PROBES:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not self._is_known(hostname(headers.get("host", ""))):
            hint = "use its address, or add the host to HEADWATER_ALLOWED_HOSTS"
            await problem(HTTPStatus.MISDIRECTED_REQUEST, "UNKNOWN_HOST", "unknown host name", hint=hint)(
                scope, receive, send
            )
        elif is_foreign(headers) and not _is_followed_link(scope, headers, self._framed):
            await foreign_site_response()(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_known(self, host: str) -> bool:
        return self._hosts is None or host in self._hosts or (self._addresses and is_address(host))


def is_foreign(headers: Mapping[str, str]) -> bool:
    """Return whether the browser declares a request for another site's page; old browsers do not always declare it."""
    if headers.get("sec-fetch-site", "none").lower() not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and _host_and_port(origin) != headers.get("host", "").lower()


def foreign_site_response() -> Response:
    """Return the answer to a request for another site's page."""
    detail = "requests from other sites' pages are refused"
    return problem(HTTPStatus.FORBIDDEN, "FOREIGN_ORIGIN", detail)


def _is_followed_link(scope: Scope, headers: Headers, framed: Sequence[str]) -> bool:
    """Return whether a user follows a link to a page of this server, or opens a page with one of the pages ``framed``;
    the linking page cannot read the answer.
    """
    places = ("document", "iframe") if scope["path"] in framed else ("document",)
    return (
        scope.get("method") == "GET"
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") in places
        and "origin" not in headers
    )


def _host_and_port(origin: str) -> str:
    """Return the host and port of an origin."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


class BodyLimit:
    """Raises ``BodyError``: 413 if the body is, or declares to be, too large; 408 if it takes too long.

    ``limit`` applies to events, ``query_limit`` to all other requests. A body must arrive within ``seconds``, so that
    clients cannot hold connections by sending it byte by byte.
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
        refused = _exceeds(announced, left)
        until = anyio.current_time() + self._seconds
        more = True

        async def receive_counted() -> Message:
            nonlocal left, more
            if refused:
                raise error
            message = await (_before(until, receive) if more else receive())
            more = message.get("more_body", False)
            left -= len(message.get("body", b""))
            if left < 0:
                raise error
            return message

        await self._app(scope, receive_counted, send)


async def _before(until: float, receive: Receive) -> Message:
    with anyio.move_on_at(until):
        return await receive()
    raise BodyError(
        HTTPStatus.REQUEST_TIMEOUT,
        "BODY_TOO_SLOW",
        "the body did not arrive in time",
        "send it faster, or raise HEADWATER_BODY_SECONDS",
    )


def _exceeds(announced: str, limit: int) -> bool:
    """Return whether the declared length is larger; one with too many digits to parse is."""
    return announced.isdecimal() and (len(announced) > _LENGTH_DIGITS or int(announced) > limit)


class SecurityHeaders:
    """Adds ``HEADERS`` to every answer that does not set them itself.

    A page whose policy names who may frame it gets no ``X-Frame-Options``, which cannot name them.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                framed = _may_be_framed(headers.get("content-security-policy", ""))
                for name, value in HEADERS.items():
                    if not (framed and name == "X-Frame-Options"):
                        headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _may_be_framed(policy: str) -> bool:
    return "frame-ancestors " in policy and "frame-ancestors 'none'" not in policy


def hostname(host: str) -> str:
    """Return the name in a Host header in lower case, without port and brackets; empty if it is missing or repeated."""
    if set(host) & set("@/?#\\"):
        return ""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def too_large_query(limit: int) -> BodyError:
    """Return the error for a GraphQL request of more than ``limit`` bytes."""
    return BodyError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "BODY_TOO_LARGE",
        f"the request is larger than {limit} bytes",
        "send a smaller request, or raise HEADWATER_MAX_QUERY_BYTES",
    )


def too_large(limit: int) -> BodyError:
    """Return the error for a body of events of more than ``limit`` bytes."""
    return BodyError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "BODY_TOO_LARGE",
        f"the body is larger than {limit} bytes",
        "send smaller batches, or raise HEADWATER_MAX_BODY_BYTES",
    )
