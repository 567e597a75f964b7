"""Time limit of HTTP answers, which also end when the client disconnects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from starlette.requests import Request

from headwater_backend.domain.deadline import Deadline, within

POLL_SECONDS: Final = 0.25
"""Seconds between two checks whether the client is still connected."""


@asynccontextmanager
async def time_limit(request: Request, seconds: float) -> AsyncIterator[None]:
    """Context manager that cancels questions after so many seconds, or soon after the client disconnects."""
    await request.body()  # the disconnect message follows the body
    deadline = Deadline(seconds)
    watching = asyncio.create_task(_watch(request, deadline))
    try:
        with within(deadline):
            yield
    finally:
        watching.cancel()
        await asyncio.wait([watching])


async def _watch(request: Request, deadline: Deadline) -> None:
    while not await request.is_disconnected():
        await asyncio.sleep(POLL_SECONDS)
    deadline.abandon()
