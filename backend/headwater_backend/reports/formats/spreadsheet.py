"""A report as a spreadsheet (XLSX): the register as officers keep it, with a sheet for each table.

No cell is a formula, whatever its text is, nor becomes one when somebody edits it. What is not seen in a name is shown
by its escape, and a text that is too long for a cell ends with how long it is. The sealed report is in the file as
custom XML, where spreadsheet programs leave it alone. The same report and imprint give the same bytes.
"""

from __future__ import annotations

import base64
import io
import textwrap
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any, Final
from xml.etree import ElementTree as ET

from headwater_backend.reports.document.canonical import ReportUnreadable, as_json, digest, sealed
from headwater_backend.reports.document.model import (
    ColumnKind,
    Document,
    Facts,
    Imprint,
    Lines,
    Paragraph,
    Table,
)
from headwater_backend.reports.formats import archives, texts
from headwater_backend.reports.formats.annex import of_findings
from headwater_backend.reports.formats.delimited import seen
from headwater_backend.reports.formats.drawings.lineage import printable
from headwater_backend.reports.formats.packages import require
from headwater_backend.reports.languages.catalogue import Words

PART: Final = "customXml/item1.xml"
_LONGEST_NAME: Final = 31
_LONGEST_CELL: Final = 32_767
_WIDEST: Final = 45
_LINE: Final = 15
"""The height of a line, in points."""
_TALLEST: Final = 409
"""The height of the highest row that Excel has."""
_OVERVIEW: Final = (34, 90)
"""The widths of the overview's columns, in characters."""
_FORBIDDEN: Final = str.maketrans(dict.fromkeys("[]:*?/\\'", " "))
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def render(document: Document, imprint: Imprint) -> bytes:
    """The spreadsheet. Raises ``ReportsMissing`` without XlsxWriter."""
    xlsxwriter = require("xlsxwriter", "XLSX")
    out = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(out, options) as book:
        made = imprint.made_at.replace(tzinfo=None)
        book.set_properties({"title": document.title, "author": "Headwater", "created": made})
        _Book(book, document, imprint).write()
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(PART, _EPOCH), _part(sealed(document, imprint)))
    return out.getvalue()


def sealed_in(content: bytes) -> str:
    """The sealed report in a spreadsheet. Raises ``ReportUnreadable``."""
    try:
        root = ET.fromstring(archives.member(content, PART))  # noqa: S314 - expat has limits of its own
        return base64.b64decode(root.text or "", validate=True).decode()
    except (ValueError, ET.ParseError) as error:
        raise ReportUnreadable(
            "the report in the spreadsheet is damaged", "give the file as written"
        ) from error


def _part(text: str) -> bytes:
    root = ET.Element("report", {"xmlns": "urn:headwater:report"})
    root.text = base64.b64encode(text.encode("utf-8", "replace")).decode()
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))


