"""What a person does with the picture: opens a line, goes on a step, asks for a schema, and uses the keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from kit.openlineage import dataset, event
from kit.pipelines import LETTERS, fill_shop, shop_events
from kit.servers import serving


def test_from_a_path_to_the_predicate_that_decides_about_it(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto("/?namespace=test&name=orders_enriched")
    page.get_by_role("region", name="dataset orders_enriched").get_by_title("customer.city").click()
    details = page.get_by_role("complementary")
    details.get_by_role("button", name=re.compile("orders · placed_at")).click()
    expect(details).to_contain_text("FILTER")
    expect(details.locator("pre")).to_contain_text("placed_at >= DATE")
    page.keyboard.press("Escape")
    expect(details).to_have_count(0)


def test_a_link_restores_what_was_expanded(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto("/?namespace=test&name=spending&way=backward&depth=1")
    cards = page.get_by_role("region", name="dataset")
    expect(cards).to_have_count(2)
    page.get_by_role("button", name="Show what orders_enriched comes from").click()
    expect(cards).to_have_count(4)
    page.reload()
    expect(cards).to_have_count(4)
    page.get_by_role("button", name="Hide again what was opened at orders_enriched").click()
    expect(cards).to_have_count(2)


def test_jobs_are_expanded_as_datasets_are(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto("/?namespace=test&name=spending&way=backward&depth=1&level=job")
    jobs = page.get_by_role("region", name="job ")
    expect(jobs).to_have_count(1)
    page.get_by_role("button", name="Show what group comes from").click()
    expect(page.get_by_role("region", name="job enrich")).to_be_visible()
    page.get_by_role("region", name="job group").get_by_role("button").focus()
    page.keyboard.press("+")
    expect(page.get_by_role("region", name="job export")).to_be_visible()
    page.reload()
    expect(jobs).to_have_count(3)
    page.get_by_role("button", name="Hide again what was opened at group").first.click()
    expect(page.get_by_role("region", name="job enrich")).to_have_count(0)


def test_a_gap_says_why_and_what_to_do(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto("/?namespace=test&name=letters&way=backward")
    page.get_by_role("region", name="dataset letters").get_by_role("button").first.click()
    details = page.get_by_role("complementary")
    expect(details).to_contain_text("What is not known")
    expect(details).to_contain_text("cannot be seen into")


def test_a_gap_to_which_no_edge_leads_has_a_card_at_every_level(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    unlisted = event(
        "COMPLETE", 9, "mail 1", [dataset("letters", *LETTERS)], [dataset("mailbox", "text")], "mail"
    )
    assert [outcome.error for outcome in ingest(store, [unlisted])] == [None]
    for level, card in (("path", "dataset mailbox"), ("dataset", "dataset mailbox"), ("job", "job mail")):
        page.goto(f"/?namespace=test&name=letters&way=forward&level={level}")
        ghost = page.get_by_role("region", name=card)
        expect(ghost.locator(".gap-mark")).to_be_visible()
        expect(page.locator(".strip")).to_contain_text("2 not known")
        page.locator(".strip summary").click()
        where = page.get_by_role("list", name="Where something is not known")
        where.get_by_role("button", name=card.split()[1]).click()
        expect(page.get_by_role("complementary")).to_contain_text("NO_LINEAGE_FACET")
    page.goto("/?namespace=test&name=spending&way=backward&depth=50")
    expect(page.locator(".strip")).to_contain_text("Complete")


def test_the_first_picture_says_what_is_not_known_and_leads_there(page: Page, store: LineageStore) -> None:
    first, second, third = shop_events()
    assert [outcome.error for outcome in ingest(store, [first, second])] == [None, None]
    page.goto("/")
    strip = page.locator(".strip")
    expect(strip).to_have_text("Complete: nothing of it is known to be missing.")
    assert [outcome.error for outcome in ingest(store, [third])] == [None]
    for query in ("/", "/?group=namespace", "/?group=owner"):
        page.goto(query)
        expect(strip).to_contain_text("1 not known.")
        strip.locator("summary").click()
        where = page.get_by_role("list", name="Where something is not known")
        expect(where).to_contain_text("1 gap in its lineage")
        where.get_by_role("button").click()
        expect(page.get_by_role("complementary", name="Details")).to_be_visible()


def test_the_keyboard_goes_along_lines_and_shows_all_paths(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto("/?namespace=test&name=spending&way=backward&depth=1")
    enriched = page.get_by_role("region", name="dataset orders_enriched")
    enriched.get_by_title("customer.mail").focus()
    page.keyboard.press("ArrowRight")
    spending = page.get_by_role("region", name="dataset spending")
    expect(spending.get_by_title("customer_hash")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(enriched.get_by_title("customer.mail")).to_be_focused()
    expect(enriched.get_by_title("order", exact=True)).to_have_count(0)
    page.keyboard.press("a")
    expect(enriched.get_by_title("order", exact=True)).to_be_visible()


class TestWithALimit:
    """A server whose answers end after a few nodes."""

    @pytest.fixture
    def address(self, store: LineageStore) -> Iterator[str]:
        """The address of a server over the shop that answers with six nodes at most."""
        fill_shop(store)
        with serving(store, Settings(max_nodes=6)) as found:
            yield found

    def test_what_a_limit_cut_is_shown_page_by_page(self, page: Page) -> None:
        page.goto("/?namespace=test&name=letters&way=backward&depth=50")
        note = page.locator(".note", has_text="A limit cut the answer")
        expect(note).to_contain_text(
            re.compile("[56] paths and datasets are shown; how many are missing is not known")
        )
        person = page.get_by_role("region", name="dataset customers").get_by_title("person.mail")
        expect(person).to_have_count(0)
        note.get_by_role("button", name="Show more").click()
        expect(note).to_contain_text(re.compile("1[0-2] paths and datasets"))
        page.reload()
        expect(note).to_contain_text(re.compile("1[0-2] paths and datasets"))
        note.get_by_role("button", name="Show more").click()
        expect(person).to_be_visible()
        expect(note).to_have_count(0)
        page.get_by_role("radio", name="Datasets").check()
        expect(note).to_be_visible()
        assert "pages=" not in page.url
