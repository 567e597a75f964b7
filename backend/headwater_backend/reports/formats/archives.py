"""The reading of ZIP archives, of which spreadsheets are some: a damaged one is an error of the file."""

from __future__ import annotations

import io
import zipfile
import zlib

from headwater_backend.reports.document.canonical import ReportUnreadable

_DAMAGED = (zipfile.BadZipFile, zlib.error, KeyError, EOFError, OSError, ValueError, RuntimeError)


def names(content: bytes) -> frozenset[str]:
    """The names in the archive. Raises ``ReportUnreadable``."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return frozenset(archive.namelist())
    except _DAMAGED as error:
        raise ReportUnreadable("the file is damaged", "give the file as written") from error


def member(content: bytes, name: str) -> bytes:
    """The content of that name in the archive. Raises ``ReportUnreadable``."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return archive.read(name)
    except _DAMAGED as error:
        raise ReportUnreadable(
            f"the file holds no {name}, or is damaged",
            "give the file as written; a program that saved it again may have left the report out",
        ) from error
