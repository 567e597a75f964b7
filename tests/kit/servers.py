"""A server in this process, which starts in a moment; ``kit/command.py`` has those that are programs of their own."""

from __future__ import annotations

import threading
import time
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
