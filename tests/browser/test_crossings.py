"""What a person sees of personal data that cross from country to country: a map of flows, and each crossing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from kit.pipelines import COUNTRIES, IN_EUROPE, fill_shop
from kit.servers import serving, stating

MAP = "Map of crossings: from the countries on the left to those on the right"


@pytest.fixture
def address(store: LineageStore, tmp_path: Path) -> Iterator[str]:
    """The address of a server over the shop that knows where its datasets are, and where they may be."""
    fill_shop(store)
    with serving(store, stating(tmp_path, COUNTRIES, IN_EUROPE)) as found:
        yield found


def test_a_map_shows_each_flow_and_a_flow_its_crossings(page: Page) -> None:
    page.goto("/?view=crossings")
    expect(page.get_by_role("heading", name="Between countries")).to_be_visible()
    flows = page.get_by_role("figure").get_by_role("button")
    expect(flows.first).to_be_visible()
    named = [flows.nth(number).get_attribute("aria-label") or "" for number in range(flows.count())]
    assert any(name.startswith("Germany → United States: ") and "violation" in name for name in named), named
    assert any(name.startswith("Germany → France: ") and name.endswith("allowed") for name in named), named
    crossings = page.get_by_role("list", name="Crossings, the gravest first").locator("> li")
    expect(crossings.first).to_contain_text("violation Germany → United States")
    everything = crossings.count()

    page.get_by_role("button", name="Germany → France").first.click()
    expect(crossings.first).to_contain_text("allowed Germany → France")
    assert 0 < crossings.count() < everything
    assert "flow=DE%3EFR%3AALLOWED" in page.url
    page.reload()
    expect(crossings.first).to_contain_text("allowed Germany → France")
    page.get_by_role("button", name="Show all").click()
    expect(crossings).to_have_count(everything)


def test_a_crossing_says_why_by_which_way_and_leads_to_the_picture(page: Page) -> None:
    page.goto("/?view=crossings")
    crossing = page.get_by_role("list", name="Crossings, the gravest first").locator("> li").first
    expect(crossing).to_contain_text("by “in Europe”")
    expect(crossing).to_contain_text("not permitted: United States")
    crossing.locator("summary").click()
    expect(crossing.get_by_role("listitem").first).to_contain_text("→")
    crossing.get_by_role("button", name="Show").first.click()
    expect(page.get_by_role("region", name="dataset spending")).to_be_visible()


def test_what_crosses_is_saved_as_a_report(page: Page) -> None:
    page.goto("/?view=crossings")
    page.get_by_text("Report", exact=True).click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download").click()
    assert "transfers" in saved.value.suggested_filename
    assert "Transfers of personal data between countries" in saved.value.path().read_text("utf-8")


def test_keys_choose_a_flow(page: Page) -> None:
    page.goto("/?view=crossings")
    flow = page.get_by_role("figure").get_by_role("button").first
    flow.focus()
    page.keyboard.press("Enter")
    expect(flow).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Space")
    expect(flow).to_have_attribute("aria-pressed", "false")


class TestWithoutStatements:
    """A server that knows no country and no policy."""

    @pytest.fixture
    def address(self, store: LineageStore) -> Iterator[str]:
        fill_shop(store)
        with serving(store, Settings()) as found:
            yield found

    def test_nothing_is_called_allowed(self, page: Page) -> None:
        page.goto("/?view=crossings")
        expect(page.get_by_role("list", name="Crossings by verdict")).to_contain_text("allowed 0")
        expect(page.get_by_role("figure")).to_contain_text("not stated")


class TestForEveryone:
    """The page as axe-core sees it."""

    @pytest.fixture
    def store_url(self, tmp_path: Path) -> str:
        """One store is enough: what is drawn over it does not depend on its kind."""
        return f"sqlite:///{tmp_path}/lineage.db"

    @pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
    def test_axe_finds_nothing(
        self, chromium: Browser, address: str, scheme: Literal["light", "dark"]
    ) -> None:
        # axe-core is put into the page, which the page's own policy refuses.
        with chromium.new_context(
            base_url=address, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce"
        ) as context:
            page = context.new_page()
            page.goto("/?view=crossings")
            expect(page.get_by_role("figure")).to_be_visible()
            assert Axe().run(page).response["violations"] == []
