"""What a person sees of personal data: the matrix, the way behind a cell, findings, and what is not known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.findings.watch import PolicyWatch
from kit.openlineage import columns, dataset, event
from kit.pipelines import fill_shop
from kit.pseudonyms import KEYS, NAMED, TOKENS
from kit.servers import serving

POLICIES = parse_policies(
    """
- policy: no contact data in orders
  category: user.contact
  dataset: {namespace: "*", name: "orders_enriched"}
  allow: [masked]
"""
)

FORBIDDEN = parse_policies("- {policy: no names, category: user, reidentification: forbidden}")


@pytest.fixture
def address(store: LineageStore) -> Iterator[str]:
    """The address of a server over the shop, whose customers are tagged, after a check of the policy."""
    fill_shop(store)
    PolicyWatch(store, POLICIES, Ruling(), seconds=1.0).check()
    with serving(store) as found:
        yield found


def test_a_cell_opens_its_way_and_leads_to_it_in_the_picture(page: Page) -> None:
    page.goto("/?view=matrix")
    grid = page.get_by_role("grid")
    expect(grid.get_by_role("row")).to_have_count(5)
    grid.get_by_role("row", name="spending").get_by_role("gridcell", name="pseudonym").click()
    held = page.get_by_role("complementary", name="Held personal data")
    expect(held).to_contain_text("spending customer_hash")
    held.get_by_text("The way: 2 steps").click()
    steps = held.get_by_role("list", name="The way").get_by_role("listitem")
    expect(steps).to_have_count(2)
    expect(steps.first).to_contain_text("customers person.mail → orders_enriched customer.mail")
    expect(steps.last).to_contain_text("by job group")
    held.get_by_role("button", name="Show the way in the picture").click()
    hashed = page.get_by_role("region", name="dataset spending").get_by_title("customer_hash", exact=True)
    expect(hashed).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("region", name="dataset customers").locator(".row.lit")).to_contain_text(["mail"])


def test_the_matrix_is_walked_by_keys(page: Page) -> None:
    page.goto("/?view=matrix")
    grid = page.get_by_role("grid")
    grid.get_by_role("rowheader", name="customers").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(grid.get_by_role("row", name="orders_enriched").get_by_role("gridcell").first).to_be_focused()
    page.keyboard.press("Enter")
    held = page.get_by_role("complementary", name="Held personal data")
    expect(held).to_contain_text("orders_enriched customer.mail")


def test_the_matrix_is_shown_as_it_arrives_and_left_alone_when_it_is_left(page: Page) -> None:
    held: list[Route] = []
    later: list[str] = []

    def one_cell_a_page(route: Route) -> None:
        body: Any = route.request.post_data_json
        if body["operationName"] != "ExposureMatrix":
            route.fallback()
        elif body["variables"]["after"] is None or later:
            route.continue_(post_data={**body, "variables": {**body["variables"], "first": 1}})
        else:
            held.append(route)

    page.route("**/graphql", one_cell_a_page)
    page.goto("/?view=matrix")
    grid = page.get_by_role("grid")
    expect(grid.get_by_role("row")).to_have_count(2)
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "1")
    expect(page.get_by_text("what is empty may still be filled")).to_be_visible()
    with page.expect_event("requestfailed") as given_up:
        page.get_by_role("button", name="Findings").click()
    assert '"ExposureMatrix"' in (given_up.value.post_data or "")
    expect(page.get_by_role("heading", name="Findings")).to_be_visible()
    later.append("go on")
    page.get_by_role("button", name="Matrix").click()
    expect(grid.get_by_role("row")).to_have_count(5)
    expect(page.get_by_role("progressbar")).to_have_count(0)
    assert len(held) == 1


def test_from_an_attribute_to_everything_that_holds_it(page: Page) -> None:
    page.goto("/?namespace=test&name=customers")
    page.get_by_role("region", name="dataset customers").get_by_title("person.mail").click()
    page.get_by_role("button", name="Who holds it").click()
    held = page.get_by_role("complementary", name="Held personal data")
    expect(held.get_by_role("heading", name="Everything that holds customers person.mail")).to_be_visible()
    places = held.locator(".holders > li")
    expect(places).to_contain_text(
        ["orders_enriched customer.mail", "letters letter", "spending customer_hash"]
    )


def test_the_picture_marks_forms_and_findings(page: Page) -> None:
    page.goto("/?namespace=test&name=spending")
    page.get_by_role("checkbox", name="Personal data").check()
    enriched = page.get_by_role("region", name="dataset orders_enriched")
    expect(enriched.locator(".row").filter(has_text="mail")).to_contain_text("Personal data: value")
    spending = page.get_by_role("region", name="dataset spending")
    expect(spending.locator(".row").filter(has_text="customer_hash")).to_contain_text(
        "Personal data: pseudonym"
    )
    expect(page.get_by_text("what looks empty may hold personal data")).to_be_visible()


def test_a_mark_opens_its_finding_and_a_link_restores_it(page: Page) -> None:
    page.goto("/?namespace=test&name=spending&exposure=yes")
    enriched = page.get_by_role("region", name="dataset orders_enriched")
    enriched.locator(".row").get_by_role("button", name="1 finding here").focus()
    page.keyboard.press("Enter")
    finding = page.get_by_role("listitem").filter(has_text="no contact data in orders")
    expect(finding).to_contain_text("orders_enriched customer.mail")
    expect(page.get_by_text("Only the finding that you opened is shown.")).to_be_focused()
    assert "finding=" in page.url
    page.reload()
    expect(finding).to_have_count(1)
    page.goto("/?view=findings&place-namespace=test&place=orders_enriched&place-path=customer")
    expect(page.get_by_text("Only findings at orders_enriched customer are shown.")).to_be_visible()
    expect(finding).to_have_count(1)
    page.goto("/?view=findings&place-namespace=test&place=spending")
    expect(page.get_by_text("There are no findings in this state.")).to_be_visible()
    page.get_by_role("button", name="Show all findings").click()
    expect(finding).to_have_count(1)


def test_a_finding_of_a_pseudonym_says_what_makes_it_readable(page: Page, store: LineageStore) -> None:
    assert all(outcome.stored for outcome in ingest(store, [TOKENS, KEYS, NAMED]))
    PolicyWatch(store, FORBIDDEN, Ruling(), seconds=1.0).check()
    page.goto("/?namespace=test&name=named&exposure=yes")
    page.get_by_role("region", name="dataset named").get_by_role("button", name="1 finding here").click()
    finding = page.get_by_role("listitem").filter(has_text="no names")
    expect(finding).to_have_count(1)
    expect(finding).to_contain_text("tokens token")
    expect(finding).to_contain_text("keys mail · joined with a key table")


def test_a_finding_is_acknowledged_with_a_reason(page: Page) -> None:
    page.goto("/?view=findings")
    finding = page.get_by_role("listitem").filter(has_text="no contact data in orders")
    expect(finding).to_contain_text("orders_enriched customer.mail")
    finding.get_by_label("Reason").fill("the shop needs it until spring")
    finding.get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_text("The finding is now acknowledged.")).to_be_visible()
    expect(finding.locator(".state")).to_have_text("acknowledged")
    finding.get_by_text("History").click()
    expect(finding.locator("ol")).to_contain_text("the shop needs it until spring")
    expect(finding.get_by_role("button", name="Acknowledge")).to_have_count(0)


def test_a_report_is_saved_as_a_file(page: Page) -> None:
    page.goto("/?view=matrix")
    page.get_by_text("Report", exact=True).click()
    with page.expect_download() as waited:
        page.get_by_role("button", name="Download").click()
    assert waited.value.suggested_filename.startswith("headwater-exposure-")
    assert b"person.mail" in Path(waited.value.path()).read_bytes()


class TestWithoutRules:
    """A store in which nothing says what is personal."""

    @pytest.fixture
    def address(self, store: LineageStore) -> Iterator[str]:
        """The address of a server over a store without classes."""
        output = dataset("out", "id", columnLineage=columns({"id": [("people", "id")]}))
        copied = event("COMPLETE", 1, "run", [dataset("people", "id")], [output])
        assert [outcome.error for outcome in ingest(store, [copied])] == [None]
        with serving(store) as found:
            yield found

    def test_where_nothing_is_classified_nothing_is_claimed(self, page: Page) -> None:
        for place in ("/?view=matrix", "/?namespace=test&name=out&exposure=yes"):
            page.goto(place)
            expect(page.get_by_role("alert")).to_contain_text("nothing is known about who holds it")
        page.goto("/?view=matrix&attribute-namespace=test&attribute=people&attribute-path=id")
        held = page.get_by_role("complementary", name="Held personal data")
        expect(held.get_by_role("alert")).to_contain_text("nothing is known about who holds it")
        expect(page.get_by_text("No path is known to hold it")).to_have_count(0)
