"""A reader of one namespace sees closed boxes elsewhere, and the lines that lead on through them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from headwater_backend.access.api_keys import new_key
from headwater_backend.domain.roles import Role
from headwater_backend.ingest.service import ingest
from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from kit.pipelines import shop_events
from kit.servers import serving


@pytest.fixture
def signed_in(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    """A page of a reader who sees the namespace of the enriched orders and of all jobs, and no other."""
    events = shop_events()
    for each in events:
        for used in (*each["inputs"], *each["outputs"]):
            if used["name"] == "customers":
                used["namespace"] = "staff"
        lineage = each["outputs"][0]["facets"]["headwater_pathLineage"]
        listed = [source for entry in lineage["fields"] for source in entry["inputFields"]]
        for source in (*listed, *lineage.get("dataset", ())):
            if source["name"] == "customers":
                source["namespace"] = "staff"
    store = open_store(f"sqlite:///{tmp_path}/lineage.db")
    assert [outcome.error for outcome in ingest(store, events)] == [None] * 3
    _, key = new_key(tmp_path / "keys.json", "somebody", [Role.READER], ["test"])
    settings = Settings(keys_file=tmp_path / "keys.json", readers_by_namespace=True)
    with serving(store, settings) as address:
        page = chromium.new_page(base_url=address, viewport={"width": 1280, "height": 800})
        page.goto("/?namespace=test&name=spending&level=dataset")
        page.get_by_label("API key").fill(key)
        page.get_by_role("button", name="Use this key").click()
        yield page
        page.close()
    store.close()


def test_a_closed_box_connects_and_has_no_name(signed_in: Page) -> None:
    expect(signed_in.locator(".card.dataset.closed")).to_have_count(1)
    expect(signed_in.locator(".card.dataset")).to_have_count(5)
    expect(signed_in.locator(".card.dataset.closed")).to_contain_text("you may not see its name")
    assert "customers" not in signed_in.content() and "staff" not in signed_in.content()
