"""Active lineage in the picture: which ways no data can take and why, about which rows it is, and how to go on."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_mappings import Document, events_of, parse
from kit.filtered import REGIONS, copied
from kit.parties import PARTIES

FORK = [
    copied(1, "first", "shop", "Europe", "Asia"),
    copied(2, "second", "shop", "Americas"),
    copied(3, "third", "shop", "Europe"),
    copied(4, "shop", "report"),
]
"""The report is made of the shop's rows, and these of three sources' by their region."""
OF_X = "namespace=test&path=x&depth=9&influences=no"


def test_a_way_that_no_data_can_take_says_why_at_its_line(page: Page, store: LineageStore) -> None:
    take(store, REGIONS)
    page.goto(f"/?{OF_X}&name=a1")
    page.get_by_role("checkbox", name="By conditions").check()
    open_line(page, near="a7", far="a9 · x")
    details = page.get_by_role("complementary")
    for where in (details, page.locator(".canvas .because")):
        expect(where).to_contain_text("No data can take this way")
        expect(where).to_contain_text(re.compile("a5 to a3, region IN .*, and in a9 to a7, region IN"))
    page.reload()
    expect(page.get_by_role("checkbox", name="By conditions")).to_be_checked()
    expect(page.locator(".canvas .because")).to_be_visible()
    page.get_by_role("checkbox", name="By conditions").uncheck()
    expect(details).not_to_contain_text("No data can take this way")


def test_a_condition_narrows_the_picture_and_says_what_it_does(page: Page, store: LineageStore) -> None:
    take(store, FORK)
    page.goto(f"/?{OF_X}&name=report&active=yes")
    form = page.get_by_role("region", name="Active lineage")
    ask(form, "region = 'Europe' AND x <> 'old'")
    effects = form.get_by_role("listitem")
    expect(effects).to_have_text(
        [re.compile("region = 'Europe' excludes 1 way$"), re.compile("x <> 'old' has no effect$")]
    )
    open_line(page, near="shop", far="second · x")
    expect(page.get_by_role("complementary")).to_contain_text("the question asks for region = 'Europe'")
    ask(form, "regoin = 'Europe'")
    expect(page.get_by_role("alert")).to_contain_text("did you mean 'region'?")


def test_with_too_many_ways_a_choice_leads_on(page: Page, store: LineageStore) -> None:
    take(store, FORK)
    page.goto(f"/?{OF_X}&name=report&active=yes&most-ways=2")
    form = page.get_by_role("region", name="Active lineage")
    expect(form).to_contain_text("Where it comes from: stopped after 2 ways.")
    expect(page.locator(".strip")).to_contain_text("not known")
    choice = form.get_by_role("radio", name=re.compile("region IN .*'Americas'.*keeps 1 of 3 ways"))
    choice.check()
    form.get_by_role("button", name="Go on").click()
    expect(form.get_by_role("textbox")).to_have_value("region IN ('Americas')")
    open_line(page, near="shop", far="first · x")
    expect(page.get_by_role("complementary")).to_contain_text("No data can take this way")


def test_one_record_has_its_values_from_the_sources_that_they_have_in_common(
    page: Page, store: LineageStore
) -> None:
    take(store, list(events_of([Document("m.txt", "2026-01-01T00:00:00+00:00", parse(PARTIES))])))
    page.goto("/?namespace=mappings&name=PARTY&active=yes&depth=9")
    page.get_by_role("button", name="Sources of one record").click()
    record = page.get_by_role("region", name="Sources of one record")
    for name in ("NAME", "BORN", "SYSTEM"):
        record.get_by_role("checkbox", name=name).check()
    record.get_by_role("button", name="Ask").click()
    lists = record.get_by_role("list")
    expect(lists).to_have_text(
        [
            re.compile("PERSONS · BORN all rows.*PERSONS · NAME all rows"),
            re.compile("VISITORS · BORN"),
            re.compile("COMPANIES · TITLE"),
        ]
    )
    expect(record).to_contain_text("SYSTEM has no source")
    page.reload()
    expect(lists).to_have_count(3)
    ask(page.get_by_role("region", name="Active lineage"), "TYPE = 'PERSON'")
    expect(lists).to_have_count(1)
    lists.get_by_role("button", name="PERSONS · BORN").click()
    expect(page).to_have_url(re.compile("name=PERSONS&path=BORN"))


def take(store: LineageStore, events: list[dict[str, Any]]) -> None:
    assert [outcome.error for outcome in ingest(store, events)] == [None] * len(events)


def ask(form: Locator, condition: str) -> None:
    form.get_by_role("textbox").fill(condition)
    form.get_by_role("button", name="Ask").click()


def open_line(page: Page, near: str, far: str) -> None:
    """Open the details of the line from one path to ``x`` of a dataset."""
    page.get_by_role("region", name=f"dataset {near}").get_by_title("x", exact=True).click()
    page.get_by_role("complementary").get_by_role("button", name=re.compile(far)).click()
