"""The exposure report that a person reads."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from html.parser import HTMLParser

from headwater_backend.model import DatasetKey, Incomplete
from headwater_backend.questions.exposure import exposure, labels_of
from headwater_backend.reports.exposure import Occasion, render
from kit.memory_store import MemoryStore, graph, node

MADE = Occasion(datetime(2026, 11, 20, 12, 30, tzinfo=timezone.utc), "sqlite:///lineage.db")


def _page(edges: str, *, occasion: Occasion = MADE, **more: object) -> str:
    tags = [(node("t:user.mail"), "data_category", "user.contact.email")]
    store = MemoryStore(graph(edges), tags=tags, **more)
    report = exposure(store, influenced=True)
    outputs = [output for each in report.attributes for output in each.outputs]
    return render(report, labels_of(store, outputs, [each.attribute for each in report.attributes]), occasion)


def _text(page: str) -> str:
    class Collector(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.parts: list[str] = []

        def handle_data(self, data: str) -> None:
            self.parts.append(data)

    collector = Collector()
    collector.feed(page)
    return " ".join("".join(collector.parts).split())


def test_it_says_where_an_attribute_goes_in_which_form_and_by_which_job() -> None:
    text = _text(_page("t:user.mail -IDENTITY-> m:mail @copy\nm:mail -HASH-> o:token @hash"))
    assert "user.mail of t" in text
    assert "Category user.contact.email." in text
    assert "job copy: copied, from user.mail of t to mail of m" in text
    assert "job hash: masked, from mail of m to token of o" in text


def test_a_complete_report_says_so() -> None:
    page = _page("t:user.mail -IDENTITY-> o:mail")
    assert "Nothing is known to be missing" in page
    assert "What is missing" not in page


def test_an_incomplete_report_says_what_is_missing() -> None:
    gap = Incomplete("RDD", DatasetKey("ns", "o"), (), None, "an RDD that could not be seen into")
    text = _text(_page("t:user.mail -IDENTITY-> o:mail", incomplete=[gap]))
    assert "This report is incomplete. 1 thing is known to be missing" in text
    assert "an RDD that could not be seen into" in text


def test_names_from_events_are_text_and_never_markup() -> None:
    page = _page("t:user.mail -IDENTITY-> o:mail @<script>alert(1)</script>")
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_it_needs_nothing_from_elsewhere() -> None:
    page = _page("t:user.mail -IDENTITY-> o:mail")
    assert not re.search(r"(src|href)=\"(?!#)", page)
    assert "url(" not in page and "@import" not in page


def test_it_does_not_show_the_store_s_password() -> None:
    page = _page(
        "t:user.mail -IDENTITY-> o:mail", occasion=Occasion(MADE.generated_at, "bolt://me:secret@host:7687")
    )
    assert "secret" not in page
    assert "bolt://host:7687" in page


def test_an_influence_on_a_dataset_is_told_as_such() -> None:
    text = _text(_page("t:user.mail -JOIN-> o @join"))
    assert "rows joined by it" in text
    assert "from user.mail of t to all of o" in text


def test_without_attributes_it_says_how_to_name_some() -> None:
    text = _text(render(exposure(MemoryStore(graph("a:x -IDENTITY-> b:x"))), {}, MADE))
    assert "No personal attribute is named by a tag or a rule" in text
