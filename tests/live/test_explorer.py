"""The explorer in a real browser, cut off from everything but our own server."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_cli.composition import create_app
from headwater_graphql.explorer import assets

QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip
STARTED_SECONDS = 20


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A running server over an empty store."""
    store = open_store(f"sqlite:///{tmp_path}/lineage.db")
    server = uvicorn.Server(
        uvicorn.Config(create_app(store, Settings()), port=0, log_level="warning", ws="none")
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    give_up = time.monotonic() + STARTED_SECONDS
    while not server.started:
        assert time.monotonic() < give_up, "the server did not start"
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()
    store.close()


@pytest.fixture
def browser() -> str:
    """Chromium, where there is one."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("there is no Chromium on this machine")
    return found


def test_graphiql_comes_up_with_our_examples_and_no_blocked_request(
    address: str, browser: str, tmp_path: Path
) -> None:
    if not assets.built():
        pytest.skip(f"the explorer is not built: {assets.BUILD_COMMAND}")
    shown = subprocess.run(
        [
            browser,
            *QUIET,
            f"--user-data-dir={tmp_path}/profile",
            "--enable-logging=stderr",
            "--virtual-time-budget=20000",
            "--dump-dom",
            f"{address}/graphql",
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    console = [line for line in shown.stderr.splitlines() if "CONSOLE" in line]
    assert not [line for line in console if "Content Security Policy" in line or "Error" in line]
    assert "graphiql-execute-button" in shown.stdout
    for tab in ("Datasets", "Backward", "Forward", "Exposure"):
        assert f">{tab}<" in shown.stdout
