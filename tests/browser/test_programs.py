"""From what the picture shows to what made it: programs, owners, runs, and the tests that failed in them."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.reports.languages.catalogue import Language, words
from headwater_boundary.job_event import job_event
from headwater_boundary.statements import statements_of
from kit.openlineage import dataset, event, facet
from kit.pipelines import SPENDING, fill_shop
from kit.split_answer import MADE

SQL = "SELECT city, sum(total) FROM orders_enriched GROUP BY city"
PLACE = "https://git.example/shop/blob/abc/jobs/group.sql#L7"
FAILED = {"assertion": "unique", "success": False, "column": "city", "expected": "0", "actual": "3"}


def grouped_again(state: str, minute: int, run: str, place: str = PLACE, **facets: Any) -> dict[str, Any]:
    """An event of another run of ``group``, which says what it executes, and whose test failed."""
    tested = {**dataset("spending", *SPENDING), "outputFacets": facets}
    found = event(state, minute, run, [dataset("orders_enriched", "total")], [tested], "group")
    found["job"]["facets"] = {
        "sql": facet(query=SQL, dialect="spark"),
        "sourceCodeLocation": facet(type="git", url=place, repoUrl="https://git.example/shop", version="abc"),
        "ownership": facet(owners=[{"name": "team:sales", "type": "MAINTAINER"}]),
    }
    return found


@pytest.fixture(autouse=True)
def shop(store: LineageStore) -> None:
    fill_shop(store)
    tests = facet(assertions=[FAILED, {"assertion": "not_null", "success": True, "column": "total"}])
    again = grouped_again("FAIL", 20, "group 2", dataQualityAssertions=tests)
    assert [outcome.error for outcome in ingest(store, [again])] == [None]


def test_a_path_leads_to_its_program_in_one_click(page: Page) -> None:
    page.goto("/?namespace=test&name=spending")
    page.get_by_role("region", name="dataset spending").get_by_title("total").click()
    details = page.get_by_role("complementary", name="Details")
    expect(details.get_by_role("link", name=re.compile("group.sql.*, line 7"))).to_have_attribute(
        "href", PLACE
    )
    expect(details.get_by_role("link", name="https://git.example/shop", exact=True)).to_be_visible()
    expect(details).to_contain_text("team:sales (MAINTAINER)")
    details.get_by_text("Statement").click()
    expect(details.locator("pre")).to_contain_text([SQL])


def test_an_address_that_is_no_web_page_is_no_link(page: Page, store: LineageStore) -> None:
    assert ingest(store, [grouped_again("COMPLETE", 30, "group 3", "javascript:alert(1)#L7")])[0].stored
    page.goto("/?view=runs&job-namespace=test&job=group")
    expect(page.get_by_text("javascript:alert(1)#L7, line 7")).to_be_visible()
    expect(page.get_by_role("link", name="javascript")).to_have_count(0)


def test_a_red_run_is_explained_in_two_clicks(page: Page) -> None:
    page.goto("/?namespace=test&name=spending&level=dataset")
    page.get_by_role("region", name="dataset spending").get_by_role("button").first.click()
    newest = page.get_by_role("complementary").locator(".newest-runs")
    expect(newest.get_by_role("listitem").first).to_contain_text(re.compile("failed.*group"))
    newest.get_by_role("button", name="group", exact=True).first.click()
    red = page.get_by_role("row").nth(1)
    expect(red).to_contain_text(re.compile("failed.*unique city of spending.*expected 0, found 3"))
    red.get_by_role("button", name="unique city of spending").click()
    expect(page.get_by_role("heading", name=re.compile("Runs of spending"))).to_be_visible()


def test_a_dataset_leads_to_its_runs(page: Page) -> None:
    page.goto("/?namespace=test&name=spending&level=dataset")
    page.get_by_role("region", name="dataset spending").get_by_role("button").first.click()
    page.get_by_role("button", name="Show its runs").click()
    expect(page.get_by_role("heading", name=re.compile("Runs of spending"))).to_be_visible()


def test_states_of_jobs_in_the_picture_are_live(page: Page, address: str) -> None:
    page.goto("/?namespace=test&name=spending&level=dataset")
    card = page.get_by_role("region", name="job group")
    expect(card).to_contain_text("Newest run: failed")
    expect(page.get_by_role("region", name="job enrich")).to_contain_text("Newest run: completed")
    page.wait_for_load_state("networkidle")
    begun = grouped_again("START", 40, "group 4")
    httpx.post(f"{address}/api/v1/lineage", json=begun).raise_for_status()
    expect(card).to_contain_text("Newest run: started")


def test_a_split_job_is_drawn_with_its_sides_and_reasons(page: Page, store: LineageStore) -> None:
    outcomes = ingest(store, [json.loads(job_event(MADE, datetime(2026, 1, 1, tzinfo=timezone.utc)))])
    assert [outcome.error for outcome in outcomes] == [None]
    page.goto("/?view=runs&job-namespace=default&job=report")
    drawing = page.get_by_role("img", name="Split along the boundary of regions")
    expect(drawing.locator("g.inside text").nth(1)).to_have_text("orders: read orders")
    lines = sum(len(each.inputs or ()) for each in statements_of(words(Language.EN), MADE))
    expect(drawing.locator("path.line")).to_have_count(lines)
    row = page.get_by_role("row", name="orders: read orders")
    expect(row).to_contain_text("/data/orders holds personal data")
    expect(page.get_by_role("row", name="overall_2")).to_contain_text("Goes back into the regions")
    expect(page.get_by_role("main")).to_contain_text("A group leaves a region if it has at least 5")
