"""Fixtures: a working directory, and a store and a server with events of another producer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kit.command import headwater, served
from kit.shared import DATA


@pytest.fixture(autouse=True)
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of commands."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def store(workdir: Path) -> str:
    """The URL of a store with events of another producer."""
    url = f"sqlite:///{workdir}/parcels.db"
    imported = headwater("import", DATA / "parcels.ndjson", "--store", url)
    assert imported.exit_code == 0, imported.output
    return url


@pytest.fixture(params=["store", "server"])
def target(request: pytest.FixtureRequest, workdir: Path, store: str) -> Iterator[Sequence[str]]:
    """The options that select the store, or a server of it."""
    if request.param == "store":
        yield ("--store", store)
        return
    with served(workdir, "--store", store) as (address, _):
        yield ("--url", address)
