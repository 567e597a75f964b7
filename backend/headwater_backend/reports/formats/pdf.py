"""A report as PDF/A-3a and PDF/UA-1: for archives, tagged, and with the sealed report attached.

Typst sets it. The texts are handed to the template as data, so no name can be markup; nothing is read from the disk but
fonts, for signs that the embedded ones do not have. The same report and imprint give the same bytes.
"""

from __future__ import annotations

import io
import json
import re
import zlib
from collections.abc import Sequence
from importlib import resources
from typing import Any, Final

from headwater_backend.reports.document.canonical import ReportUnreadable, as_json, digest, sealed
from headwater_backend.reports.document.model import (
    Block,
    Document,
    Facts,
    Finding,
    Findings,
    Imprint,
    Lines,
    Paragraph,
    Table,
)
from headwater_backend.reports.formats import texts
from headwater_backend.reports.formats.drawing import draw, printable
from headwater_backend.reports.formats.packages import require
from headwater_backend.reports.formats.typesetting import typeset
from headwater_backend.reports.languages.catalogue import Words

ATTACHED: Final = "report.json"
_DAMAGED: Final = (zlib.error, LookupError, TypeError, AttributeError, ValueError, RecursionError, OSError)
_NARROWEST, _WIDEST = 6, 36
_BREAKS: Final = re.compile(r"([/._:,;#=-])|(\S{18})(?=\S)")


def render(document: Document, imprint: Imprint) -> bytes:
    """The PDF. Raises what ``typeset`` raises."""
    template = (resources.files(__package__) / "templates" / "report.typ").read_text("utf-8")
    inputs = {
        "shown": json.dumps(_shown(document, imprint), ensure_ascii=False),
        "sealed": sealed(document, imprint),
    }
    return typeset(template, inputs, imprint.made_at.replace(microsecond=0))


def sealed_in(content: bytes) -> str:
    """The sealed report attached to a PDF. Raises ``ReportUnreadable``, and ``ReportsMissing`` without pypdf."""
    pypdf = require("pypdf", "reading a PDF")
    try:
        (attached,) = pypdf.PdfReader(io.BytesIO(content)).attachments[ATTACHED]
        return bytes(attached).decode()
    except (pypdf.errors.PyPdfError, *_DAMAGED) as error:
        raise ReportUnreadable("the PDF holds no report of Headwater", "give the file as written") from error


def _shown(document: Document, imprint: Imprint) -> dict[str, Any]:
    """All texts of the document, as the template sets them."""
    words = texts.words_of(document)
    head = (
        ("as_of", texts.moment(document.as_of)),
        ("made_at", texts.moment(imprint.made_at)),
        ("source", imprint.source),
        ("version", f"Headwater {document.version}"),
        ("hash", digest(as_json(document))),
    )
    return {
        "title": document.title,
        "law": document.law,
        "language": document.language,
        "head": [[words(f"page.{key}"), breakable(value)] for key, value in head],
        "hash": digest(as_json(document)),
        "page": words("page.page"),
        "of": words("page.of"),
        "attached": words("page.attached"),
        "sections": [
            {"title": section.title, "blocks": [_block(words, block) for block in section.blocks]}
            for section in document.sections
        ],
    }


def _block(words: Words, block: Block) -> dict[str, Any]:
    match block:
        case Paragraph(text, notice):
            return {"kind": "paragraph", "text": breakable(text), "notice": notice}
        case Facts(_, facts):
            missing = words("page.not_provided")
            return {
                "kind": "facts",
                "facts": [
                    {
                        "term": fact.term,
                        "values": [breakable(each) for each in fact.values],
                        "missing": missing,
                    }
                    for fact in facts
                ],
            }
        case Table():
            return _table(words, block)
        case Findings():
            return {
                "kind": "findings",
                "title": block.title,
                "note": _findings_note(words, block),
                "findings": [_finding(words, finding) for finding in block.findings],
            }
        case Lines(_, labels):
            return {"kind": "lines", "labels": list(labels)}


def _findings_note(words: Words, block: Findings) -> str:
    shown, total = len(block.findings), block.total
    return words("page.findings_shown", shown=f"{shown:,}", total=f"{total:,}") if shown < total else ""


def _table(words: Words, table: Table) -> dict[str, Any]:
    rows = [
        [texts.cell_text(words, column, cell) for column, cell in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]
    titles = [column.title for column in table.columns]
    return {
        "kind": "table",
        "title": table.title,
        "note": texts.rows_note(words, table),
        "widths": [_width(column) for column in zip(titles, *rows, strict=True)],
        "columns": [
            {"title": breakable(column.title), "kind": column.kind.value} for column in table.columns
        ],
        "rows": [[breakable(text) for text in row] for row in rows],
        "empty": words("page.empty_table"),
    }


def _width(column: Sequence[str]) -> int:
    """The share of a column in the table's width, by its longest text."""
    return min(max(_NARROWEST, *map(len, column)), _WIDEST)


def _finding(words: Words, finding: Finding) -> dict[str, Any]:
    return {
        "title": breakable(texts.finding_title(words, finding)),
        "forms": ", ".join(words.of("forms", form) for form in finding.forms),
        "categories": ", ".join(finding.categories),
        "remark": breakable(finding.remark),
        "picture": draw(words, finding) if finding.steps else "",
        "alt": printable(texts.picture_text(words, finding)),
        "route": words("page.route") if finding.steps else words("page.declared"),
        "steps": [breakable(texts.step_text(words, step)) for step in finding.steps],
    }


def breakable(text: str) -> str:
    """The text with places where a long name may be broken, and without signs that no font has."""
    return _BREAKS.sub("\\g<0>\u200b", printable(text))
