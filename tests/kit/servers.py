"""A server in this process, which starts in a moment; ``kit/command.py`` has those that are programs of their own."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app

STARTED_SECONDS = 20


def stating(folder: Path, organisation: str, policies: str) -> Settings:
    """The settings of a server that was given what an organisation states, and policies."""
    stated, checked = folder / "organisation.yaml", folder / "policies.yaml"
    stated.write_text(organisation, "utf-8")
    checked.write_text(policies, "utf-8")
    return Settings(organisation=stated, policies=checked)


class _Server(uvicorn.Server):
    """A server that says when it has started, and ends when it is asked to, where uvicorn looks ten times a second."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.has_started = threading.Event()
        self._asked = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._loop = asyncio.get_running_loop()
        self.has_started.set()

    async def main_loop(self) -> None:
        await self.on_tick(0)
        await self._asked.wait()
        await self._accept_no_more()

    async def _accept_no_more(self) -> None:
        """Let no connection be between its acceptance and its protocol, as Python leaves such a one open for ever.

        A server that is closed refuses the transport of what it accepted a step of the loop before, in silence.
        """
        for server in self.servers:
            for listener in server.sockets:
                self._loop.remove_reader(listener)
        await asyncio.sleep(0)  # the callback that accepts starts a task
        await asyncio.sleep(0)  # which makes the transport

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._asked.set)


@contextmanager
def serving(store: LineageStore, settings: Settings | None = None) -> Iterator[str]:
    """The address of a server over the store."""
    app = create_app(store, settings or Settings())
    server = _Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert server.has_started.wait(STARTED_SECONDS) and server.started, "the server did not start"
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.stop()
        thread.join()
