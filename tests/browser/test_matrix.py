"""The matrix as people narrow it down, take it with them, and read it on small screens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdf
import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from kit import browser
from kit.openlineage import dataset, event, facet
from kit.pipelines import fill_shop
from kit.servers import serving

ORGANISATION = """
processing:
  - {activity: Shop, outputs: "* customers", subjects: [customer]}
  - {activity: Clinic, outputs: "* visits", subjects: [patient]}
"""
HEALTH = facet(
    tags=[
        {"key": "data_category", "value": "user.health_and_medical", "source": "CONFIG", "field": "illness"}
    ]
)
LONG = "s3://warehouse/" + "/".join(["a_rather_long_folder"] * 8)

SMALL = """() => [...document.querySelectorAll("button, a, input, select, summary")]
    .filter((each) => each.offsetParent !== null && !each.closest(".react-flow__viewport, .skip"))
    .map((each) => (each.matches("input") && each.closest("label")) || each)
    .filter((each) => each.getBoundingClientRect().width < 24 || each.getBoundingClientRect().height < 24)
    .map((each) => each.outerHTML.slice(0, 120))"""
VIEWS = (
    "/",
    "/?namespace=test&name=spending&exposure=yes",
    "/?view=matrix",
    "/?view=findings",
    "/?view=crossings",
    "/?view=classify&attribute-namespace=test&attribute=customers&attribute-path=id",
    "/?view=runs",
    "/?view=runs&job-namespace=test&job=group",
    "/?view=runs&namespace=test&name=spending",
    "/?view=dead-letters",
)


@pytest.fixture
def address(store: LineageStore, tmp_path: Path) -> Iterator[str]:
    """The address of a server over the shop and a clinic, of which the organisation states whose data they have."""
    fill_shop(store)
    owner = facet(owners=[{"name": "team:clinic"}])
    visits = dataset("visits", "illness", tags=HEALTH, ownership=owner)
    long = {**dataset(LONG, "x"), "namespace": "s3://" + "bucket" * 12}
    events = [event("COMPLETE", 9, "load", [long], [visits], "load")]
    assert [outcome.error for outcome in ingest(store, events)] == [None]
    stated = tmp_path / "organisation.yaml"
    stated.write_text(ORGANISATION)
    with serving(store, Settings(organisation=stated)) as found:
        yield found


def rows(page: Page) -> Any:
    return page.get_by_role("grid").get_by_role("rowheader")


def test_one_choice_leaves_the_special_categories(page: Page) -> None:
    page.goto("/?view=matrix")
    expect(rows(page)).to_have_count(5)
    page.get_by_role("checkbox", name="Special categories").check()
    expect(rows(page)).to_contain_text(["visits"])
    expect(page.get_by_text("Broad categories that may hold special ones stay")).to_be_visible()
    page.reload()
    expect(rows(page)).to_have_count(1)


def test_one_choice_leaves_a_category_a_subject_or_an_owner(page: Page) -> None:
    page.goto("/?view=matrix")
    page.get_by_role("combobox", name="Category", exact=True).select_option("user.contact.email")
    expect(rows(page)).to_have_count(4)
    page.get_by_role("combobox", name="Category", exact=True).select_option(label="all")
    page.get_by_role("combobox", name="Data subject", exact=True).select_option("patient")
    expect(rows(page)).to_contain_text(["visits"])
    page.get_by_role("combobox", name="Data subject", exact=True).select_option(label="all")
    page.get_by_role("combobox", name="Owner", exact=True).select_option("team:clinic")
    expect(rows(page)).to_contain_text(["visits"])
    page.get_by_role("combobox", name="Owner", exact=True).select_option("not stated")
    expect(rows(page)).to_have_count(4)


def test_the_pdf_is_the_table_on_one_page(page: Page, tmp_path: Path) -> None:
    page.goto("/?view=matrix")
    with page.expect_download() as waited:
        page.get_by_role("button", name="Table as PDF").click()
    file = tmp_path / "matrix.pdf"
    waited.value.save_as(file)
    (sheet,) = pypdf.PdfReader(file).pages
    text = sheet.extract_text(extraction_mode="layout")
    assert re.search(r"spending – test +pseudonym +\?", text)
    assert "what looks empty may hold personal data" in text


@pytest.mark.parametrize("width", [390, 720])
def test_small_screens_need_no_sideways_scroll_and_no_small_fingers(
    chromium: Browser, address: str, width: int
) -> None:
    size: ViewportSize = {"width": width, "height": 800}
    with chromium.new_context(base_url=address, viewport=size, reduced_motion="reduce") as context:
        page = context.new_page()
        page.set_default_timeout(browser.PATIENCE_MS)
        for view in VIEWS:
            page.goto(view)
            page.wait_for_load_state("networkidle")
            assert not page.evaluate("document.documentElement.scrollWidth > innerWidth"), view
            assert page.evaluate(SMALL) == [], view


@pytest.mark.parametrize("size", [(390, 844), (1280, 420)])
def test_the_table_hides_nothing_of_what_stands_above_it(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto("/?view=matrix")
    page.get_by_text("what looks empty may hold personal data").click()
    head = page.locator(".privacy-head > *").last.bounding_box()
    table = page.locator(".matrix-frame").bounding_box()
    assert head and table
    assert head["y"] + head["height"] <= table["y"]
    assert table["height"] >= 200


def test_the_letters_of_forms_are_of_the_language_of_the_page(chromium: Browser, address: str) -> None:
    with chromium.new_context(base_url=address, locale="de-DE", reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto("/?namespace=test&name=spending&exposure=yes")
        row = page.get_by_role("region", name="orders_enriched").locator(".row", has_text="mail")
        expect(row).to_contain_text("W")
        expect(row).to_contain_text("Personenbezogene Daten: Wert")
