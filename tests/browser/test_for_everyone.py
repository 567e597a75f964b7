"""The explorer for everyone: what axe-core finds, in light and dark, from a phone to 4K; and by keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from headwater_backend.ports import LineageStore
from kit import browser
from kit.pipelines import fill_shop

SPENDING = "namespace=test&name=spending"
VIEWS = {
    "flow": "/",
    "paths": f"/?{SPENDING}",
    "datasets": f"/?{SPENDING}&level=dataset",
    "exposure": f"/?{SPENDING}&exposure=yes",
    "matrix": "/?view=matrix",
    "findings": "/?view=findings",
    "countries": "/?view=crossings",
    "classify": "/?view=classify&attribute-namespace=test&attribute=customers&attribute-path=id",
    "runs": "/?view=runs",
    "job": "/?view=runs&job-namespace=test&job=group",
    "dead letters": "/?view=dead-letters",
}


@pytest.fixture
def store_url(tmp_path: Path) -> str:
    """One store is enough: what is drawn over it does not depend on its kind."""
    return f"sqlite:///{tmp_path}/lineage.db"


@pytest.mark.parametrize("width", [360, 1280, pytest.param(3840, marks=pytest.mark.slow)])
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_nothing_in_any_view(
    chromium: Browser, store: LineageStore, address: str, scheme: Literal["light", "dark"], width: int
) -> None:
    fill_shop(store)
    size: ViewportSize = {"width": width, "height": 800 if width < 3840 else 2160}
    # axe-core is put into the page, which the page's own policy refuses.
    with chromium.new_context(
        base_url=address, viewport=size, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce"
    ) as context:
        page = context.new_page()
        page.set_default_timeout(browser.PATIENCE_MS)
        found = {name: problems(page, query) for name, query in VIEWS.items()}
    assert {name: each for name, each in found.items() if each} == {}


def problems(page: Page, query: str) -> list[str]:
    """What axe-core finds at the address, and whether it is wider than the window."""
    page.goto(query)
    page.wait_for_load_state("networkidle")
    if "view=" not in query:
        expect(page.get_by_role("region", name="dataset").first).to_be_visible()
    too_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    violations = Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:160]}" for each in violations] + [
        "too wide"
    ] * too_wide


@pytest.fixture
def phone(chromium: Browser, store: LineageStore, address: str) -> Iterator[Page]:
    fill_shop(store)
    size: ViewportSize = {"width": 360, "height": 740}
    with chromium.new_context(
        base_url=address, viewport=size, bypass_csp=True, reduced_motion="reduce"
    ) as context:
        page = context.new_page()
        page.set_default_timeout(browser.PATIENCE_MS)
        yield page


@pytest.mark.parametrize("view", ["flow", "paths", "exposure"])
def test_most_of_a_phone_is_the_picture(phone: Page, view: str) -> None:
    phone.goto(VIEWS[view])
    expect(phone.get_by_role("region", name="dataset").first).to_be_visible()
    phone.wait_for_load_state("networkidle")
    box = phone.locator(".stage").bounding_box()
    assert box is not None and box["height"] >= 0.7 * 740


def test_the_start_can_be_read_on_a_phone_and_all_is_a_button_away(phone: Page) -> None:
    phone.goto(VIEWS["paths"])
    row = phone.get_by_role("region", name="dataset spending").get_by_title("customer_hash")
    expect(row).to_be_in_viewport()
    box = row.bounding_box()
    assert box is not None and box["height"] > 12
    row.click()
    expect(phone.get_by_role("complementary", name="Details")).to_be_visible()
    expect(row).to_be_in_viewport()
    phone.keyboard.press("Escape")
    phone.locator(".react-flow__controls-fitview").click()
    expect(phone.locator(".canvas.far")).to_be_visible()
    for card in phone.get_by_role("region", name="dataset").all():
        expect(card).to_be_in_viewport()


def test_what_bars_hold_is_behind_buttons_on_a_phone(phone: Page) -> None:
    phone.goto(VIEWS["exposure"])
    expect(phone.get_by_role("region", name="dataset").first).to_be_visible()
    for button, inside in (
        ("Choices: Paths · Both ways", phone.get_by_role("radio", name="Where it goes")),
        ("Time: now", phone.get_by_label("Exact time")),
        ("Forms of personal data: Forms", phone.get_by_text("pseudonym", exact=True)),
        ("Menu: Picture", phone.get_by_role("button", name="Matrix")),
    ):
        summary = phone.locator("summary", has_text=button)
        expect(inside).to_be_hidden()
        reach(phone, summary)
        phone.keyboard.press("Enter")
        expect(inside).to_be_visible()
        assert Axe().run(phone).response["violations"] == []
        phone.keyboard.press("Escape")
        expect(inside).to_be_hidden()
        expect(summary).to_be_focused()
    phone.keyboard.press("Enter")
    phone.get_by_role("button", name="Matrix").click()
    expect(phone.get_by_role("grid")).to_be_visible()
    expect(phone.get_by_role("button", name="Findings")).to_be_hidden()


def test_the_keyboard_is_enough_from_the_first_page_to_a_file(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto("/")
    head = page.get_by_role("region", name="dataset spending").get_by_role("button").first
    reach(page, head)
    page.keyboard.press("Enter")
    reach(page, page.get_by_role("button", name="Show its lineage"))
    page.keyboard.press("Enter")
    path = page.get_by_role("region", name="dataset spending").get_by_title("customer_hash")
    expect(path).to_be_visible()
    reach(page, path)
    page.keyboard.press("Enter")
    expect(path).to_have_attribute("aria-pressed", "true")
    reach(page, page.get_by_text("Take away", exact=True))
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "lineage-spending.svg"
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Mermaid text")).to_be_hidden()


def reach(page: Page, wanted: Locator) -> None:
    """Press Tab until the element has the focus."""
    expect(wanted).to_be_visible()
    for _ in range(150):
        if wanted.evaluate("each => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {wanted}")


def test_colours_are_the_system_s_until_somebody_chooses(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/")
    whole, dark, light = page.locator("html"), "rgb(16, 21, 28)", "rgb(246, 247, 249)"
    expect(page.locator("body")).to_have_css("background-color", dark)
    page.emulate_media(color_scheme="light")
    expect(page.locator("body")).to_have_css("background-color", light)
    page.get_by_text("Settings").click()
    page.get_by_label("Appearance").select_option("Dark")
    expect(page.locator("body")).to_have_css("background-color", dark)
    expect(whole).to_have_css("color-scheme", "dark")
