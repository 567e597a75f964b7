"""Calls of other servers: a deadline for the whole exchange, and a bound of the answer's size.

A time limit of a library counts from byte to byte, so that a server that sends a header now and then holds its caller
for ever, and an answer without end fills the memory. Here one deadline covers everything from the look-up of the name
to the last byte, an answer ends where it is larger than agreed, nothing is unpacked, and no redirect is followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import anyio
import httpx

_OF_THE_BODY: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers that describe the bytes on the wire."""


class AnswerTooLate(httpx.TimeoutException):
    """The answer was not there in full at the deadline."""


class AnswerTooLarge(httpx.TransportError):
    """The answer has more bytes than agreed."""


def call(
    method: str,
    url: str,
    *,
    seconds: float,
    most_bytes: int,
    content: bytes = b"",
    headers: Mapping[str, str] | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> httpx.Response:
    """The answer, whatever its status. Raises httpx's errors, ``AnswerTooLate`` and ``AnswerTooLarge`` among them."""

    async def exchange() -> httpx.Response:
        try:
            with anyio.fail_after(seconds):
                async with outgoing_client(transport) as client:
                    request = client.build_request(method, url, content=content, headers=headers)
                    return await fetch(client, request, most_bytes)
        except TimeoutError:
            raise AnswerTooLate(f"it has not answered in full within {seconds:g} s") from None

    return anyio.run(exchange)


def outgoing_client(transport: httpx.AsyncBaseTransport | None = None) -> httpx.AsyncClient:
    """A client whose caller sets the deadline around everything that it does."""
    return httpx.AsyncClient(
        headers={"Accept-Encoding": "identity"},  # unpacked, a small answer could be a large one
        timeout=None,  # noqa: S113 - one deadline is around all steps
        follow_redirects=False,
        transport=transport,
    )


async def fetch(client: httpx.AsyncClient, request: httpx.Request, most_bytes: int) -> httpx.Response:
    """The answer with its whole body. Raises ``AnswerTooLarge``."""
    body = bytearray()
    answer = await client.send(request, stream=True)
    try:
        async for chunk in cast("httpx.AsyncByteStream", answer.stream):
            body += chunk
            if len(body) > most_bytes:
                raise AnswerTooLarge(f"it answers with more than {most_bytes} bytes")
    finally:
        await answer.aclose()
    kept = [(name, value) for name, value in answer.headers.items() if name not in _OF_THE_BODY]
    return httpx.Response(answer.status_code, headers=kept, content=bytes(body), request=request)
