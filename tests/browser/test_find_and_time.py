"""What a person finds by name, and what a picture of another moment shows."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from playwright.sync_api import Locator, Page, expect

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from kit.openlineage import dataset, event, paths
from kit.pipelines import ENRICHED, fill_shop

TWO_RUNS = "/?namespace=test&name=spending&as-of=2026-01-01T00:30:00Z&since=2026-01-01T00:02:30Z"


def second_version() -> dict[str, Any]:
    """A later run of ``group`` that leaves the city out, and does not sum the total any more."""
    lineage = paths(
        (["total"], "orders_enriched", ["total"], "IDENTITY"),
        (["place"], "orders_enriched", ["customer", "city"], "IDENTITY"),
    )
    output = dataset("spending", "place", "total", headwater_pathLineage=lineage)
    return event("COMPLETE", 20, "group 2", [dataset("orders_enriched", *ENRICHED)], [output], "group")


def fill_with_versions(store: LineageStore) -> None:
    fill_shop(store)
    assert [outcome.error for outcome in ingest(store, [second_version()])] == [None]


def found(page: Page) -> Locator:
    """The hits that the box lists."""
    return page.get_by_role("listbox", name="Results").get_by_role("option")


def test_from_first_open_by_name_to_the_lineage_of_a_nested_path(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto("/")
    expect(page.get_by_role("region", name="dataset")).to_have_count(5)
    page.keyboard.press("/")
    box = page.get_by_role("combobox", name="Find datasets, paths, jobs, owners, tags")
    expect(box).to_be_focused()
    page.keyboard.type("person.mail customers")
    expect(found(page)).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("path=person&path=mail"))
    expect(page.get_by_role("region", name="dataset spending").get_by_title("customer_hash")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_role("option", name="Path person.mail")).to_be_visible()
    page.get_by_role("button", name="Forget these").click()
    expect(page.get_by_role("listbox")).to_have_count(0)


def test_a_mistyped_name_and_the_arrow_keys_lead_to_what_was_meant(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto("/")
    page.get_by_role("combobox", name="Find").fill("custmers")
    options = found(page)
    expect(options.first).to_contain_text("similar name: customers")
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    expect(options.last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(options).to_have_count(0)
    page.keyboard.type("nothing of the kind")
    expect(page.get_by_text("Nothing known is named like")).to_be_visible()


def test_a_job_that_is_found_leads_to_its_runs(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto("/")
    page.get_by_role("combobox", name="Find").fill("enrich")
    page.get_by_role("option", name="Job enrich").click()
    expect(page).to_have_url(re.compile("view=runs.*job=enrich"))


def test_the_slider_leads_to_the_version_before(page: Page, store: LineageStore) -> None:
    fill_with_versions(store)
    page.goto("/?namespace=test&name=spending")
    slider = page.get_by_role("slider", name="Moment")
    expect(slider).to_have_attribute("aria-valuetext", "now")
    spending = page.get_by_role("region", name="dataset spending")
    expect(spending.get_by_title("place")).to_be_visible()
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", "1 Jan 2026, 00:02:00 · version 1 of 2")
    expect(spending.get_by_title("place")).to_have_count(0)
    page.get_by_role("button", name="Back to now").click()
    expect(spending.get_by_title("place")).to_be_visible()


def test_the_difference_of_two_moments_is_drawn_and_listed(page: Page, store: LineageStore) -> None:
    fill_with_versions(store)
    page.goto(TWO_RUNS)
    changes = page.get_by_role("complementary", name="Differences")
    expect(changes.get_by_role("listitem").filter(has_text="spending place").first).to_contain_text("added")
    gone = changes.get_by_role("listitem").filter(has_text="customer_hash")
    expect(gone.first).to_contain_text("gone")
    total = changes.get_by_role("listitem").filter(has_text="total → spending total")
    expect(total).to_contain_text("before: AGGREGATION")
    expect(total).to_contain_text("after: IDENTITY")
    rows = page.get_by_role("region", name="dataset spending").locator(".row")
    expect(rows.filter(has_text="place")).to_contain_text("added")
    expect(rows.filter(has_text="total")).to_contain_text("changed")
    page.get_by_role("button", name="Stop comparing").click()
    expect(changes).to_have_count(0)
    expect(rows.filter(has_text="customer_hash")).to_have_count(0)


def chain(store: LineageStore) -> None:
    """Four jobs from ``raw`` to ``end``; the last one's second run also reads what is a step nearer to ``raw``."""
    names = ("raw", "one", "two", "three", "end")
    steps = list(pairwise(names))
    runs = [copied(minute, [source], target) for minute, (source, target) in enumerate(steps, start=1)]
    known = [*runs, copied(20, ["three", "two"], "end")]
    assert [outcome.error for outcome in ingest(store, known)] == [None] * len(known)


def copied(minute: int, sources: list[str], target: str) -> dict[str, Any]:
    lineage = paths(*[(["x"], source, ["x"], "IDENTITY") for source in sources])
    output = dataset(target, "x", headwater_pathLineage=lineage)
    inputs = [dataset(source, "x") for source in sources]
    return event("COMPLETE", minute, f"{target} {minute}", inputs, [output], target)


def test_what_differs_does_not_depend_on_the_steps_that_are_shown(page: Page, store: LineageStore) -> None:
    chain(store)
    changes = page.get_by_role("complementary", name="Differences")
    for depth in (1, 3, 50):
        page.goto(
            "/?namespace=test&name=end&way=backward&as-of=2026-01-01T00:30:00Z&since=2026-01-01T00:10:00Z"
            f"&depth={depth}"
        )
        expect(changes.get_by_role("status")).to_have_text(re.compile(r"\+ 1 added\s+− 0 gone\s+≠ 1 changed"))
        expect(changes.get_by_role("listitem").filter(has_text="two x → end x")).to_contain_text("added")
        expect(page.get_by_role("region", name="dataset end").locator(".sign").first).to_be_visible()
        expect(page.get_by_role("region", name="dataset raw").locator(".sign")).to_have_count(0)
