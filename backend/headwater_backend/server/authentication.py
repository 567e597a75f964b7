"""ASGI middleware that authenticates and rate-limits requests.

The permission for each path is defined here. Unknown paths need the highest one: a new endpoint under ``/api`` is
restricted to administrators until it is listed. The caller is in the request's state as ``caller``.

Failures are counted after the cheap check of the credentials. Clients behind a proxy, or beside a program that retries
an old key, share an address; those with a valid key are let in whatever the others send.

A page cannot send headers with a WebSocket. Without the header, one is let in that may do nothing yet, and the first
message has the credentials: ``admit`` checks them like those of a request.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus
from math import ceil
from typing import cast

from limits import parse_many
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from headwater_backend.access.addresses import network_of
from headwater_backend.access.api_keys import KeyFile
from headwater_backend.access.gate import NOBODY, Gate
from headwater_backend.access.published_keys import IssuerUnavailable
from headwater_backend.access.tokens import ClaimNames, Issuer
from headwater_backend.domain.errors import Forbidden, NotAuthenticated
from headwater_backend.domain.roles import Caller, Permission
from headwater_backend.server.problems import problem
from headwater_backend.settings import Settings

GRAPHQL = "/graphql"
ASSETS = f"{GRAPHQL}/assets"
"""Path of the explorer's scripts and styles, which are public."""
PAGES = ("/", "/embed")
"""Paths of the explorer's pages, which ask for all data themselves."""
HEALTH = ("/health", "/health/live", "/health/ready")
STRANGER = Caller("unauthenticated", frozenset())
"""The caller of a connection that has not sent its credentials yet."""
_EVENTS = ("/api/v1/lineage", "/api/v1/lineage/batch")


def gate_of(settings: Settings) -> Gate:
    """Return the gate for the settings; raises ``KeysError`` or ``IssuerError`` if they are invalid."""
    keys = KeyFile(settings.keys_file) if settings.keys_file else None
    if not settings.oidc_issuer:
        return Gate(keys, None)
    claims = ClaimNames(settings.oidc_roles_claim, settings.oidc_namespaces_claim, settings.oidc_roles)
    audience = settings.oidc_audience or ""
    return Gate(keys, Issuer(settings.oidc_issuer, audience, claims, settings.oidc_algorithms))


def permission_for(method: str, path: str, query: bytes) -> Permission | None:
    """Return the permission for a request, or None if it is public, like the pages that ask
    for data themselves: the explorer, and GraphiQL without a query.
    """
    if method in ("GET", "HEAD") and (path in HEALTH or path.startswith(f"{ASSETS}/")):
        return None
    if method in ("GET", "HEAD") and path in PAGES:
        return None
    if method == "GET" and path == GRAPHQL and not query:
        return None
    if path in _EVENTS:
        return Permission.WRITE_EVENTS
    return Permission.ADMINISTER if path.startswith("/api") else Permission.ASK


def caller_of(connection: HTTPConnection) -> Caller:
    """Return the caller of the request."""
    return cast(Caller, connection.scope.get("state", {}).get("caller", NOBODY))


def caller_now(connection: HTTPConnection) -> Callable[[], Caller]:
    """Return a function that authenticates the connection's credentials again; it raises the gate's errors."""
    return cast(Callable[[], Caller], connection.scope.get("state", {}).get("caller_now", lambda: NOBODY))


Admit = Callable[[str], Awaitable[Caller]]
"""Authenticates an ``Authorization`` header for a connection; raises ``Refused``."""


