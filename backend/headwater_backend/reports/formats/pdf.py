"""A report as PDF/A-3a and PDF/UA-1: for archives, tagged, and with the sealed report attached.

Typst sets it. The texts are handed to the template as data, so no name can be markup; nothing is read from the disk but
the fonts of packages. What is for reference alone is in a spreadsheet that is attached, the annex. The same report and
imprint give the same bytes.
"""

from __future__ import annotations

import io
import json
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib import resources
from typing import Any, Final

from headwater_backend.reports.document.canonical import ReportUnreadable, as_json, digest, sealed
from headwater_backend.reports.document.model import (
    Block,
    Column,
    Document,
    Fact,
    Facts,
    Finding,
    Findings,
    Flows,
    Imprint,
    Lines,
    Paragraph,
    Sides,
    Table,
)
from headwater_backend.reports.formats import spreadsheet, texts
from headwater_backend.reports.formats.annex import FILE, annexed, findings_table, is_printed
from headwater_backend.reports.formats.drawings.flows import draw_flows, flows_text
from headwater_backend.reports.formats.drawings.lineage import draw
from headwater_backend.reports.formats.drawings.sides import draw_sides, is_tall, sides_text
from headwater_backend.reports.formats.packages import require
from headwater_backend.reports.formats.scripts.breaking import Pieces, pieces
from headwater_backend.reports.formats.scripts.glyphs import displayable, escaped, simple
from headwater_backend.reports.formats.typesetting import NotTypeset, typeset

ATTACHED: Final = "report.json"
_DAMAGED: Final = (zlib.error, LookupError, TypeError, AttributeError, ValueError, RecursionError, OSError)
_NARROWEST, _WIDEST = 5, 36
_LONGEST_WORD: Final = 24
_WORD: Final = re.compile(r"[\s/._:,;#=@-]+")
_KEYS: Final = frozenset({"namespace", "dataset", "number", "category", "recipient", "activity", "code"})
"""Columns at the beginning of tables whose names are not repeated."""
Show = Callable[[str], str]
_SHOWN: Final[tuple[tuple[Show, Show], ...]] = (
    (displayable, simple),
    (displayable, escaped),
    (escaped, escaped),
)
"""How texts and pictures are shown, each where the one before cannot be set."""


def render(document: Document, imprint: Imprint) -> bytes:
    """The PDF. Raises what ``typeset`` raises.

    Where the fonts' rules for some script fail for an odd name, that and all others are shown by escapes: in pictures,
    or else everywhere.
    """
    *ways, last = _SHOWN
    for text, picture in ways:
        with suppress(NotTypeset):
            return _set(document, imprint, text, picture)
    return _set(document, imprint, *last)


def _set(document: Document, imprint: Imprint, show: Show, in_picture: Show) -> bytes:
    template = (resources.files(__package__) / "templates" / "report.typ").read_text("utf-8")
    beside = annexed(texts.words_of(document), document)
    files = {FILE: spreadsheet.render(document, imprint)} if beside else {}
    inputs = {
        "shown": json.dumps(
            _Pages(document, imprint, show, in_picture).shown(list(files)), ensure_ascii=False
        ),
        "sealed": sealed(document, imprint),
    }
    return typeset(template, inputs, imprint.made_at.replace(microsecond=0), files)


def sealed_in(content: bytes) -> str:
    """The sealed report attached to a PDF. Raises ``ReportUnreadable``, and ``ReportsMissing`` without pypdf."""
    pypdf = require("pypdf", "reading a PDF")
    try:
        (attached,) = pypdf.PdfReader(io.BytesIO(content)).attachments[ATTACHED]
        return bytes(attached).decode()
    except (pypdf.errors.PyPdfError, *_DAMAGED) as error:
        raise ReportUnreadable("the PDF holds no report of Headwater", "give the file as written") from error


