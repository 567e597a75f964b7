"""The page of a report."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from headwater_backend.reports.document.canonical import as_json, digest, from_json, unsealed
from headwater_backend.reports.formats import html
from headwater_backend.reports.formats.drawings.lineage import draw
from headwater_backend.reports.formats.texts import words_of
from headwater_backend.reports.kinds.question import Kind
from kit.reports import IMPRINT, over

EDGES = "t:user.mail -IDENTITY-> m:mail @copy\nm:mail -HASH-> o:token @hash"
EVIL = "</script><script>alert(1)</script>"


class Page(HTMLParser):
    """The elements of a page, and its text without scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.parts: list[str] = []
        self._inside = ""
        self.feed(page.replace("<wbr>", ""))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside not in ("script", "style"):
            self.parts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.parts).split())


def test_it_lists_where_an_attribute_goes_in_which_form_and_by_which_job() -> None:
    text = Page(html.render(over(EDGES), IMPRINT)).text
    assert "user.mail of t in token of o" in text
    assert "by job copy: copied → m mail" in text
    assert "by job hash: masked → o token" in text
    assert "pseudonymised" in text
    assert IMPRINT.source in text and "2026-11-22 06:30:00 UTC" in text


@pytest.mark.parametrize("kind", [Kind.EXPOSURE, Kind.ART30, Kind.ART15, Kind.ART17])
def test_names_from_events_are_text_and_never_markup(kind: Kind) -> None:
    edges = f"t:user.mail -IDENTITY-> o{EVIL.replace('-', '')}:mail @{EVIL}"
    page = html.render(over(edges, kind), IMPRINT)
    found = Page(page)
    assert found.tags.count("script") == 2
    assert EVIL in found.text
    read = unsealed(html.sealed_in(page))
    assert read.intact


def test_it_needs_nothing_from_elsewhere() -> None:
    page = html.render(over(EDGES), IMPRINT)
    assert not re.search(r"(src|href)=\"(?!#)", page)
    assert "url(" not in page and "@import" not in page and " style=" not in page


def test_its_policy_allows_its_own_style_and_script_alone() -> None:
    page = html.render(over(EDGES), IMPRINT)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    for text in (style, script):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy
    assert "default-src 'none'" in policy and "unsafe" not in policy


def test_it_holds_the_sealed_report_it_was_made_of() -> None:
    document = over(EDGES)
    page = html.render(document, IMPRINT)
    read = unsealed(html.sealed_in(page))
    assert read.intact and read.imprint == IMPRINT
    assert digest(as_json(document)) in page
    assert html.render(from_json(read.report), IMPRINT) == page


def test_what_is_not_provided_is_printed() -> None:
    text = Page(html.render(over(EDGES, Kind.ART30), IMPRINT)).text
    assert "Controller not stated" in text
    assert "Data protection officer not stated" in text


def test_tables_have_captions_and_heads_with_a_scope() -> None:
    page = html.render(over(EDGES), IMPRINT)
    assert page.count("<table") == page.count("<caption>") == 3
    assert page.count("<th ") == page.count('<th scope="col"')


def test_the_picture_of_a_finding_is_well_formed_and_has_a_text() -> None:
    document = over(f"t:user.mail -IDENTITY-> o{'x' * 80}\x07<b>:mail @job & co")
    (finding,) = document.findings()
    picture = draw(words_of(document), finding, title="the text")
    root = ElementTree.fromstring(picture)
    assert root.get("role") == "img"
    assert root[0].text == "the text"
    texts = [each.text or "" for each in root.iter() if each.tag.endswith("text")]
    assert "job & co" in texts
    assert max(map(len, texts)) <= 44
    assert not any("\x07" in text for text in texts)


def test_the_json_in_the_page_is_data() -> None:
    page = html.render(over(f"t:user.mail -IDENTITY-> o:mail @{EVIL}"), IMPRINT)
    assert json.loads(html.sealed_in(page))["report"]["kind"] == "exposure"
    assert "</script><script>alert" not in page
