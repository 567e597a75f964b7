"""Reports as PDF, spreadsheets and CSV."""

from __future__ import annotations

import csv
import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain import deadline
from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.document.canonical import ReportUnreadable, as_json, unsealed
from headwater_backend.reports.document.model import Document
from headwater_backend.reports.formats import csv_files, html, pdf, spreadsheet
from headwater_backend.reports.formats.packages import ReportsMissing
from headwater_backend.reports.formats.render import RENDERERS, Format, render
from headwater_backend.reports.formats.typesetting import NotTypeset, typeset
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from kit.memory_store import MemoryStore, edge, node
from kit.reports import AS_OF, IMPRINT, over

openpyxl = pytest.importorskip("openpyxl")
pypdf = pytest.importorskip("pypdf")

EVIL = "=HYPERLINK(1)<b>#eval(`x`)$x$*_\x07"
EDGES = f"t:user.mail -IDENTITY-> m:mail @{EVIL}\nm:mail -HASH-> o:token @hash"
SEALED = {
    Format.HTML: lambda content: html.sealed_in(content.decode()),
    Format.PDF: pdf.sealed_in,
    Format.XLSX: spreadsheet.sealed_in,
    Format.CSV: csv_files.sealed_in,
}


@pytest.fixture(scope="module")
def document() -> Document:
    return over(EDGES)


@pytest.mark.parametrize("of", Format)
def test_the_same_report_has_the_same_bytes(of: Format, document: Document) -> None:
    assert render(document, IMPRINT, of) == render(document, IMPRINT, of)


@pytest.mark.parametrize("kind", [Kind.ART30, Kind.ART30_PROCESSOR, Kind.ART15, Kind.ART17, Kind.EXPOSURE])
@pytest.mark.parametrize("of", Format)
def test_each_kind_is_written_in_each_format(kind: Kind, of: Format) -> None:
    content = render(over(EDGES, kind), IMPRINT, of)
    if RENDERERS[of].is_text:
        content.decode()
    assert len(content) > 100


@pytest.mark.parametrize("of", SEALED)
def test_a_file_holds_the_report_that_it_was_made_of(of: Format, document: Document) -> None:
    read = unsealed(SEALED[of](render(document, IMPRINT, of)))
    assert read.imprint == IMPRINT
    assert read.intact and read.report == as_json(document)


@pytest.mark.parametrize("of", SEALED)
def test_another_file_holds_none(of: Format) -> None:
    with pytest.raises(ReportUnreadable):
        unsealed(SEALED[of](b"something else"))


def test_a_pdf_has_a_title_a_language_tags_and_all_texts(document: Document) -> None:
    reader = pypdf.PdfReader(io.BytesIO(render(document, IMPRINT, Format.PDF)))
    assert reader.metadata.title == "Exposure of personal data"
    assert reader.trailer["/Root"]["/Lang"] == "en"
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
    metadata = reader.trailer["/Root"]["/Metadata"].get_data().decode()
    assert "<pdfaid:part>3</pdfaid:part>" in metadata and "<pdfuaid:part>1</pdfuaid:part>" in metadata
    text = "".join(page.extract_text() for page in reader.pages).replace("\u200b", "")
    assert "Personal attributes" in text
    assert "#eval(`x`)$x$*_" in "".join(text.split())
    assert "not legal advice" in text


def test_a_pdf_of_a_long_table_repeats_its_head() -> None:
    edges = "\n".join(f"t:user.mail -IDENTITY-> o:mail{n}" for n in range(120))
    reader = pypdf.PdfReader(io.BytesIO(render(over(edges), IMPRINT, Format.PDF)))
    pages = [page.extract_text() for page in reader.pages]
    assert sum("Declared in" in page and "mail" in page for page in pages) > 2


def test_a_spreadsheet_has_a_sheet_for_each_table_and_no_formula(document: Document) -> None:
    book = openpyxl.load_workbook(io.BytesIO(render(document, IMPRINT, Format.XLSX)))
    assert len(book.sheetnames) == len(document.tables()) + 2
    assert [cell.value for cell in book.worksheets[-1][1]][-1] == "How it gets there"
    for sheet in book.worksheets[1:]:
        assert sheet.freeze_panes == "A2"
        assert sheet.auto_filter.ref
    cells = [cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row if cell.value]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    assert any("=HYPERLINK(1)" in str(cell.value) for cell in cells)


