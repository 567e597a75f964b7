"""What a person sees who opens the explorer for the first time."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from headwater_backend.ports import LineageStore
from kit.pipelines import fill_shop

SLOW = {"offline": False, "latency": 40, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
"""A line of 400 kbit/s."""
PLACES = """[...document.querySelectorAll(".react-flow__node")].map((card) => card.style.transform)"""


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


def test_over_a_slow_line_the_picture_is_there_before_the_layout_s_script_and_then_as_over_a_quick_one(
    page: Page, store: LineageStore
) -> None:
    fill_shop(store)
    page.goto("/?namespace=test&name=spending&level=dataset")
    expect(page.locator(".canvas")).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("region", name="dataset")).to_have_count(5)
    quick = page.evaluate(PLACES)
    arrived: list[str] = []
    page.on("requestfinished", lambda request: arrived.append(request.url))
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.clearBrowserCache")
    devtools.send("Network.emulateNetworkConditions", SLOW)
    page.reload()
    expect(page.get_by_role("region", name="dataset")).to_have_count(5)
    assert not [url for url in arrived if "layout.worker" in url]
    page.wait_for_function(f"places => JSON.stringify({PLACES}) === JSON.stringify(places)", arg=quick)


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
