"""What a page does when the server is away for a while, and what its address keeps of what a person did with it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from headwater_backend.ports import LineageStore
from kit import browser
from kit.pipelines import fill_shop

SPENDING = "/?namespace=test&name=spending"


@pytest.fixture
def unwatched(chromium: Browser, address: str) -> Iterator[Page]:
    """A page that may complain, as one does whose server is away."""
    with chromium.new_context(base_url=address, locale="en-GB", reduced_motion="reduce") as context:
        page = context.new_page()
        page.set_default_timeout(browser.PATIENCE_MS)
        yield page


def cut_off(route: Route) -> None:
    route.abort("connectionrefused")


@pytest.mark.parametrize("away", ["**/graphql", re.compile(r"layout\.worker")], ids=["answers", "layout"])
def test_a_page_that_was_opened_in_an_outage_recovers_by_itself(
    unwatched: Page, store: LineageStore, away: str
) -> None:
    fill_shop(store)
    unwatched.route(away, cut_off)
    unwatched.goto(SPENDING)
    if isinstance(away, str):
        expect(unwatched.locator(".notice.error")).to_contain_text(
            "It is asked again until there is an answer"
        )
        unwatched.unroute(away, cut_off)
    expect(unwatched.get_by_role("region", name="dataset customers")).to_be_visible()
    expect(unwatched.get_by_role("alert")).to_have_count(0)


def test_a_store_that_is_away_is_asked_again_and_a_mistake_is_not(
    unwatched: Page, store: LineageStore
) -> None:
    fill_shop(store)
    asked = []
    unwatched.on("request", lambda request: asked.append(request) if "graphql" in request.url else None)
    unwatched.goto("/?namespace=test&name=nowhere")
    expect(unwatched.locator(".notice.error")).to_be_visible()
    unwatched.wait_for_load_state("networkidle")
    count = len([request for request in asked if request.method == "POST"])
    unwatched.wait_for_timeout(3_000)
    assert len([request for request in asked if request.method == "POST"]) == count


def test_moving_over_the_picture_selects_no_text(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto(SPENDING)
    kind = page.get_by_role("region", name="dataset customers").locator(".row").first
    other = page.get_by_role("region", name="dataset letters").locator(".row").first
    expect(kind).to_be_visible()
    page.wait_for_load_state("networkidle")
    first, last = kind.bounding_box(), other.bounding_box()
    assert first is not None and last is not None
    page.mouse.move(first["x"] + 12, first["y"] + 5)
    page.mouse.down()
    page.mouse.move(last["x"] + 20, last["y"] + 5, steps=8)
    page.mouse.up()
    assert page.evaluate("getSelection().toString()") == ""
    expect(page.get_by_role("complementary", name="Details")).to_have_count(0)


def test_a_link_restores_what_was_selected_lit_folded_and_shown(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto(SPENDING)
    enriched = page.get_by_role("region", name="dataset orders_enriched")
    enriched.get_by_title("total", exact=True).click()
    page.get_by_role("region", name="dataset customers").get_by_role(
        "button", name="Fold person", exact=True
    ).click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("complementary")).to_have_count(0)
    enriched.get_by_title("customer.mail").click()
    page.keyboard.press("a")
    link = page.url
    page.goto("/?view=runs")
    page.goto(link)
    expect(enriched.get_by_title("customer.mail")).to_have_attribute("aria-pressed", "true")
    expect(enriched.get_by_title("order", exact=True)).to_be_visible()
    expect(page.get_by_role("complementary", name="Details")).to_contain_text("customer.mail")
    lit = page.get_by_role("region", name="dataset spending").locator(".row.lit")
    expect(lit).to_contain_text(["customer_hash"])
    expect(page.get_by_role("button", name="Unfold person", exact=True)).to_be_visible()


def test_a_link_restores_the_filters_of_lists(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto("/?view=runs")
    page.get_by_label("Find").last.fill("enri")
    expect(page.get_by_role("row")).to_have_count(2)
    page.goto(page.url)
    expect(page.get_by_role("row")).to_have_count(2)
    page.goto("/?view=findings")
    page.get_by_label("State").select_option(value="RESOLVED")
    expect(page).to_have_url(re.compile("states=RESOLVED"))
    page.reload()
    expect(page.get_by_label("State")).to_have_value("RESOLVED")
