"""A browser and a server for it: pages are opened as people open them, cut off from everything but that server."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import uvicorn
from playwright import sync_api

from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app

SETUP = Path(__file__).parents[2] / "deploy" / "setup" / "chromium.sh"
QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip
STARTED_SECONDS = 20
PATIENCE_MS = 30_000
"""How long a page may take for its next step: a Neo4j that has just started plans its first queries for seconds."""


@cache
def chromium() -> str:
    """The path of a Chromium, which is installed where there is none; raises ``CalledProcessError``."""
    found = subprocess.run(["sh", str(SETUP)], stdout=subprocess.PIPE, text=True, check=True)
    return found.stdout.strip()


@contextmanager
def opened() -> Iterator[sync_api.Browser]:
    """An open browser. It has to be closed before the next module's tests: while it is open, its event loop runs."""
    with sync_api.sync_playwright() as playwright:
        sync_api.expect.set_options(timeout=PATIENCE_MS)
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(QUIET))
        yield browser
        browser.close()


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


class Complaints:
    """What a page complains about: errors of scripts, of its policy, and requests to other sites."""

    def __init__(self, page: sync_api.Page, address: str) -> None:
        self.heard: list[str] = []
        page.on("pageerror", lambda error: self.heard.append(f"script: {error}"))
        page.on("console", self._console)
        page.on("request", lambda request: self._request(request.url, address))

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.heard.append(f"console: {message.text}")

    def _request(self, url: str, address: str) -> None:
        if not url.startswith((address, "data:", "blob:")):
            self.heard.append(f"request: {url}")
