"""Timeout for request headers, which uvicorn does not have.

Clients that open connections and send headers byte by byte could occupy all connections. h11 limits the size of
headers; ``middleware.BodyLimit`` limits size and duration of bodies.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

TOO_SLOW: Final = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class HeaderTimeoutProtocol(H11Protocol):
    """Closes a connection if a request's headers are not complete ``head_seconds`` after the connection was opened, or
    after the previous answer.
    """

    def __init__(self, *, head_seconds: float, **given: Any) -> None:
        super().__init__(**given)
        self._head_seconds = head_seconds
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head(None)

    def on_response_complete(self) -> None:
        answered = self.cycle
        super().on_response_complete()
        self._expect_head(answered)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._deadline:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _expect_head(self, answered: RequestResponseCycle | None) -> None:
        if self._deadline:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(self._head_seconds, self._give_up, answered)

    def _give_up(self, answered: RequestResponseCycle | None) -> None:
        """Close unless complete headers have begun a new cycle, or handed the connection to a WebSocket protocol."""
        waits = self.cycle is answered and self.transport.get_protocol() is self
        if waits and not self.transport.is_closing():
            self.transport.write(TOO_SLOW)
            self.transport.close()
