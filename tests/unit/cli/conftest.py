"""Fixtures: a working directory, and a store and a server with events of another producer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from headwater_backend.stores import open_store
from kit import sqlite
from kit.command import headwater
from kit.reports import look_at_parcels
from kit.servers import serving
from kit.shared import DATA


@pytest.fixture(autouse=True)
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of commands."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def no_authorities(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No certificates of authorities: to read them takes longer than most questions, and no test needs them."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(workdir))


@pytest.fixture(scope="session")
def parcels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with events of another producer, of which each test has a copy."""
    file = tmp_path_factory.mktemp("parcels") / "parcels.db"
    imported = headwater("import", DATA / "parcels.ndjson", "--store", f"sqlite:///{file}")
    assert imported.exit_code == 0, imported.output
    return file


@pytest.fixture(scope="session")
def looked_parcels(parcels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That store, after a steward looked at all of its sources."""
    folder = tmp_path_factory.mktemp("looked")
    with closing(open_store(sqlite.copy(parcels, folder))) as opened:
        look_at_parcels(opened)
    return folder / parcels.name


@pytest.fixture
def store(parcels: Path, workdir: Path) -> str:
    """The URL of a store with events of another producer."""
    return sqlite.copy(parcels, workdir)


@pytest.fixture
def looked(looked_parcels: Path, store: str, workdir: Path) -> str:
    """The URL of that store, after a steward looked at all of its sources."""
    assert sqlite.copy(looked_parcels, workdir) == store
    return store


@pytest.fixture(params=["store", "server"])
def target(request: pytest.FixtureRequest, store: str) -> Iterator[Sequence[str]]:
    """The options that select the store, or a server of it."""
    if request.param == "store":
        yield ("--store", store)
        return
    with closing(open_store(store)) as opened, serving(opened) as address:
        yield ("--url", address)
