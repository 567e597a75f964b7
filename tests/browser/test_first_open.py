"""What a person sees who opens the explorer for the first time."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from headwater_backend.ports import LineageStore
from kit.pipelines import fill_shop


def test_an_empty_store_says_what_to_do(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_text("Nothing is stored yet")).to_be_visible()


def test_from_the_whole_store_to_the_way_of_a_nested_path(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto("/")
    expect(page.get_by_role("region", name="dataset")).to_have_count(5)
    page.get_by_role("button", name="spending").click()
    page.get_by_role("button", name="Show its lineage").click()
    mail = page.get_by_role("region", name="dataset customers").get_by_title("person.mail")
    mail.click()
    expect(mail).to_have_attribute("aria-pressed", "true")
    lit = page.get_by_role("region", name="dataset spending").locator(".row.lit")
    expect(lit).to_contain_text(["customer_hash"])


def test_a_link_restores_the_picture_and_back_leads_to_the_one_before(
    page: Page, store: LineageStore
) -> None:
    fill_shop(store)
    page.goto("/?namespace=test&name=spending&level=dataset")
    expect(page.get_by_role("region", name="dataset")).to_have_count(5)
    page.get_by_role("radio", name="Paths").check()
    expect(page.get_by_title("customer_hash")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("radio", name="Datasets")).to_be_checked()
