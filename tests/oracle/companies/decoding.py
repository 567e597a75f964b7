"""What a text can be read as: other notations, what is encoded or packed in it, and files that it holds as a whole.

Nothing here knows of lineage. A text is read in small letters, reversed, and as what base64, hexadecimal numbers and
escapes in it stand for; JSON is read by its strings, and the content of a Parquet or ORC file by its rows.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import unquote

from pyarrow import ArrowException, BufferReader, orc, parquet

Steps = tuple[str, ...]
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2}){7,}")
_SHORT: Final = 500
"""So long a text is decoded reversed, too."""


def readings(value: str, depth: int) -> Iterator[str]:
    """The texts that the value can be read as, in lower case; so many encodings are tried one inside the other."""
    yield value.lower()
    yield value.lower()[::-1]
    if "%" in value:
        yield unquote(value).lower()
    if depth:
        for text in (*_decoded(value), *(_decoded(value[::-1]) if len(value) < _SHORT else ())):
            yield from readings(text, depth - 1)


def records(content: bytes) -> list[Mapping[str, Any]]:
    """The rows of the Parquet or ORC file with that content."""
    if content.startswith(b"PAR1"):
        found = parquet.ParquetFile(BufferReader(content)).read()
    else:
        found = orc.ORCFile(BufferReader(content)).read()
    rows: list[Mapping[str, Any]] = found.to_pylist()
    return rows


def leaves(path: Steps, value: Any) -> Iterator[tuple[Steps, str]]:
    """The values in a value of any type, with their paths; nulls are none."""
    match value:
        case None:
            return
        case dict():
            for name, each in value.items():
                yield from leaves((*path, name), each)
        case list():
            for each in value:
                yield from leaves((*path, "_element"), each)
        case bytes():
            yield path, text_of(value)
        case _:
            yield path, str(value)


def text_of(content: bytes) -> str:
    """The bytes as a text, whatever they are."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("ISO-8859-1")


def _decoded(value: str) -> Iterator[str]:
    for each in _BASE64.findall(value):
        yield _bytes_of(partial(base64.b64decode, each + "=" * (-len(each) % 4)))
    for each in _HEX.findall(value):
        yield _bytes_of(partial(bytes.fromhex, each))
    if value.startswith(("{", "[", '"')):
        yield from _strings(value)
    if value.startswith(("PAR1", "ORC")):
        yield from _of_file(value)


def _bytes_of(decode: Callable[[], bytes]) -> str:
    """The text that is decoded, empty if there is none."""
    try:
        return text_of(decode())
    except ValueError:  # the errors of all these codecs
        return ""


def _strings(value: str) -> Iterator[str]:
    try:
        found = json.loads(value)
    except ValueError:
        return
    for _, text in leaves((), found):
        yield text


def _of_file(value: str) -> Iterator[str]:
    """The values in a file whose bytes became the characters of the text; none if it was cut or changed."""
    try:
        rows = records(value.encode("ISO-8859-1"))
    except (UnicodeEncodeError, ArrowException, OSError):
        return
    for row in rows:
        for _, text in leaves((), row):
            yield text
