"""WebSocket adapter for GraphQL messages (graphql-transport-ws)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any

from starlette.websockets import WebSocketDisconnect
from strawberry.asgi import ASGIWebSocketAdapter
from strawberry.http.exceptions import NonJsonMessageReceived, WebSocketDisconnected

from headwater_backend.server.problems import BodyError

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

    async def send_json(self, message: Mapping[str, object]) -> None:
        encoded = self.view.encode_json(message)
        try:
            await self.ws.send_text(encoded if isinstance(encoded, str) else encoded.decode())
        except WebSocketDisconnect as error:
            raise WebSocketDisconnected from error


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
