"""What stewards do in the page: classify, decide on proposals, look through sources, and correct dead letters."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.stores import open_store
from kit.openlineage import columns, dataset, event
from kit.servers import serving

REFUSES = """CREATE TRIGGER no BEFORE INSERT ON dataset WHEN NEW.name = 'loaded'
BEGIN SELECT RAISE(ABORT, 'no'); END"""


@pytest.fixture
def address(store: LineageStore) -> Iterator[str]:
    """The address of a server over people, whose mail goes on twice, and whom nobody classified."""
    copied = dataset("copies", "to", columnLineage=columns({"to": [("people", "email")]}))
    sent = dataset("letters", "text", columnLineage=columns({"text": [("copies", "to")]}))
    events = [
        event("COMPLETE", 1, "copy", [dataset("people", "email", "shoe")], [copied], "copy"),
        event("COMPLETE", 2, "send", [dataset("copies", "to")], [sent], "send"),
    ]
    assert [outcome.error for outcome in ingest(store, events)] == [None, None]
    with serving(store) as found:
        yield found


def test_a_proposal_is_confirmed_in_three_clicks_and_taken_back_in_one(page: Page) -> None:
    page.goto("/?view=classify")
    proposed = page.locator(".proposals li").filter(has_text="people email")
    proposed.get_by_role("checkbox").check()
    page.get_by_role("button", name="Confirm 1").click()
    effect = page.get_by_role("region", name="What it changes")
    expect(effect).to_contain_text(
        re.compile("2 paths in 2 datasets are made of it:.*copies to.*letters text")
    )
    expect(effect).to_contain_text("1 decision:")
    expect(proposed).to_be_visible()
    page.get_by_label("Reason").fill("it is their address")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("1 decision is saved.")).to_be_visible()
    expect(proposed).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("It is taken back.")).to_be_visible()
    expect(proposed).to_be_visible()


def test_a_path_of_the_picture_is_classified_and_what_was_decided_before_comes_back(page: Page) -> None:
    page.goto("/?namespace=test&name=people")
    page.get_by_role("region", name="dataset people").get_by_title("email").click()
    page.get_by_role("button", name="Classify it").click()
    for category, reason in (("user.contact.email", "first"), ("user.unique_id", "second")):
        page.get_by_label("Categories").fill(category)
        page.get_by_role("button", name="See the effect").click()
        page.get_by_label("Reason").fill(reason)
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("1 decision is saved.")).to_be_visible()
    classified = page.get_by_role("listitem").filter(has_text=re.compile("second|taken back"))
    expect(classified).to_contain_text("user.unique_id")
    page.get_by_role("button", name="Undo").click()
    expect(classified).to_contain_text("user.contact.email")


def test_a_category_that_does_not_exist_is_refused_before_it_is_saved(page: Page) -> None:
    page.goto("/?view=classify&attribute-namespace=test&attribute=people&attribute-path=email")
    page.get_by_label("Categories").fill("user.contact.emial")
    page.get_by_role("button", name="See the effect").click()
    expect(page.get_by_role("region", name="What it changes").get_by_role("alert")).to_contain_text(
        "user.contact.email"
    )


def test_a_source_is_looked_through(page: Page) -> None:
    page.goto("/?view=classify")
    source = page.locator(".proposals li").filter(has=page.get_by_role("button", name="people", exact=True))
    source.get_by_role("button", name="Looked through: nothing else is personal").click()
    expect(page.get_by_role("region", name="What it changes")).to_contain_text("1 decision:")
    page.get_by_label("Reason").fill("read the schema")
    page.get_by_role("button", name="Save").click()
    expect(source).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(source).to_be_visible()


def test_a_dead_letter_is_corrected_and_stored_and_the_audit_log_has_the_change(
    chromium: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "own.db"
    with (
        closing(open_store(f"sqlite:///{file}")) as store,
        serving(store) as address,
        chromium.new_context(base_url=address, locale="en-GB") as context,
    ):
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(REFUSES)
        body = event("COMPLETE", 1, "load", [], [dataset("loaded", "id")], "load")
        httpx.post(f"{address}/api/v1/lineage", json=body)
        page = context.new_page()
        page.goto("/?view=dead-letters")
        page.get_by_role("button", name="Show").click()
        page.get_by_text("Correct it").click()
        text = page.get_by_label("The corrected event")
        text.fill("no JSON")
        expect(page.get_by_text("This is no JSON object.")).to_be_visible()
        text.fill(json.dumps(body).replace('"loaded"', '"corrected"'))
        expect(page.get_by_text("1 change", exact=True)).to_be_visible()
        page.get_by_role("button", name="Store the corrected event").click()
        expect(page.get_by_text("The corrected event is stored now.")).to_be_visible()
        expect(page.get_by_text("There are none")).to_be_visible()
        (noted,) = (json.loads(each.details) for each in store.audit() if each.action == "mend dead letter")
        assert noted["changes"] == [{"pointer": "/outputs/0/name", "value": '"corrected"'}]
