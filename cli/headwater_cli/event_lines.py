"""The lines of files of events, which may be compressed; one after the other, however large the files are."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

import click

from headwater_cli.errors import Failure

GZIP: Final = b"\x1f\x8b"
STDIN: Final = "-"
_BRACKETS: Final = (b"[", b"{")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file; ``number`` counts from 1. With ``broken``, the file cannot be read from there on."""

    file: str
    number: int
    text: bytes
    broken: str | None = None


class EventLines:
    """Lines that hold something; knows how far it has read."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._before = 0
        self._raw: IO[bytes] | None = None

    @property
    def size(self) -> int | None:
        """All bytes of the files; None where one is no regular file, as stdin is."""
        if not all(file.is_file() for file in self._files):
            return None
        return sum(file.stat().st_size for file in self._files)

    @property
    def read(self) -> int:
        """How many of these bytes are read."""
        if self._raw is None or self._raw.closed or not self._raw.seekable():
            return self._before
        return self._before + self._raw.tell()

    def __iter__(self) -> Iterator[Line]:
        """Raises ``Failure`` for a file that has one document over several lines, before anything of it is taken."""
        for file in self._files:
            with click.open_file(str(file), "rb") as raw:
                self._raw = raw
                yield from _lines(str(file), _unpacked(raw))
            if file.is_file():
                self._before += file.stat().st_size


def _unpacked(raw: IO[bytes]) -> IO[bytes]:
    """The content, whatever the file is called."""
    peek = getattr(raw, "peek", None)
    if peek is not None and peek(2)[:2] == GZIP:
        return cast("IO[bytes]", gzip.open(raw, "rb"))
    return raw


def _lines(name: str, content: IO[bytes]) -> Iterator[Line]:
    number = 0
    try:
        for number, text in enumerate(content, start=1):
            found = text.strip()
            if found in _BRACKETS and number == 1:
                raise _not_lines(name)
            if found:
                yield Line(name, number, found)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield Line(name, number + 1, b"", f"the compressed file is broken from here on: {error}")


def _not_lines(name: str) -> Failure:
    file = "FILE" if name == STDIN else name
    return Failure(
        "NOT_NDJSON",
        f"{name} has a JSON document over several lines; an import takes one event a line",
        f"jq -c 'if type == \"array\" then .[] else . end' {file} | headwater import -",
    )
