"""A folder of one's own, and the events of a shop in both places that can be asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kit.command import headwater, served
from kit.shared import DATA


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that commands are called in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def store(here: Path) -> str:
    """The URL of a store that holds another producer's events."""
    url = f"sqlite:///{here}/parcels.db"
    imported = headwater("import", DATA / "parcels.ndjson", "--store", url)
    assert imported.exit_code == 0, imported.output
    return url


@pytest.fixture(params=["store", "server"])
def place(request: pytest.FixtureRequest, here: Path, store: str) -> Iterator[Sequence[str]]:
    """The options that name the store, or a server over it."""
    if request.param == "store":
        yield ("--store", store)
        return
    with served(here, "--store", store) as (address, _):
        yield ("--url", address)
