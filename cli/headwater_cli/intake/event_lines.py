"""Reader for files of newline-delimited events, plain or gzipped, in bounded memory."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Final, NamedTuple, cast

import click

from headwater_cli.terminal.errors import CommandError

GZIP: Final = b"\x1f\x8b"
STDIN: Final = "-"
LINE_BYTES: Final = 16 * 1024 * 1024
"""Maximum size of a line; a longer one exceeds any event and is not read into memory."""
_BRACKETS: Final = (b"[", b"{")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file; ``number`` counts from 1. ``wrong`` is set if the line cannot be read."""

    file: str
    number: int
    text: bytes
    wrong: Unreadable | None = None


class Unreadable(NamedTuple):
    """The error of a line that cannot be read."""

    code: str
    detail: str
    hint: str | None = None


_TOO_LONG: Final = Unreadable(
    "TOO_LARGE", f"the line is longer than {LINE_BYTES} bytes", "one JSON event per line"
)


class EventLines:
    """Iterable over the non-empty lines of files, with the position reached so far."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._before = 0
        self._raw: IO[bytes] | None = None

    @property
    def size(self) -> int | None:
        """The total size of the files in bytes; None if one is not a regular file, such as stdin."""
        if not all(file.is_file() for file in self._files):
            return None
        return sum(file.stat().st_size for file in self._files)

    @property
    def read(self) -> int:
        """The number of bytes read so far."""
        if self._raw is None or self._raw.closed or not self._raw.seekable():
            return self._before
        return self._before + self._raw.tell()

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines. Raises ``CommandError`` before the first line of a file with a multi-line document."""
        for file in self._files:
            with click.open_file(str(file), "rb") as raw:
                self._raw = raw
                yield from _lines(str(file), _decompressed(raw))
            if file.is_file():
                self._before += file.stat().st_size


def _decompressed(raw: IO[bytes]) -> IO[bytes]:
    """Return the decompressed content if the file starts like gzip, whatever its name."""
    peek = getattr(raw, "peek", None)
    if peek is not None and peek(2)[:2] == GZIP:
        return cast("IO[bytes]", gzip.open(raw, "rb"))
    return raw


def _lines(name: str, content: IO[bytes]) -> Iterator[Line]:
    number = 0
    try:
        for number, text in enumerate(iter(partial(_line, content), b""), start=1):
            found = text.strip()
            if found in _BRACKETS and number == 1:
                raise _not_lines(name)
            if len(text) > LINE_BYTES:
                yield Line(name, number, b"", _TOO_LONG)
            elif found:
                yield Line(name, number, found)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        detail = f"the compressed file is corrupt from here on: {error}"
        yield Line(name, number + 1, b"", Unreadable("BROKEN_FILE", detail))


def _line(content: IO[bytes]) -> bytes:
    """Return the next line; an oversized line is cut to one byte more than the maximum."""
    text = part = content.readline(LINE_BYTES + 1)
    while len(part) > LINE_BYTES and not part.endswith(b"\n"):
        part = content.readline(LINE_BYTES + 1)
    return text


def _not_lines(name: str) -> CommandError:
    file = "FILE" if name == STDIN else name
    return CommandError(
        "NOT_NDJSON",
        f"{name} has a JSON document over several lines; expected one event per line",
        f"jq -c 'if type == \"array\" then .[] else . end' {file} | headwater import -",
    )
