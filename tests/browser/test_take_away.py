"""What people take away of a picture is what they see."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pypdf
import pytest
from playwright.sync_api import Page, expect

from headwater_backend.ports import LineageStore
from kit.command import program
from kit.pipelines import fill_shop

SVG = "{http://www.w3.org/2000/svg}"
SPENDING = "/?namespace=test&name=spending&depth=50"


@pytest.fixture
def spending(page: Page, store: LineageStore) -> Page:
    """The picture of a dataset, with the menu open."""
    fill_shop(store)
    page.goto(SPENDING)
    page.get_by_text("Take away", exact=True).click()
    return page


def taken(page: Page, name: str, folder: Path) -> Path:
    """The file that a button of the menu saves."""
    with page.expect_download() as download:
        page.get_by_role("button", name=name, exact=True).click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file


def test_files_of_the_first_picture_say_how_much_is_not_known(
    page: Page, store: LineageStore, tmp_path: Path
) -> None:
    fill_shop(store)
    page.goto("/")
    page.get_by_text("Take away", exact=True).click()
    for name in ("SVG", "Mermaid text", "DOT text"):
        assert "1 not known." in taken(page, name, tmp_path).read_text("utf-8")


def drawn(file: Path) -> tuple[list[tuple[str, ...]], list[tuple[str | None, str | None]]]:
    """The cards of an SVG with their places and rows, and its lines with their courses."""
    root = ElementTree.fromstring(file.read_text("utf-8"))
    cards = [
        (each.get("transform", ""), *(text.text or "" for text in each.iter(f"{SVG}text")))
        for each in root.iter(f"{SVG}g")
        if each.get("class", "").startswith("card")
    ]
    lines = [
        (each.get("class"), each.get("d"))
        for each in root.iter(f"{SVG}path")
        if each.get("class", "").startswith("line")
    ]
    return sorted(cards), sorted(lines, key=str)


def test_the_command_line_draws_what_the_page_shows(spending: Page, address: str, tmp_path: Path) -> None:
    page_s = taken(spending, "SVG", tmp_path)
    own = tmp_path / "own.svg"
    asked = ("lineage", "both", "spending", "--indirect", "--out", own, "--url", address)
    # A program of its own: while a browser is open here, its event loop runs.
    written = program(*asked, folder=tmp_path)
    assert written.returncode == 0, written.stderr
    assert drawn(own) == drawn(page_s)
    cards, lines = drawn(own)
    assert len(cards) == 5 + 3
    assert any("customer_hash" in card for card in cards)
    assert {kind for kind, _ in lines} == {"line value", "line influence"}


def test_the_lit_way_and_folded_rows_are_as_shown(spending: Page, tmp_path: Path) -> None:
    spending.get_by_role("region", name="dataset customers").get_by_title("person.mail").click()
    _, lines = drawn(taken(spending, "SVG", tmp_path))
    assert {"line lit value", "line faint"} <= {kind for kind, _ in lines}
    spending.get_by_role("region", name="dataset customers").get_by_role(
        "button", name="Fold person"
    ).first.click()
    expect(spending.get_by_title("person.mail")).to_have_count(0)
    cards, _ = drawn(taken(spending, "SVG", tmp_path))
    assert not any("mail" in card and "customers" in card for card in cards)


def test_images_documents_and_texts_are_what_they_claim(spending: Page, tmp_path: Path) -> None:
    png = taken(spending, "PNG", tmp_path).read_bytes()
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20], "big") > 1500
    (sheet,) = pypdf.PdfReader(taken(spending, "PDF", tmp_path)).pages
    assert "customer_hash" in sheet.extract_text()
    mermaid = taken(spending, "Mermaid text", tmp_path).read_text("utf-8")
    assert mermaid.startswith("flowchart LR\n")
    assert '-.->|"group"|' in mermaid
    assert taken(spending, "DOT text", tmp_path).read_text("utf-8").startswith("digraph")


def test_the_question_behind_the_picture_can_be_asked_again(
    spending: Page, address: str, tmp_path: Path
) -> None:
    spending.context.grant_permissions(["clipboard-read", "clipboard-write"])
    notice = spending.locator(".take-away output")

    def copied(name: str) -> str:
        spending.get_by_role("button", name=name).click()
        expect(notice).to_have_text("Copied.")
        return str(spending.evaluate("navigator.clipboard.readText()"))

    assert copied("Link to this picture") == f"{address}{SPENDING}"
    assert "query Both(" in copied("GraphQL query")
    words = shlex.split(copied("curl command"))
    body = json.loads(words[words.index("--data") + 1])
    answer = spending.request.post(f"{address}/graphql", data=body).json()
    assert answer["data"]["lineage"]["complete"] is False
