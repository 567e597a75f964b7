"""How long an answer over HTTP may take: a time, and no longer than somebody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from starlette.requests import Request

from headwater_backend.domain.deadline import Deadline, within

LOOK_EVERY: Final = 0.25
"""Seconds between two looks at whether the client is still there."""


@asynccontextmanager
async def limited(request: Request, seconds: float) -> AsyncIterator[None]:
    """Have what answers the request end after so many seconds, or soon after the client has left."""
    await request.body()  # what says that the client has left comes behind it
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
        await asyncio.sleep(LOOK_EVERY)
    deadline.abandon()
