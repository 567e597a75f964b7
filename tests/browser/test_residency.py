"""What a person sees of the countries of personal data: marks at cards, and the policies in the panel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from headwater_backend.ports import LineageStore
from kit.pipelines import IN_EUROPE, fill_shop
from kit.servers import serving, stating

STATED = """
locations:
  - {datasets: "* customers", country: DE}
  - {datasets: "* orders_enriched", country: DE}
  - {datasets: "* spending", country: US}
"""


@pytest.fixture
def address(store: LineageStore, tmp_path: Path) -> Iterator[str]:
    """The address of a server over the shop that knows where some of its datasets are, and where they may be."""
    fill_shop(store)
    with serving(store, stating(tmp_path, STATED, IN_EUROPE)) as found:
        yield found


def test_cards_are_marked_by_the_countries_of_their_data(page: Page) -> None:
    page.goto("/")
    spending = page.get_by_role("region", name="dataset spending")
    expect(spending).to_be_visible()
    expect(page.locator(".residency")).to_have_count(0)
    page.get_by_role("checkbox", name="Personal data").check()
    expect(spending).to_contain_text("Countries: US, outside")
    expect(page.get_by_role("region", name="dataset customers")).to_contain_text("Countries: DE, within")
    letters = page.get_by_role("region", name="dataset letters")
    expect(letters).to_contain_text("Countries: not stated, not known")
    expect(page.get_by_role("list", name="Countries of personal data")).to_contain_text("outside")
    spending.get_by_role("button").first.click()
    panel = page.get_by_role("complementary", name="Details")
    expect(panel.get_by_role("heading", name="Countries")).to_be_visible()
    mail = panel.get_by_role("listitem").filter(has_text="e-mail address")
    expect(mail).to_contain_text("not permitted: US; by “in Europe”")
    page.get_by_role("checkbox", name="Personal data").uncheck()
    expect(page.locator(".residency")).to_have_count(0)


class TestForEveryone:
    """The marks as axe-core sees them."""

    @pytest.fixture
    def store_url(self, tmp_path: Path) -> str:
        """One store is enough: what is drawn over it does not depend on its kind."""
        return f"sqlite:///{tmp_path}/lineage.db"

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_axe_finds_nothing(
        self, chromium: Browser, address: str, scheme: Literal["light", "dark"]
    ) -> None:
        # axe-core is put into the page, which the page's own policy refuses.
        with chromium.new_context(
            base_url=address, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce"
        ) as context:
            page = context.new_page()
            page.goto("/?exposure=yes")
            spending = page.get_by_role("region", name="dataset spending")
            expect(spending).to_contain_text("Countries: US, outside")
            spending.get_by_role("button").first.click()
            expect(page.get_by_role("heading", name="Countries")).to_be_visible()
            assert Axe().run(page).response["violations"] == []
