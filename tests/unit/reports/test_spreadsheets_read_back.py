"""Spreadsheets and CSV as programs read them back: openpyxl, and LibreOffice where it is installed."""

from __future__ import annotations

import io
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.document.model import Document
from headwater_backend.reports.formats.render import Format, render
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from headwater_backend.reports.languages.catalogue import Language
from kit.memory_store import MemoryStore, edge
from kit.reports import AS_OF, IMPRINT

openpyxl = pytest.importorskip("openpyxl")

FORMULAS = ("=1+1", "+cmd|x", "-2+3", "@SUM(A1)", "=HYPERLINK(1)")
HIDDEN = {
    "a\rb": "a\\rb",
    "\r=1+1": "\\r=1+1",
    "a\r\n=1": "a\\r\n=1",
    "a\0b": "a\\x00b",
    "a\x1b[2Jb": "a\\x1b[2Jb",
    "a\u202eb": "a\\u202eb",
    "\u2066a": "\\u2066a",
    "\ufeff=1+1": "\\ufeff=1+1",
    "a\u2028b": "a\\u2028b",
}
"""Names with what is not seen, and how a cell shows them."""
LONGEST = 32_767
SOFFICE = shutil.which("soffice") or shutil.which("libreoffice")


def report_of(*names: str, language: Language = Language.EN) -> Document:
    copied = edge("t:user.mail -IDENTITY-> o:mail")
    edges = [copied._replace(target=NodeKey(DatasetKey("ns", name), ("mail",))) for name in names]
    tags = [(copied.source, "data_category", "user.contact.email")]
    question = ReportQuestion(Kind.EXPOSURE, language=language, bounds=Bounds(as_of=AS_OF))
    return build(MemoryStore(edges, tags=tags), question)


def cells_of(content: bytes) -> list[Any]:
    book = openpyxl.load_workbook(io.BytesIO(content))
    return [
        cell
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None
    ]


def test_names_are_read_back_as_text_with_what_is_not_seen_in_them() -> None:
    cells = cells_of(render(report_of(*FORMULAS, *HIDDEN), IMPRINT, Format.XLSX))
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    texts = {str(cell.value) for cell in cells}
    assert texts.issuperset(FORMULAS)
    assert texts.issuperset(HIDDEN.values())
    assert not {"\r", "\0", "\x1b", "\u202e", "\u2066", "\ufeff", "\u2028"} & set("".join(texts))


@pytest.mark.parametrize("sign", ["x", "\U0001f600"])
@pytest.mark.parametrize(
    ("language", "words"), [(Language.EN, "cut: a cell does not hold"), (Language.DE, "gekürzt: eine Zelle")]
)
def test_a_text_that_is_too_long_for_a_cell_says_that_it_is_cut(
    sign: str, language: Language, words: str
) -> None:
    name = sign * 40_000
    cells = cells_of(render(report_of(name, language=language), IMPRINT, Format.XLSX))
    texts = [str(cell.value) for cell in cells]
    assert max(len(text.encode("utf-16-le")) // 2 for text in texts) <= LONGEST
    longest = max((text for text in texts if text.startswith(sign)), key=len)
    assert words in longest
    assert ("40,000" in longest) and longest.startswith(sign * 10_000)
    just = cells_of(render(report_of("y" * LONGEST), IMPRINT, Format.XLSX))
    assert "y" * LONGEST in {str(cell.value) for cell in just}


@pytest.mark.skipif(not SOFFICE, reason="LibreOffice (soffice) is not installed")
def test_libreoffice_reads_the_same_texts_from_both(tmp_path: Path) -> None:
    document = report_of(*FORMULAS, *HIDDEN)
    (tmp_path / "report.xlsx").write_bytes(render(document, IMPRINT, Format.XLSX))
    with zipfile.ZipFile(io.BytesIO(render(document, IMPRINT, Format.CSV))) as archive:
        (tmp_path / "holders.csv").write_bytes(archive.read("holders/holders.csv"))
    out = tmp_path / "out"
    subprocess.run(
        [
            str(SOFFICE),
            f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}",
            "--headless",
            "--convert-to",
            "xlsx",
            "--outdir",
            str(out),
            str(tmp_path / "report.xlsx"),
            str(tmp_path / "holders.csv"),
        ],
        check=True,
        timeout=300,
        capture_output=True,
    )
    for name in ("report.xlsx", "holders.xlsx"):
        cells = cells_of((out / name).read_bytes())
        assert "f" not in {cell.data_type for cell in cells}
        texts = {str(cell.value) for cell in cells}
        assert not {"\r", "\0", "\x1b", "\u202e"} & set("".join(texts))
    assert {str(cell.value) for cell in cells_of((out / "report.xlsx").read_bytes())}.issuperset(FORMULAS)
