"""A server in this process, which starts in a moment; ``kit/command.py`` has those that are programs of their own."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app

STARTED_SECONDS = 20


@contextmanager
def serving(store: LineageStore, settings: Settings | None = None) -> Iterator[str]:
    """The address of a server over the store."""
    app = create_app(store, settings or Settings())
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    give_up = time.monotonic() + STARTED_SECONDS
    while not server.started:
        assert time.monotonic() < give_up, "the server did not start"
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