class _Pages:
    """The texts of one document, as the template sets them."""

    def __init__(self, document: Document, imprint: Imprint, show: Show, in_picture: Show) -> None:
        self._document = document
        self._imprint = imprint
        self._show = show
        self._in_picture = in_picture
        self._words = texts.words_of(document)

    def shown(self, files: Sequence[str]) -> dict[str, Any]:
        """All texts; ``files`` are attached."""
        document, words = self._document, self._words
        seal = digest(as_json(document))
        head = (
            ("as_of", texts.moment(document.as_of)),
            ("made_at", texts.moment(self._imprint.made_at)),
            ("source", self._imprint.source),
            ("version", f"Headwater {document.version}"),
            ("hash", seal),
        )
        return {
            "title": document.title,
            "law": document.law,
            "language": document.language,
            "head": [[words(f"page.{key}"), self._put(value)] for key, value in head],
            "foot": f"{document.title} · {texts.moment(document.as_of)} · {seal}",
            "page": words("page.page"),
            "of": words("page.of"),
            "contents": words("page.contents"),
            "attached": words("page.attached"),
            "annexes": list(files),
            "annexed": words("page.annexed"),
            "sections": [
                {
                    "title": section.title,
                    "own_page": section.own_page,
                    "blocks": [self._block(block) for block in section.blocks],
                }
                for section in document.sections
            ],
        }

    def _put(self, text: str) -> Pieces:
        return pieces(text, self._show)

    def _block(self, block: Block) -> dict[str, Any]:
        match block:
            case Paragraph(text, notice):
                return {"kind": "paragraph", "text": self._put(text), "notice": notice}
            case Facts(_, facts):
                missing = self._words("page.not_provided")
                shown = [self._fact(fact, missing) for fact in facts]
                return {"kind": "facts", "facts": shown}
            case Table():
                return self._table(block)
            case Findings():
                return self._findings(block)
            case Flows():
                return self._picture(draw_flows(self._words, block), flows_text(self._words, block))
            case Sides():
                drawn = draw_sides(self._words, block)
                return self._picture(drawn, sides_text(self._words, block), tall=is_tall(block))
            case Lines(_, labels):
                return {"kind": "lines", "labels": list(labels)}

    def _picture(self, drawn: str, alt: str, *, tall: bool = False) -> dict[str, Any]:
        """A picture as wide as the text, or one as high as the page."""
        return {
            "kind": "picture",
            "picture": self._in_picture(drawn),
            "alt": self._show(alt),
            "tall": tall,
        }

    def _fact(self, fact: Fact, missing: str) -> dict[str, Any]:
        values = [self._put(each) for each in fact.values]
        return {"term": fact.term, "values": values, "missing": missing}

    def _findings(self, block: Findings) -> dict[str, Any]:
        """The findings with their lineage drawn, or as a table."""
        if not self._document.drawn:
            return self._table(findings_table(self._words, block))
        shown, total = len(block.findings), block.total
        some = self._words("page.findings_shown", shown=f"{shown:,}", total=f"{total:,}")
        return {
            "kind": "findings",
            "title": self._put(block.title),
            "note": some if shown < total else "",
            "findings": [self._finding(finding) for finding in block.findings],
        }

    def _table(self, table: Table) -> dict[str, Any]:
        words = self._words
        printed = is_printed(table)
        rows = [
            [texts.cell_text(words, column, cell) for column, cell in zip(table.columns, row, strict=True)]
            for row in (table.rows if printed else ())
        ]
        titles = [column.title for column in table.columns]
        beside = words("page.in_annex", count=f"{table.total:,}", file=FILE)
        return {
            "kind": "table",
            "printed": printed,
            "title": self._put(table.title),
            "note": texts.rows_note(words, table) if printed else beside,
            "widths": [_width(column) for column in zip(titles, *rows, strict=True)],
            "columns": [{"title": column.title, "kind": column.kind.value} for column in table.columns],
            "rows": [
                [self._put(text) for text in row] for row in _without_repeated_names(table.columns, rows)
            ],
            "empty": words("page.empty_table"),
        }

    def _finding(self, finding: Finding) -> dict[str, Any]:
        words = self._words
        return {
            "title": self._put(texts.finding_title(words, finding)),
            "forms": ", ".join(words.of("forms", form) for form in finding.forms),
            "categories": ", ".join(words.of("categories", each) for each in finding.categories),
            "remark": self._put(finding.remark),
            "picture": self._in_picture(draw(words, finding)) if finding.steps else "",
            "alt": self._show(texts.picture_text(words, finding)),
            "route": words("page.route") if finding.steps else words("page.declared"),
            "steps": [self._put(texts.step_text(words, step)) for step in finding.steps],
        }


def _width(column: Sequence[str]) -> int:
    """The share of a column in the table's width: by its longest text, and no word is broken."""
    title, *cells = column
    words = (len(word) for text in column for word in _WORD.split(text))
    needed = max((_NARROWEST, *(length for length in words if length <= _LONGEST_WORD))) + 1
    longest = max((len(line) for cell in cells for line in cell.split("\n")), default=0)
    return min(max(needed, longest, len(title) // 2), max(_WIDEST, needed))


def _without_repeated_names(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """The rows without the names at their beginning that the row above has, too."""
    before: Sequence[str] = ()
    for row in rows:
        same = 0
        while before and same < len(row) - 1 and columns[same].key in _KEYS and row[same] == before[same]:
            same += 1
        yield [*[""] * same, *row[same:]]
        before = row
