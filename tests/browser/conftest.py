"""Fixtures: a browser, and a page of the explorer over each store that fails the test if it complains."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api

from headwater_backend.ports import LineageStore
from headwater_graphql.explorer import assets
from kit import browser, neo4j
from kit.servers import serving


@pytest.fixture(scope="module")
def chromium() -> Iterator[sync_api.Browser]:
    """A browser for the tests of a module."""
    assert assets.built(), f"the explorer is not built: {assets.BUILD_COMMAND}"
    with browser.opened() as found:
        yield found


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=[pytest.mark.neo4j, pytest.mark.slow])])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store. What stores answer is in their contract, so each run looks at pages over one."""
    return neo4j.empty_store(request, tmp_path)


@pytest.fixture
def address(store: LineageStore) -> Iterator[str]:
    """The address of a server over an empty store of each kind."""
    with serving(store) as found:
        yield found


@pytest.fixture
def page(chromium: sync_api.Browser, address: str) -> Iterator[sync_api.Page]:
    """An empty page whose addresses are relative to the server's; whatever it complains about fails the test."""
    settings: dict[str, Any] = {"base_url": address, "viewport": {"width": 1280, "height": 800}}
    with chromium.new_context(**settings, reduced_motion="reduce", locale="en-GB") as context:
        opened = context.new_page()
        opened.set_default_timeout(browser.PATIENCE_MS)
        complaints = browser.Complaints(opened, address)
        yield opened
        assert complaints.received == []
