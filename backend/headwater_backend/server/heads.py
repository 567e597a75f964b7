"""How long a connection may take to send a request's head, which uvicorn leaves to the client.

Who opens connections and sends their heads byte by byte would have all of them for nothing, and nobody else would be
let in. A head's size is bounded by h11, a body's size and time by ``guards.BodyLimit``.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

TOO_SLOW: Final = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class HeadInTime(H11Protocol):
    """Closes a connection on which no request's head is whole ``head_seconds`` after it was made, or after the answer
    to the request before.
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
        """A head that is whole has begun a new cycle, or has handed the connection over to a WebSocket's protocol."""
        waits = self.cycle is answered and self.transport.get_protocol() is self
        if waits and not self.transport.is_closing():
            self.transport.write(TOO_SLOW)
            self.transport.close()
