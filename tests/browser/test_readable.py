"""Whether the text of a picture can be read where a person finds it, and what a panel that opens leaves to be seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from kit.openlineage import dataset, event, paths
from kit.pipelines import fill_shop

LONG = "customer_identifier_of_the_warehouse"
_TEXTS = """
() => {
    const zoom = new DOMMatrix(getComputedStyle(document.querySelector(".react-flow__viewport")).transform).a;
    const stage = document.querySelector(".stage").getBoundingClientRect();
    const written = [...document.querySelectorAll(".react-flow__node *")].filter((each) => {
        const box = each.getBoundingClientRect();
        const seen = box.right > stage.left && box.left < stage.right && box.bottom > stage.top;
        const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
        return seen && box.width > 1 && (own || each.matches(".cut")) && !each.closest(".unseen")
            && each.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    });
    return written.map((each) => [each.className, zoom * parseFloat(getComputedStyle(each).fontSize)]);
}
"""
"""The class and the size on the screen, in pixels, of each text that is seen in cards."""


@pytest.fixture
def store_url(tmp_path: Path) -> str:
    """One store is enough: what is drawn over it does not depend on its kind."""
    return f"sqlite:///{tmp_path}/lineage.db"


def fill_chain(store: LineageStore, jobs: int) -> None:
    """As many jobs after each other, with columns of long names."""
    names = (LONG, f"{LONG}_hash", "total")
    for step in range(jobs):
        lineage = paths(*[([name], f"step {step}", [name], "IDENTITY") for name in names])
        output = dataset(f"step {step + 1}", *names, headwater_pathLineage=lineage)
        run = event(
            "COMPLETE", step + 1, f"run {step}", [dataset(f"step {step}", *names)], [output], f"job {step}"
        )
        assert [outcome.error for outcome in ingest(store, [run])] == [None]


@pytest.mark.parametrize(
    "width", [360, *(pytest.param(width, marks=pytest.mark.slow) for width in (720, 1280)), 1920]
)
@pytest.mark.parametrize("level", ["path", "dataset", "job"])
def test_no_text_of_a_picture_that_opens_is_smaller_than_eleven_pixels(
    page: Page, store: LineageStore, level: str, width: int
) -> None:
    fill_shop(store)
    fill_chain(store, 6)
    page.set_viewport_size({"width": width, "height": 800})
    way = f"&holder-namespace=test&holder=step+6&holder-path={LONG}"
    for query in (
        "name=spending",
        "name=step+6",
        f"name=step+6&depth=50{way}",
        "name=step+6&since=2026-01-01",
    ):
        page.goto(f"/?namespace=test&level={level}&{query}")
        expect(page.get_by_role("region", name="job" if level == "job" else "dataset").first).to_be_visible()
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(200)
        texts = page.evaluate(_TEXTS)
        assert len(texts) > 2
        assert [each for each in texts if each[1] < 10.99] == []


@pytest.mark.parametrize("width", [390, 1180, 1440])
def test_a_home_of_thirteen_datasets_opens_where_it_can_be_read_from_its_left_edge(
    page: Page, store: LineageStore, width: int
) -> None:
    jobs = [(f"write {step}", f"table {step}", f"table {step + 1}") for step in range(4)]
    jobs += [(f"side {number}", "table 2", f"side {number}") for number in range(8)]
    events = [event("COMPLETE", 1, job, [dataset(read)], [dataset(made)], job) for job, read, made in jobs]
    assert {outcome.error for outcome in ingest(store, events)} == {None}
    page.set_viewport_size({"width": width, "height": 844})
    page.goto("/")
    first = page.get_by_role("region", name="dataset table 0")
    expect(first).to_be_in_viewport(ratio=0.99)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(200)
    assert [each for each in page.evaluate(_TEXTS) if each[1] < 10.99] == []
    box = first.bounding_box()
    assert box and box["x"] < 60


def test_a_long_name_is_cut_in_its_middle_and_all_of_it_is_in_reach(page: Page, store: LineageStore) -> None:
    fill_chain(store, 1)
    page.goto("/?namespace=test&name=step+1")
    first, other = (
        page.get_by_role("region", name="dataset step 1").get_by_role("button", name=name, exact=True)
        for name in (LONG, f"{LONG}_hash")
    )
    expect(first).to_have_attribute("title", LONG)
    tail = "each => getComputedStyle(each.querySelector('.cut'), '::after').content"
    assert "rehouse" in first.evaluate(tail) or "ehouse" in first.evaluate(tail)
    assert "e_hash" in other.evaluate(tail)
    cut = other.evaluate("each => [each.scrollWidth, each.clientWidth, each.closest('.row').clientWidth]")
    assert cut[0] <= cut[1] <= cut[2]


def test_what_fits_beside_a_panel_that_opens_is_shown_again(page: Page, store: LineageStore) -> None:
    fill_chain(store, 2)
    page.goto("/?namespace=test&name=step+1")
    page.wait_for_load_state("networkidle")
    page.get_by_role("region", name="dataset step 1").get_by_role("button").first.click()
    expect(page.get_by_role("complementary", name="Details")).to_be_visible()
    for card in page.get_by_role("region", name="dataset").all():
        expect(card).to_be_in_viewport(ratio=0.99)


def test_a_panel_does_not_hide_the_ends_of_a_way_that_is_lit(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto("/?namespace=test&name=spending")
    page.wait_for_load_state("networkidle")
    page.get_by_role("region", name="dataset spending").get_by_title("city", exact=True).click()
    expect(page.get_by_role("complementary", name="Details")).to_be_visible()
    for name in ("customers", "orders_enriched", "spending", "letters"):
        lit = (
            page.get_by_role("region", name=f"dataset {name}", exact=True)
            .locator(".row:is(.lit, .selected)")
            .first
        )
        expect(lit).to_be_in_viewport(ratio=0.9)
    assert [each for each in page.evaluate(_TEXTS) if each[1] < 10.99] == []
