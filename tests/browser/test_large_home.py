"""The first page of a store that is too large to be shown card by card."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from kit.openlineage import dataset, event


@pytest.fixture(autouse=True)
def company(store: LineageStore) -> None:
    """Two namespaces of 80 datasets each, which jobs copy from one to the other."""
    events = [
        event(
            "COMPLETE",
            1,
            f"copy {number}",
            [{**dataset(f"in {number}", "a"), "namespace": "raw"}],
            [{**dataset(f"out {number}", "a"), "namespace": "mart"}],
            f"copy {number}",
        )
        for number in range(80)
    ]
    assert {outcome.error for outcome in ingest(store, events)} == {None}


def test_an_opened_group_is_closed_in_one_click(page: Page) -> None:
    page.goto("/")
    groups = page.get_by_role("region", name="group")
    expect(groups).to_have_count(2)
    page.get_by_role("region", name="group raw").get_by_role("button", name="Open").click()
    expect(page.get_by_role("region", name="dataset in 1", exact=True)).to_be_attached()
    page.get_by_role("button", name="Close raw").click()
    expect(groups).to_have_count(2)


def test_notices_lie_beside_the_cards_and_something_is_in_view_after_show_all(page: Page) -> None:
    page.goto("/")
    note = page.locator(".note")
    expect(note).to_be_visible()
    said, canvas = note.bounding_box(), page.locator(".canvas").bounding_box()
    assert said and canvas and said["y"] + said["height"] <= canvas["y"]
    page.get_by_role("button", name="Show all datasets").click()
    expect(page.get_by_role("region", name="dataset").first).to_be_in_viewport()