class _Book:
    """The sheets of one document."""

    def __init__(self, book: Any, document: Document, imprint: Imprint) -> None:
        self._book = book
        self._document = document
        self._imprint = imprint
        self._words: Words = texts.words_of(document)
        self._head = book.add_format(
            {"bold": True, "bg_color": "#EEF1F4", "text_wrap": True, "valign": "top"}
        )
        self._cell = book.add_format({"text_wrap": True, "valign": "top"})
        self._quoted = book.add_format({"text_wrap": True, "valign": "top", "quote_prefix": True})
        self._number = book.add_format({"num_format": "#,##0", "valign": "top"})
        self._title = book.add_format({"bold": True, "font_size": 14})
        self._names: set[str] = set()

    def write(self) -> None:
        """Write an overview, and then each table, and the findings as tables."""
        self._overview()
        for _, table in self._document.tables():
            self._table(table)
        for table in of_findings(self._words, self._document):
            self._table(table)

    def _sheet(self, title: str) -> Any:
        """A new sheet, whose name is the title, or the beginning of it with a number."""
        plain = " ".join(printable(title).translate(_FORBIDDEN).split())
        name, number = plain[:_LONGEST_NAME].strip(), 1
        while name.lower() in self._names:
            number += 1
            name = f"{plain[: _LONGEST_NAME - 4].strip()} {number}"
        self._names.add(name.lower())
        sheet = self._book.add_worksheet(name)
        sheet.set_landscape()
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 0)
        return sheet

    def _overview(self) -> None:
        words, document, imprint = self._words, self._document, self._imprint
        sheet = self._sheet(words("page.overview"))
        for at, width in enumerate(_OVERVIEW):
            sheet.set_column(at, at, width)
        sheet.write_string(0, 0, printable(document.title), self._title)
        lines = [
            ("", document.law),
            (words("page.as_of"), texts.moment(document.as_of)),
            (words("page.made_at"), texts.moment(imprint.made_at)),
            (words("page.source"), imprint.source),
            (words("page.version"), f"Headwater {document.version}"),
            (words("page.hash"), digest(as_json(document))),
            *self._lines(),
        ]
        for row, (term, text) in enumerate(lines, 1):
            if term or text:
                self._text(sheet, row, 0, term, self._cell if text else self._head)
                self._text(sheet, row, 1, text, self._cell)
                _make_room(sheet, row, (term, text), _OVERVIEW)

    def _lines(self) -> Iterator[tuple[str, str]]:
        """The sections without their tables."""
        for section in self._document.sections:
            yield "", ""
            yield section.title, ""
            for block in section.blocks:
                match block:
                    case Paragraph(text):
                        yield "", text
                    case Facts(_, facts):
                        missing = self._words("page.not_provided")
                        yield from ((fact.term, "\n".join(fact.values) or missing) for fact in facts)
                    case Lines(_, labels):
                        yield from ((label, "____________________") for label in labels)
                    case _:
                        continue

    def _table(self, table: Table) -> None:
        """A sheet with a frozen head and a filter."""
        sheet = self._sheet(table.title)
        rows = [tuple(self._of(table, row, at) for at in range(len(row))) for row in table.rows]
        widths = [_width(column.title, [row[at] for row in rows]) for at, column in enumerate(table.columns)]
        for at, column in enumerate(table.columns):
            self._text(sheet, 0, at, column.title, self._head)
            sheet.set_column(at, at, widths[at])
        for number, (row, cells) in enumerate(zip(rows, table.rows, strict=True), 1):
            for at, cell in enumerate(cells):
                if isinstance(cell, int) and table.columns[at].kind is ColumnKind.NUMBER:
                    sheet.write_number(number, at, cell, self._number)
                else:
                    self._text(sheet, number, at, row[at], self._cell)
            _make_room(sheet, number, row, widths)
        if note := texts.rows_note(self._words, table) if rows else self._words("page.empty_table"):
            sheet.write_string(len(rows) + 1, 0, note)
        sheet.freeze_panes(1, 0)
        sheet.repeat_rows(0)
        sheet.autofilter(0, 0, max(len(rows), 1), len(table.columns) - 1)

    def _of(self, table: Table, row: tuple[Any, ...], at: int) -> str:
        return texts.cell_text(self._words, table.columns[at], row[at])

    def _text(self, sheet: Any, row: int, at: int, text: str, style: Any) -> None:
        # A carriage return that a file has as it is, spreadsheet programs write as something else.
        lines = "\n".join(printable(seen(line.replace("\r", "\\r"))) for line in text.split("\n"))
        if style is self._cell and texts.is_formula(lines):
            style = self._quoted
        sheet.write_string(row, at, self._fitting(lines), style)

    def _fitting(self, text: str) -> str:
        """The text, or as much of it as a cell holds, with how much that is."""
        if _units(text) <= _LONGEST_CELL:
            return text
        note = self._words("page.cell_cut", count=f"{len(text):,}")
        begin = text.encode("utf-16-le")[: 2 * (_LONGEST_CELL - _units(note))]
        return begin.decode("utf-16-le", "ignore") + note


def _units(text: str) -> int:
    """The length of a text as spreadsheet programs count it: characters beyond U+FFFF are two."""
    return len(text.encode("utf-16-le")) // 2


def _width(title: str, cells: Sequence[str]) -> int:
    """The width of a column, in characters: the longest of it, with room for the button of the filter."""
    return min(max(len(title) + 3, 2 + max(map(len, cells), default=0)), _WIDEST)


def _make_room(sheet: Any, row: int, cells: Sequence[str], widths: Sequence[int]) -> None:
    """Set the height of a row whose texts take several lines: not every program finds it when it opens the file."""
    needed = max(_line_count(cell, width) for cell, width in zip(cells, widths, strict=True))
    if needed > 1:
        sheet.set_row(row, min(needed * _LINE, _TALLEST))


def _line_count(text: str, width: int) -> int:
    """In how many lines the text is shown."""
    room = width - 2
    return sum(1 if len(line) <= room else len(textwrap.wrap(line, room)) for line in text.split("\n"))