def test_a_name_stays_text_when_it_is_edited_in_a_spreadsheet() -> None:
    names = ("=1+1", "+cmd|x", "-2+3", "@SUM(A1)")
    others = ("https://example.org/x", "0012", "1e5", "{=1+1}")
    copied = edge("t:user.mail -IDENTITY-> o:mail")
    edges = [copied._replace(target=NodeKey(DatasetKey("ns", name), ("mail",))) for name in names + others]
    tags = [(copied.source, "data_category", "user.contact.email")]
    made = build(MemoryStore(edges, tags=tags), ReportQuestion(Kind.EXPOSURE, bounds=Bounds(as_of=AS_OF)))
    content = render(made, IMPRINT, Format.XLSX)
    cells = {cell.value: cell for sheet in sheets(content) for row in sheet.iter_rows() for cell in row}
    for name in names + others:
        assert cells[name].data_type == "s"
        assert cells[name].quotePrefix is (name in names)
        assert cells[name].hyperlink is None
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = b"".join(archive.read(name) for name in archive.namelist() if "worksheets/" in name)
    assert b"<f>" not in parts and b"<hyperlink" not in parts


def width_of(sheet: Any, column: int) -> float:
    """The width of a column, which neighbours of the same width share."""
    found = sheet.column_dimensions.values()
    return next(float(each.width) for each in found if each.min <= column <= each.max)


def test_what_takes_several_lines_has_room_for_them() -> None:
    mail, long = node("t:user.mail"), " ".join(["warehouse"] * 12)
    copied = edge("t:user.mail -IDENTITY-> o:mail")._replace(job=JobKey("ns", long))
    tags = [(mail, "data_category", "user.contact.email")]
    made = build(MemoryStore([copied], tags=tags), ReportQuestion(Kind.ART15, bounds=Bounds(as_of=AS_OF)))
    exposure = build(
        MemoryStore([copied], tags=tags), ReportQuestion(Kind.EXPOSURE, bounds=Bounds(as_of=AS_OF))
    )
    seen = 0
    for sheet in [
        *sheets(render(made, IMPRINT, Format.XLSX)),
        *sheets(render(exposure, IMPRINT, Format.XLSX)),
    ]:
        for row in sheet.iter_rows(min_row=2):
            height = sheet.row_dimensions[row[0].row].height or 15
            for cell in row:
                if cell.value and cell.alignment.wrap_text:
                    lines = str(cell.value).split("\n")
                    width = width_of(sheet, cell.column)
                    seen += len(str(cell.value)) > width
                    assert height >= 15 * sum(max(1, -(-len(line) // width)) for line in lines)
                    assert width <= 91
    assert seen > 2


def test_an_empty_table_says_so_on_its_sheet() -> None:
    decisions = next(
        each
        for each in sheets(render(over(EDGES, Kind.ART15), IMPRINT, Format.XLSX))
        if each["A2"].value == "no entries"
    )
    assert (decisions["A1"].value, decisions["A2"].value) == ("Attribute", "no entries")


def test_rows_between_sections_have_no_fill(document: Document) -> None:
    overview = sheets(render(document, IMPRINT, Format.XLSX))[0]
    empty = [row for row in overview.iter_rows() if not any(cell.value for cell in row)]
    assert empty
    assert not any(cell.fill.fill_type for row in empty for cell in row)


def sheets(content: bytes) -> list[Any]:
    book = openpyxl.load_workbook(io.BytesIO(content))
    return list(book.worksheets)


def test_two_tables_never_share_a_sheet_s_name() -> None:
    book = openpyxl.load_workbook(io.BytesIO(render(over(EDGES, Kind.ART15), IMPRINT, Format.XLSX)))
    assert all(len(name) <= 31 for name in book.sheetnames)


def test_csv_files_have_keys_for_names_and_no_formula(document: Document) -> None:
    with zipfile.ZipFile(io.BytesIO(render(document, IMPRINT, Format.CSV))) as archive:
        names = archive.namelist()
        text = archive.read("holders/holders.csv").decode()
    assert "report.json" in names
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["dataset"], row["path"], row["forms"]) for row in rows] == [
        ("m", "mail", "IDENTITY"),
        ("o", "token", "PSEUDONYMISED"),
    ]
    assert all(row["jobs"].startswith("'=") for row in rows)


@pytest.mark.parametrize(("of", "module"), [(Format.PDF, "typst"), (Format.XLSX, "xlsxwriter")])
def test_a_missing_package_is_named_with_its_extra(
    of: Format, module: str, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ReportsMissing, match=module) as raised:
        render(document, IMPRINT, of)
    assert "headwater[reports]" in (raised.value.hint or "")


def test_a_pdf_is_not_set_by_what_is_in_the_working_folder(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("typst", "headwater_backend"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('found in the working folder')")
    monkeypatch.chdir(tmp_path)
    assert render(document, IMPRINT, Format.PDF).startswith(b"%PDF")


def test_a_pdf_that_cannot_be_set_says_why_and_what_to_do() -> None:
    with pytest.raises(NotTypeset, match="expected") as raised:
        typeset("#let", {}, AS_OF)
    assert raised.value.hint and "fewer rows" in raised.value.hint


def test_a_pdf_takes_no_longer_than_the_question_may(document: Document) -> None:
    with deadline.within(deadline.Deadline(0.01)), pytest.raises(deadline.OutOfTime):
        render(document, IMPRINT, Format.PDF)
