"""The first page of a store that is too large to be shown card by card."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from kit.openlineage import dataset, event, facet

SOME_CARD_IS_IN_VIEW = """() => {
  const stage = document.querySelector(".canvas").getBoundingClientRect();
  return [...document.querySelectorAll(".card.dataset")].some((card) => {
    const { left, right, top, bottom } = card.getBoundingClientRect();
    return left >= stage.left && right <= stage.right && top >= stage.top && bottom <= stage.bottom;
  });
}"""

ZOOM = (
    """() => new DOMMatrix(getComputedStyle(document.querySelector(".react-flow__viewport")).transform).a"""
)
NAMES_ARE_READABLE = f"""() => {{
  const titles = [...document.querySelectorAll(".card-title")];
  return titles.length > 0 && titles.every((title) =>
    Number.parseFloat(getComputedStyle(title).fontSize) * ({ZOOM})() >= 10.9);
}}"""


@pytest.fixture(autouse=True)
def company(store: LineageStore) -> None:
    """Two namespaces of 80 datasets each, which jobs copy from one to the other."""
    events = [
        event(
            "COMPLETE",
            1,
            f"copy {number}",
            [{**dataset(f"in {number}", "a"), "namespace": "raw"}],
            [{**dataset(f"out {number}", "a"), "namespace": "mart"}],
            f"copy {number}",
        )
        for number in range(80)
    ]
    assert {outcome.error for outcome in ingest(store, events)} == {None}


def test_an_opened_group_is_closed_in_one_click(page: Page) -> None:
    page.goto("/")
    groups = page.get_by_role("region", name="group")
    expect(groups).to_have_count(2)
    page.get_by_role("region", name="group raw").get_by_role("button", name="Open").click()
    expect(page.get_by_role("region", name="dataset in 1", exact=True)).to_be_attached()
    page.get_by_role("button", name="Close raw").click()
    expect(groups).to_have_count(2)


def test_groups_of_all_datasets_open_into_folders_that_jobs_connect_and_personal_data_mark(
    page: Page, store: LineageStore
) -> None:
    tagged = facet(
        tags=[{"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "a"}]
    )
    events = []
    for number in range(60):
        area = ("crm", "web", "hr")[number % 3]
        facets = {"tags": tagged} if area == "hr" else {}
        source = {**dataset(f"/land/{area}/{number}", "a", **facets), "namespace": "s3://lake"}
        target = {**dataset(f"{area}.t{number}", "a"), "namespace": "hive"}
        events.append(event("COMPLETE", 2, f"load {number}", [source], [target], f"load {number}"))
    assert {outcome.error for outcome in ingest(store, events)} == {None}
    page.goto("/?exposure=yes")
    expect(page.locator(".note").first).to_contain_text("All 280 datasets")
    lake = page.get_by_role("region", name="group lake")
    expect(lake.locator(".form.letter")).to_be_visible()
    lake.get_by_role("button", name="Open").click()
    hr = page.get_by_role("region", name="group hr/")
    expect(hr).to_contain_text("20 datasets")
    expect(hr.locator(".form.letter")).to_be_visible()
    expect(page.get_by_role("region", name="group crm/").locator(".form.letter")).to_have_count(0)
    hr.locator(".card-head").click()
    expect(page.locator(".details")).to_contain_text("20 known to hold personal data")
    hr.get_by_role("button", name="Open").click()
    expect(page.locator(".card.dataset")).to_have_count(20)
    page.reload()
    expect(page.locator(".card.dataset")).to_have_count(20)
    page.get_by_role("button", name="Close lake").first.click()
    expect(page.locator(".card.dataset")).to_have_count(0)
    expect(lake).to_be_visible()


def test_notices_lie_beside_the_cards_and_something_is_in_view_after_show_all(page: Page) -> None:
    page.goto("/")
    note = page.locator(".note")
    expect(note).to_be_visible()
    text_box, canvas = note.bounding_box(), page.locator(".canvas").bounding_box()
    assert text_box and canvas and text_box["y"] + text_box["height"] <= canvas["y"]
    page.get_by_role("button", name="Show all datasets").click()
    page.wait_for_function(SOME_CARD_IS_IN_VIEW)


def test_of_a_large_picture_only_cards_in_view_are_elements_and_painted_ones_are_selected(
    page: Page, store: LineageStore
) -> None:
    more = [
        event("COMPLETE", 1, f"wide {at}", [dataset(f"x {at}", "a")], [dataset(f"y {at}", "a")], f"wide {at}")
        for at in range(150)
    ]
    assert {outcome.error for outcome in ingest(store, more)} == {None}
    page.goto("/?group=none")
    cards = page.locator(".card")
    page.wait_for_function(SOME_CARD_IS_IN_VIEW)
    assert cards.count() < 500  # of 690
    page.get_by_role("button", name="Show the whole picture").click()
    expect(cards).to_have_count(0)
    canvas = page.locator(".canvas").bounding_box()
    assert canvas
    # A way down across the picture meets a card.
    for step in range(60):
        page.mouse.click(canvas["x"] + canvas["width"] / 3 + step, canvas["y"] + 60 + 8 * step)
        if page.locator(".card.selected").count():
            break
    expect(page.locator(".card.selected")).to_be_attached()
    expect(page.locator(".details")).to_be_visible()


def test_painted_cards_become_elements_with_readable_names_when_the_view_rests(
    page: Page, store: LineageStore
) -> None:
    more = [
        event("COMPLETE", 1, f"more {at}", [dataset(f"x {at}", "a")], [dataset(f"y {at}", "a")], f"more {at}")
        for at in range(150)
    ]
    assert {outcome.error for outcome in ingest(store, more)} == {None}
    page.goto("/?group=none")
    page.wait_for_function(SOME_CARD_IS_IN_VIEW)
    page.get_by_role("button", name="Show the whole picture").click()
    expect(page.locator(".card")).to_have_count(0)
    canvas = page.locator(".canvas").bounding_box()
    assert canvas
    page.mouse.move(canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] / 2)
    for _ in range(40):
        page.mouse.wheel(0, -100)
        page.wait_for_timeout(20)
        if page.evaluate(ZOOM) > 0.6:
            break
    expect(page.locator(".canvas.moving")).not_to_be_attached()
    page.wait_for_function(NAMES_ARE_READABLE)


@pytest.mark.parametrize("grip", [".react-flow__pane", ".card-head", ".react-flow__controls"])
def test_a_drag_across_the_picture_selects_no_text(page: Page, grip: str) -> None:
    page.goto("/?group=none")
    page.wait_for_function(SOME_CARD_IS_IN_VIEW)
    box = page.locator(grip).first.bounding_box()
    canvas = page.locator(".canvas").bounding_box()
    assert box and canvas
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] - 20, steps=5)
    page.mouse.up()
    assert page.evaluate("getSelection().toString()") == ""
