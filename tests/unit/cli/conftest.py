"""Fixtures: a working directory, and a store and a server with events of another producer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from headwater_backend.stores import open_store
from kit.command import headwater
from kit.reports import look_at_parcels
from kit.servers import serving
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


@pytest.fixture
def looked(store: str) -> str:
    """The URL of that store, after a steward looked at all of its sources."""
    with closing(open_store(store)) as opened:
        look_at_parcels(opened)
    return store


@pytest.fixture(params=["store", "server"])
def target(request: pytest.FixtureRequest, store: str) -> Iterator[Sequence[str]]:
    """The options that select the store, or a server of it."""
    if request.param == "store":
        yield ("--store", store)
        return
    with closing(open_store(store)) as opened, serving(opened) as address:
        yield ("--url", address)
