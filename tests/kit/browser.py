"""A browser: pages are opened as people open them, cut off from everything but the server."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from playwright import sync_api

SETUP = Path(__file__).parents[2] / "deploy" / "setup" / "chromium.sh"
QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip
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


class Complaints:
    """What a page complains about: errors of scripts, of its policy, and requests to other sites."""

    def __init__(self, page: sync_api.Page, address: str) -> None:
        self.received: list[str] = []
        page.on("pageerror", lambda error: self.received.append(f"script: {error}"))
        page.on("console", self._console)
        page.on("request", lambda request: self._request(request.url, address))

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.received.append(f"console: {message.text}")

    def _request(self, url: str, address: str) -> None:
        if not url.startswith((address, "data:", "blob:")):
            self.received.append(f"request: {url}")
