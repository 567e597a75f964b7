"""The exposure report that a person reads."""

from __future__ import annotations

import csv
import json
import re
from datetime import datetime, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain.model import DatasetKey, Incomplete
from headwater_backend.privacy.exposure import exposure
from headwater_backend.reports.exposure import Occasion, render
from headwater_backend.reports.exposure_files import write
from kit.memory_store import MemoryStore, graph, node

MADE = Occasion(datetime(2026, 11, 20, 12, 30, tzinfo=timezone.utc), "sqlite:///lineage.db")


def _page(edges: str, *, occasion: Occasion = MADE, **more: Any) -> str:
    tags = [(node("t:user.mail"), "data_category", "user.contact.email")]
    store = MemoryStore(graph(edges), tags=tags, **more)
    report = exposure(store, influenced=True)
    return render(store, report, occasion)


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


def test_it_lists_where_an_attribute_goes_in_which_form_and_by_which_job() -> None:
    text = _text(_page("t:user.mail -IDENTITY-> m:mail @copy\nm:mail -HASH-> o:token @hash"))
    assert "user.mail of t" in text
    assert "Category user.contact.email." in text
    assert "job copy: copied, from user.mail of t to mail of m" in text
    assert "job hash: masked, from mail of m to token of o" in text


def test_a_complete_report_is_marked_complete() -> None:
    page = _page("t:user.mail -IDENTITY-> o:mail")
    assert "Nothing is known to be missing" in page
    assert "What is missing" not in page


def test_an_incomplete_report_lists_what_is_missing() -> None:
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


def test_an_influence_on_a_dataset_is_shown_as_such() -> None:
    text = _text(_page("t:user.mail -JOIN-> o @join"))
    assert "rows joined by it" in text
    assert "from user.mail of t to all of o" in text


def test_without_attributes_it_reports_that_nothing_is_classified() -> None:
    store = MemoryStore(graph("a:x -IDENTITY-> b:x"))
    text = _text(render(store, exposure(store), MADE))
    assert "Nothing is classified as personal, so nobody knows who holds personal data" in text
    assert "in any of 2 known datasets" in text
    assert "Nothing is known to be missing" not in text


def test_much_is_counted_in_full_and_listed_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater_backend.reports.exposure.MOST_OUTPUTS", 4)
    edges = "\n".join(f"t:user.mail -IDENTITY-> o:mail{n}" for n in range(40))
    store = MemoryStore(graph(edges), tags=[(node("t:user.mail"), "pii", "true")])
    text = _text(render(store, exposure(store), MADE, ("out.csv", "out.json")))
    assert "40 paths reached; the strongest 4 are listed here, 36 more in out.csv" in text
    assert "is in out.csv and out.json beside this page" in text


def test_the_files_beside_the_page_have_every_path(tmp_path: Path) -> None:
    edges = "t:user.mail -IDENTITY-> m:mail @=copy()\nm:mail -HASH-> o:token @hash"
    store = MemoryStore(graph(edges), tags=[(node("t:user.mail"), "pii", "true")])
    written = write(store, exposure(store), MADE, tmp_path / "report.html")
    assert "report.csv" in written.html.read_text("utf-8")
    with written.csv.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["holder dataset"], row["holder path"], row["form"]) for row in rows] == [
        ("m", "mail", "IDENTITY"),
        ("o", "token", "PSEUDONYMISED"),
    ]
    assert [row["jobs"] for row in rows] == ["'=copy()", "'=copy() → hash"]
    whole = json.loads(written.json.read_text("utf-8"))
    assert whole["complete"] and whole["totalCount"] == 2
    (attribute,) = whole["attributes"]
    assert [out["form"] for out in attribute["outputs"]] == ["IDENTITY", "PSEUDONYMISED"]
