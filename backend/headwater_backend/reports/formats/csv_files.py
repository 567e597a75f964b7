"""A report as CSV: a ZIP archive with a file for each table, and the sealed report.

Columns are named by their keys, which are the same in all languages. The same report and imprint give the same bytes.
"""

from __future__ import annotations

import io
import zipfile
from typing import Final

from headwater_backend.reports.document.canonical import sealed
from headwater_backend.reports.document.model import Cell, Document, Imprint, Table
from headwater_backend.reports.formats import archives
from headwater_backend.reports.formats.delimited import write_rows

SEALED: Final = "report.json"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def render(document: Document, imprint: Imprint) -> bytes:
    """The archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for section, table in document.tables():
            _add(archive, f"{section.key}/{table.key}.csv", _csv(table))
        _add(archive, SEALED, sealed(document, imprint))
    return out.getvalue()


def sealed_in(content: bytes) -> str:
    """The sealed report in an archive. Raises ``ReportUnreadable``."""
    return archives.member(content, SEALED).decode("utf-8", "replace")


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, text.encode("utf-8", "replace"))


def _csv(table: Table) -> str:
    out = io.StringIO(newline="")
    write_rows(out, [[column.key for column in table.columns]])
    write_rows(out, (map(_text, row) for row in table.rows))
    return out.getvalue()


def _text(cell: Cell) -> str:
    """The cell for programs: keys and numbers as they are, several with spaces between, nothing for None."""
    if cell is None:
        return ""
    return " ".join(cell) if isinstance(cell, tuple) else str(cell)
