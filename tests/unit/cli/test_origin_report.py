"""The report of where a value comes from: what it lists, in both languages, and that it is sealed."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.reports.document.model import Imprint, Paragraph, Table
from headwater_backend.reports.formats.render import Format, render
from headwater_backend.reports.languages.catalogue import Language
from headwater_cli.records.report import report_of
from headwater_records.nested.answer import Answer, Item
from headwater_records.nested.tree import Tree
from headwater_records_spark import Origins, Stage
from kit.command import headwater

MOMENT = datetime(2026, 1, 1, tzinfo=timezone.utc)
ASKED = {
    "output": "/lake/report",
    "pattern": None,
    "where": "name = 'Lisa'",
    "paths": ["net"],
    "records": ["/r"],
}


@pytest.fixture
def found() -> Origins:
    tree = Tree()
    tree.at(("items", 2, "price")).bind(contributes=True)
    tree.at(("items", 2, "price")).manipulated.add(4)
    tree.at(("user",)).bind(contributes=False, accessed=3)
    sources = Answer({}, {("orders", ("/lake/orders/a", 7)): Item("orders", ("/lake/orders/a", 7), tree)}, 1)
    stages = [
        Stage("/lake/report", "r2", Answer({1: "read totals", 2: "select"})),
        Stage("/lake/totals", "r1", Answer({3: "read orders", 4: "group"})),
    ]
    return Origins(sources, stages)


def tables(document: Any) -> dict[str, Table]:
    return {each.key: each for part in document.sections for each in part.blocks if isinstance(each, Table)}


def test_jobs_and_records_are_listed_with_their_paths(found: Origins) -> None:
    document = report_of(found, ASKED, language=Language.EN, as_of=MOMENT)
    assert tables(document)["way_there"].rows == (
        (1, "/lake/report", "r2", ("1 read totals", "2 select")),
        (2, "/lake/totals", "r1", ("3 read orders", "4 group")),
    )
    assert tables(document)["records"].rows == (
        ("orders", "/lake/orders/a", 7, ("items[2].price",), ("user",), "3", "4"),
    )
    assert document.complete


def test_what_is_not_known_is_stated_first(found: Origins) -> None:
    found.unknown["/lake/orders/a"] = "nothing was kept"
    document = report_of(found, ASKED, language=Language.DE, as_of=MOMENT)
    (notice,) = [each for each in document.sections[0].blocks if isinstance(each, Paragraph) and each.notice]
    assert notice.text.startswith("Wie einige Dateien gemacht wurden, ist nicht bekannt")
    assert tables(document)["not_known"].rows == (("/lake/orders/a", "nothing was kept"),)
    assert not document.complete


@pytest.mark.parametrize("form", ["html", "pdf", "xlsx", "csv", "json"])
@pytest.mark.parametrize("language", Language)
def test_it_is_sealed_in_every_format(found: Origins, form: str, language: Language, tmp_path: Path) -> None:
    document = report_of(found, ASKED, language=language, as_of=MOMENT)
    file = tmp_path / f"origin.{'zip' if form == 'csv' else form}"
    file.write_bytes(render(document, Imprint(MOMENT, "headwater records origins"), Format(form)))
    done = headwater("report", "verify", str(file))
    assert done.exit_code == 0, done.output
    assert "the hash is right" in done.output
