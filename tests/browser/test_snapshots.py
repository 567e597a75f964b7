"""Pictures look as they did: compared with stored ones, with a tolerance for the fonts of other machines.

After a change of how pictures look, ``SNAPSHOTS=rewrite pytest tests/browser/test_snapshots.py`` stores them anew; look
at them before you commit them.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from headwater_backend.ports import LineageStore
from kit import browser
from kit.pipelines import fill_shop

FOLDER = Path(__file__).parent / "snapshots"
SIZE = {"width": 1500, "height": 640}
TOLERANCE = 0.05
"""The share of what is drawn that may differ."""
_SAME_EVERYWHERE = """
() => {
    const style = new CSSStyleSheet();
    style.replaceSync(`
        * { color: transparent !important; }
        .stage { width: 1500px; height: 440px; }
    `);
    document.adoptedStyleSheets = [style];
}
"""
"""Text has no colour, and the canvas always the same size: fonts differ between machines, and the heights of bars with
them. Where things are, and how large, does not.
"""
_COMPARE = """
async ([one, other, cell]) => {
    const pixels = async (base64) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
        const [width, height] = [Math.floor(image.width / cell), Math.floor(image.height / cell)];
        const context = new OffscreenCanvas(width, height).getContext("2d");
        context.imageSmoothingQuality = "high";
        context.drawImage(image, 0, 0, width, height);
        return context.getImageData(0, 0, width, height).data;
    };
    const [first, second] = [await pixels(one), await pixels(other)];
    const far = (a, b) => Math.max(...[0, 1, 2].map((part) => Math.abs(a[part] - b[part]))) > 8;
    const at = (data, index) => data.slice(index, index + 4);
    const counts = new Map();
    for (let index = 0; index < first.length; index += 4) {
        const colour = at(first, index).join();
        counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    const ground = [...counts].sort((a, b) => b[1] - a[1])[0][0].split(",").map(Number);
    let [drawn, different] = [0, 0];
    for (let index = 0; index < Math.max(first.length, second.length); index += 4) {
        const [a, b] = [at(first, index), at(second, index)];
        drawn += far(a, ground) || far(b, ground);
        different += far(a, b);
    }
    return different / Math.max(1, drawn);
}
"""
"""The share of the drawn cells in which two images differ; the ground is the first one's most frequent colour."""
CELL = 6
"""The side of a cell, in pixels: what is finer is blurred, such as the shapes of letters."""

Scheme = Literal["light", "dark"]
Open = Callable[[str, Scheme], Page]
LIT = "/?namespace=test&name=spending"
PICTURES: dict[str, tuple[str, Scheme]] = {
    "store": ("/", "light"),
    "way of a path": (f"{LIT}&holder-namespace=test&holder=spending&holder-path=customer_hash", "light"),
    "personal data": (f"{LIT}&exposure=yes", "dark"),
}


@pytest.fixture
def store_url(tmp_path: Path) -> str:
    """One store is enough: what is drawn over it does not depend on its kind."""
    return f"sqlite:///{tmp_path}/lineage.db"


@pytest.fixture
def open_picture(chromium: Browser, store: LineageStore, address: str) -> Iterator[Open]:
    """A function that opens an address of the filled store in one of the colour schemes."""
    fill_shop(store)
    pages = []

    def opened(query: str, scheme: Scheme) -> Page:
        settings: dict[str, Any] = {"base_url": address, "viewport": SIZE, "color_scheme": scheme}
        page = chromium.new_page(**settings, reduced_motion="reduce", locale="en-GB")
        pages.append(page)
        page.set_default_timeout(browser.PATIENCE_MS)
        page.goto(query)
        expect(page.get_by_role("region", name="dataset")).to_have_count(5)
        page.wait_for_load_state("networkidle")
        page.evaluate(_SAME_EVERYWHERE)
        page.locator(".react-flow__controls-fitview").click()
        page.wait_for_timeout(500)  # the canvas is drawn anew at rest
        return page

    yield opened
    for page in pages:
        page.close()


def difference(page: Page, one: bytes, other: bytes) -> float:
    images = [base64.b64encode(image).decode() for image in (one, other)]
    page.goto("about:blank")
    return float(page.evaluate(_COMPARE, [*images, CELL]))


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_a_picture_looks_as_it_did(open_picture: Open, name: str) -> None:
    page = open_picture(*PICTURES[name])
    shown, stored = page.locator(".canvas").screenshot(), FOLDER / f"{name}.png"
    if os.environ.get("SNAPSHOTS") == "rewrite":
        stored.write_bytes(shown)
    assert difference(page, stored.read_bytes(), shown) <= TOLERANCE


@pytest.mark.parametrize("part", [".lines", ".rows", ".card.job"])
def test_a_picture_without_one_of_its_parts_looks_different(open_picture: Open, part: str) -> None:
    page = open_picture(*PICTURES["way of a path"])
    whole = page.locator(".canvas").screenshot()
    page.evaluate("part => document.querySelectorAll(part).forEach((each) => (each.style.opacity = 0))", part)
    without = page.locator(".canvas").screenshot()
    assert difference(page, whole, without) > TOLERANCE


def test_other_fonts_do_not_make_another_picture(open_picture: Open) -> None:
    page = open_picture(*PICTURES["way of a path"])
    whole = page.locator(".canvas").screenshot()
    page.evaluate("() => { document.body.style.fontFamily = 'monospace'; }")
    other = page.locator(".canvas").screenshot()
    assert difference(page, whole, other) <= TOLERANCE
