"""The formats of reports, and the renderer of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from headwater_backend.reports.document.canonical import sealed
from headwater_backend.reports.document.model import Document, Imprint
from headwater_backend.reports.formats import csv_files, dpv, html, pdf, provenance, spreadsheet


class Format(str, Enum):
    """The formats of reports."""

    HTML = "html"
    PDF = "pdf"
    XLSX = "xlsx"
    CSV = "csv"
    JSON = "json"
    DPV = "dpv"
    PROV_JSON = "prov-json"
    PROV_O = "prov-o"


@dataclass(frozen=True, slots=True)
class Renderer:
    """How a format is made; ``render`` returns the file's content."""

    suffix: str
    media_type: str
    render: Callable[[Document, Imprint], str | bytes]

    @property
    def is_text(self) -> bool:
        return self.media_type.startswith("text/") or "json" in self.media_type


def _json(document: Document, _imprint: Imprint) -> str:
    """The sealed document without its imprint, so that the same question has the same bytes."""
    return sealed(document) + "\n"


RENDERERS: Final[Mapping[Format, Renderer]] = {
    Format.HTML: Renderer(".html", "text/html", html.render),
    Format.PDF: Renderer(".pdf", "application/pdf", pdf.render),
    Format.XLSX: Renderer(
        ".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", spreadsheet.render
    ),
    Format.CSV: Renderer(".zip", "application/zip", csv_files.render),
    Format.JSON: Renderer(".json", "application/json", _json),
    Format.DPV: Renderer(".jsonld", "application/ld+json", dpv.render),
    Format.PROV_JSON: Renderer(".prov.json", "application/json", provenance.as_prov_json),
    Format.PROV_O: Renderer(".ttl", "text/turtle", provenance.as_prov_o),
}


def render(document: Document, imprint: Imprint, of: Format) -> bytes:
    """The document in the format. Raises ``ReportsMissing`` if that needs a package that is not installed."""
    content = RENDERERS[of].render(document, imprint)
    return content.encode("utf-8", "replace") if isinstance(content, str) else content
