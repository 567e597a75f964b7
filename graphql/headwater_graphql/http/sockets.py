"""WebSocket adapter for GraphQL messages (graphql-transport-ws).

A page cannot send an ``Authorization`` header with a WebSocket. It sends its value as ``authorization`` in the payload
of the first message; a connection that does neither is closed, after ``INIT_SECONDS`` at the latest.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect
from strawberry.asgi import ASGIWebSocketAdapter
from strawberry.exceptions import ConnectionRejectionError
from strawberry.http.exceptions import NonJsonMessageReceived, WebSocketDisconnected

from headwater_backend.server import authentication
from headwater_backend.server.problems import BodyError
from headwater_graphql.context import RequestContext

INIT_SECONDS: Final = timedelta(seconds=10)
"""How long a connection may stay without its first message."""
_CODES: Final = {
    HTTPStatus.UNAUTHORIZED: (4401, "Unauthorized"),
    HTTPStatus.FORBIDDEN: (4403, "Forbidden"),
    HTTPStatus.TOO_MANY_REQUESTS: (4429, "Too many requests"),
    HTTPStatus.SERVICE_UNAVAILABLE: (1013, "The identity provider does not answer"),
}
"""Why a connection is closed whose credentials are answered like this in a request."""
_TEXT = (str, type(None))
_OBJECT = (dict, type(None))


class Messages(ASGIWebSocketAdapter):
    """Sends text frames, as clients expect, and only accepts messages in the protocol's format.

    An invalid message closes the connection, as the protocol specifies, instead of raising an error.
    """

    async def iter_json(self, *, ignore_parsing_errors: bool = False) -> AsyncGenerator[object, None]:
        try:
            async for message in super().iter_json(ignore_parsing_errors=ignore_parsing_errors):
                if not _is_message(message):
                    raise NonJsonMessageReceived
                yield message
        except BodyError:
            raise NonJsonMessageReceived from None

    async def close(self, code: int, reason: str) -> None:
        """Close the connection, for the reason that ``admit`` noted if it did."""
        code, reason = getattr(self.ws.state, "closed_with", (code, reason))
        await super().close(code, reason)

    async def send_json(self, message: Mapping[str, object]) -> None:
        encoded = self.view.encode_json(message)
        try:
            await self.ws.send_text(encoded if isinstance(encoded, str) else encoded.decode())
        except WebSocketDisconnect as error:
            raise WebSocketDisconnected from error


async def admit(connection: WebSocket, context: RequestContext, payload: object) -> None:
    """Authenticate a connection by its first message, unless its header did; raises ``ConnectionRejectionError``."""
    admit_caller = authentication.admit_of(connection)
    if admit_caller is None:
        return
    given = payload.get("authorization") if isinstance(payload, Mapping) else None
    try:
        context.caller = await admit_caller(given if isinstance(given, str) else "")
    except authentication.Refused as refusal:
        connection.state.closed_with = _CODES[HTTPStatus(refusal.response.status_code)]
        raise ConnectionRejectionError from None
    context.caller_now = authentication.caller_now(connection)


def _is_message(message: Any) -> bool:
    """Return whether the protocol's handler can process the message; the handler itself checks message types."""
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        return False
    if message["type"] not in ("subscribe", "complete"):
        return True
    payload = message.get("payload", {})
    return (
        isinstance(message.get("id"), str)
        and isinstance(payload, dict)
        and isinstance(payload.get("query"), _TEXT)
        and isinstance(payload.get("operationName"), _TEXT)
        and isinstance(payload.get("variables"), _OBJECT)
    )