class Refused(Exception):  # noqa: N818 - the name describes the condition
    """The credentials are refused, with this answer."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


def admit_of(connection: HTTPConnection) -> Admit | None:
    """Return the function that admits a connection that has no credentials yet; None if it is admitted already."""
    return cast(Admit | None, connection.scope.get("state", {}).get("admit"))


class AuthenticationMiddleware:
    """ASGI middleware that refuses callers without the permission, and callers over the rate limit."""

    def __init__(self, app: ASGIApp, gate: Gate, rate: str = "", failures: str = "") -> None:
        self._app = app
        self._gate = gate
        self._rate = RateLimit(rate)
        self._failures = RateLimit(failures)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refused = await self._refused(scope)
        await (refused or self._app)(scope, receive, send)

    async def _refused(self, scope: Scope) -> Response | None:
        """Return the answer to a refused request, or None."""
        needed = permission_for(scope.get("method", "GET"), scope["path"], scope["query_string"])
        if needed is None and scope["type"] == "http":
            return None
        authorization = Headers(scope=scope).get("authorization", "")
        if (
            scope["type"] == "websocket"
            and scope["path"] == GRAPHQL
            and not (authorization or self._gate.open)
        ):
            admit = partial(self._admit, scope, Permission.ASK)
            scope.setdefault("state", {}).update(caller=STRANGER, caller_now=lambda: STRANGER, admit=admit)
            return None
        try:
            await self._admit(scope, needed or Permission.ASK, authorization)
        except Refused as refusal:
            return refusal.response
        return None

    async def _admit(self, scope: Scope, needed: Permission, authorization: str) -> Caller:
        """Note the caller in the request's state; raises ``Refused``."""
        address = network_of((scope.get("client") or ("", 0))[0])
        try:
            await self._gate.wait_for_key(authorization)
            caller = self._gate.caller(authorization)
            caller.require(needed)
        except NotAuthenticated as error:
            wait = self._count_guess(address, authorization)
            raise Refused(_too_many_requests(wait) if wait else _unauthenticated(error)) from None
        except Forbidden as error:
            answer = problem(HTTPStatus.FORBIDDEN, error.code, error.message, hint=error.hint)
            raise Refused(answer) from None
        except IssuerUnavailable as error:
            raise Refused(_issuer_unavailable(error)) from None
        if wait := self._rate.count(address if self._gate.open else caller.name):
            raise Refused(_too_many_requests(wait))
        now = partial(self._gate.caller, authorization)
        scope.setdefault("state", {}).update(caller=caller, caller_now=now)
        return caller

    def _count_guess(self, address: str, authorization: str) -> int:
        """Count a failed attempt like ``RateLimit.count``; counters are per address and key id, not per secret."""
        if not authorization:
            return 0
        return self._failures.count(f"{address} {self._gate.key_id(authorization) or ''}")


class RateLimit:
    """Counter by name in this process; ``limits`` has the form ``600/minute;20/second``; empty means no limit."""

    def __init__(self, limits: str) -> None:
        self._limits = parse_many(limits) if limits else []
        self._counts = MovingWindowRateLimiter(MemoryStorage())

    def count(self, name: str) -> int:
        """Count one use; return 0, or the seconds to wait if it exceeds the limit."""
        over = [limit for limit in self._limits if not self._counts.hit(limit, name)]
        return max((self._wait(limit, name) for limit in over), default=0)

    def _wait(self, limit: object, name: str) -> int:
        found = self._counts.get_window_stats(limit, name)  # type: ignore[arg-type]
        return max(1, ceil(found.reset_time - time.time()))


def _unauthenticated(error: NotAuthenticated) -> Response:
    headers = {"WWW-Authenticate": 'Bearer realm="headwater"'}
    return problem(HTTPStatus.UNAUTHORIZED, error.code, error.message, hint=error.hint, headers=headers)


def _issuer_unavailable(error: IssuerUnavailable) -> Response:
    return problem(
        HTTPStatus.SERVICE_UNAVAILABLE,
        error.code,
        error.message,
        hint=error.hint,
        headers={"Retry-After": "5"},
    )


def _too_many_requests(wait: int) -> Response:
    return problem(
        HTTPStatus.TOO_MANY_REQUESTS,
        "TOO_MANY_REQUESTS",
        f"too many requests; retry in {wait} s",
        headers={"Retry-After": str(wait)},
    )
