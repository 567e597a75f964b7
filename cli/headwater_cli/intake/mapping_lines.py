"""Files of business mappings, as the events that they stand for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Final

from headwater_cli.intake.event_lines import Line
from headwater_cli.terminal.errors import CommandError

if TYPE_CHECKING:
    from headwater_mappings import Document

_BEGINNING: Final = re.compile(rb"(\xef\xbb\xbf)?(\s|#[^\n]*\n)*WHEN\s+POPULATING\b")
_BYTES: Final = 64 * 1024
MOST_BYTES: Final = 16 * 1024 * 1024


def has_mappings(file: Path) -> bool:
    """Whether the file begins as business mappings do, behind comments."""
    if not file.is_file():
        return False
    with file.open("rb") as content:
        return _BEGINNING.match(content.read(_BYTES)) is not None


def mapping_lines(files: Sequence[Path], namespace: str) -> Iterator[Line]:
    """One event a line for the mappings of the files, each stated when its file was last changed.

    All files are read before the first event, so that one with an error changes nothing.
    """
    from headwater_mappings import events_of

    documents = [_document(file) for file in files]
    places = [
        (file, each.place.line) for file, read in zip(files, documents, strict=True) for each in read.mappings
    ]
    for (file, line), event in zip(places, events_of(documents, namespace), strict=True):
        yield Line(str(file), line, json.dumps(event).encode())


def _document(file: Path) -> Document:
    from headwater_mappings import Document, MappingError, parse

    stated = file.stat()
    if stated.st_size > MOST_BYTES:
        raise CommandError("MAPPING_INVALID", f"{file}: more than 16 MiB of mappings", "take several files")
    try:
        mappings = parse(file.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise CommandError("NOT_UTF8", f"{file}: byte {error.start} is no UTF-8") from error
    except MappingError as error:
        raise CommandError(error.code, f"{file}, {error}", error.hint) from error
    return Document(file.name, datetime.fromtimestamp(stated.st_mtime, timezone.utc).isoformat(), mappings)
