"""The page in a browser: axe-core finds nothing, tables are sorted under the page's own policy, and none is cut."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Literal

import pypdf
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from headwater_backend.domain.model import DatasetKey, Incomplete
from headwater_backend.privacy.policies import Policy
from headwater_backend.reports.document.model import Document
from headwater_backend.reports.formats.render import Format, render
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind
from headwater_backend.reports.languages.catalogue import Language
from kit import browser as real
from kit.reports import IMPRINT, over, parcels, question

LONG = "s3://a-bucket-with-a-long-name/and/a/path/that/goes/on/and/on/orders_of_customers_by_day.parquet"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with real.opened() as found:
        yield found


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory, later_documents: list[Document]) -> list[Document]:
    """A report of each kind, one with long names, gaps and all forms, and those of a later moment."""
    policy = Policy(("parcels", "shop.vouchers"), "**", 1, "no contacts in vouchers", "user.contact")
    with closing(parcels(tmp_path_factory.mktemp("browser"))) as store:
        found = [build(store, question(kind, policies=(policy,), language=Language.DE)) for kind in Kind]
    gap = Incomplete("RDD", DatasetKey("ns", LONG), (), None, "an RDD that could not be seen into")
    edges = f"t:user.mail -IDENTITY-> {LONG.replace('-', '_')}:mail @{LONG}\n"
    edges += "\n".join(
        f"t:user.mail -{kind}-> o{n}:x @{kind}" for n, kind in enumerate(("HASH", "SUM", "COMPUTE"))
    )
    wide = over(f"{edges}\nt:user.mail -FILTER-> p:x @f\nt:user.mail -DRIVER-> q:x @d", incomplete=[gap])
    return [*found, *later_documents, wide]


@pytest.fixture(scope="module")
def pages(documents: list[Document], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("pages")
    files = []
    for number, document in enumerate(documents):
        files.append(folder / f"{number}-{document.kind}.html")
        files[-1].write_bytes(render(document, IMPRINT, Format.HTML))
    return files


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, pages: list[Path], scheme: Literal["light", "dark"]) -> None:
    with closing(browser.new_context(bypass_csp=True, color_scheme=scheme)) as context:
        page = context.new_page()
        for file in pages:
            page.goto(file.as_uri())
            found = Axe().run(page)
            assert found.violations_count == 0, (file.name, found.generate_report())


@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_is_wider_than_the_window(browser: Browser, pages: list[Path], width: int) -> None:
    with closing(browser.new_context(viewport={"width": width, "height": 800})) as context:
        page = context.new_page()
        for file in pages:
            page.goto(file.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width, file.name


def test_a_printed_table_repeats_its_head(browser: Browser, tmp_path: Path) -> None:
    edges = "\n".join(f"t:user.mail -IDENTITY-> o:mail{n}" for n in range(120))
    file = tmp_path / "long.html"
    file.write_bytes(render(over(edges), IMPRINT, Format.HTML))
    with closing(browser.new_context()) as context:
        page = context.new_page()
        page.goto(file.as_uri())
        printed = pypdf.PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
    width, height = printed.pages[0].mediabox.width, printed.pages[0].mediabox.height
    assert (round(width), round(height)) == (842, 595)
    texts = [each.extract_text() for each in printed.pages]
    rows = [text for text in texts if "mail11" in text or "mail5" in text]
    assert len(rows) > 2
    assert all("Jobs" in text or "How it gets there" in text for text in rows)


def test_a_table_is_sorted_under_the_page_s_own_policy(browser: Browser, pages: list[Path]) -> None:
    with closing(browser.new_context()) as context:
        page = context.new_page()
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(pages[-1].as_uri())
        table = page.locator("table.sortable", has_text="Paths that hold an attribute").last
        column = 4

        def cells() -> list[str]:
            return [str(each) for each in table.locator(f"tbody tr td:nth-child({column})").all_inner_texts()]

        before = cells()
        button = table.locator(f"th:nth-child({column}) button")
        button.click()
        assert cells() == sorted(before, key=str.lower)
        assert table.locator("th[aria-sort=ascending]").count() == 1
        button.click()
        assert cells() == sorted(before, key=str.lower, reverse=True)
        assert problems == []
