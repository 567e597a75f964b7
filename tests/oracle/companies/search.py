"""The tokens in written files: which attributes' values a dataset holds, at which paths, and how.

Nothing here knows of lineage. Files are read by readers other than Spark's; a file that has no structure is one text.
A value is searched as it is, in upper or lower case, in part, reversed, and in what base64, hexadecimal numbers and
escapes in it stand for. Digests of whole tokens are found, too.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from pyarrow import orc, parquet

from oracle.companies.company import Attribute, Company

Steps = tuple[str, ...]
_LETTERS: Final = 7
"""So many letters of a token in a row are the token in part."""
_DIGITS: Final = 9
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2}){7,}")
_DEPTH: Final = 2
"""So many encodings are tried one inside the other."""


class How(str, Enum):
    """How a dataset holds a value."""

    READABLE = "readable"
    DECIDED = "decided"
    """A constant stands for it."""
    DIGEST = "digest"


class Found(NamedTuple):
    """An attribute in a dataset; the path is empty where the file gives none."""

    dataset: str
    path: Steps
    attribute: Attribute
    how: How


class Tokens:
    """What a company's tokens are found by."""

    def __init__(self, company: Company) -> None:
        self._parts: dict[str, set[tuple[Attribute, How]]] = {}
        self._whole: dict[str, set[tuple[Attribute, How]]] = {}
        for token, attributes in company.tokens.items():
            self._add(token, {(each, How.READABLE) for each in attributes})
            for digest in digests(token):
                self._whole.setdefault(digest, set()).update((each, How.DIGEST) for each in attributes)
        for code, attributes in company.codes.items():
            self._add(code, {(each, How.DECIDED) for each in attributes})

    def _add(self, token: str, found: set[tuple[Attribute, How]]) -> None:
        size = _DIGITS if token.isdigit() else _LETTERS
        for word in re.split(r"[^a-z0-9]", token):
            for at in range(len(word) - size + 1):
                self._parts.setdefault(word[at : at + size], set()).update(found)

    def of(self, value: str) -> set[tuple[Attribute, How]]:
        """What the value holds."""
        found = set(self._whole.get(value.lower(), ()))
        for text in readings(value, _DEPTH):
            for size in (_LETTERS, _DIGITS):
                for at in range(len(text) - size + 1):
                    found |= self._parts.get(text[at : at + size], set())
        return found


def digests(token: str) -> Iterator[str]:
    """The digests of a token by functions that Spark has."""
    content = token.encode()
    for name in ("md5", "sha1", "sha256", "sha512"):
        yield hashlib.new(name, content).hexdigest()
    yield hashlib.sha256(b"salt" + content).hexdigest()
    yield str(zlib.crc32(content))


def readings(value: str, depth: int) -> Iterator[str]:
    """The texts that the value can be read as, in lower case."""
    yield value.lower()
    yield value.lower()[::-1]
    if "%" in value:
        yield unquote(value).lower()
    if depth:
        for text in (*_decoded(value), *(_decoded(value[::-1]) if len(value) < 500 else ())):
            yield from readings(text, depth - 1)


def _decoded(value: str) -> Iterator[str]:
    for each in _BASE64.findall(value):
        yield _text_of(partial(base64.b64decode, each + "=" * (-len(each) % 4)))
    for each in _HEX.findall(value):
        yield _text_of(partial(bytes.fromhex, each))


def _text_of(decode: Callable[[], bytes]) -> str:
    """The text that is decoded, empty if there is none."""
    try:
        return decode().decode()
    except ValueError:  # the errors of all these codecs
        return ""


def search(company: Company, root: Path) -> set[Found]:
    """What the datasets under the folder hold, those that are a source left out."""
    tokens, sources = Tokens(company), {source.name for source in company.sources}
    return {
        Found(dataset.name, path, *each)
        for dataset in sorted(root.iterdir())
        if dataset.name not in sources
        for path, value in values(dataset)
        for each in tokens.of(value)
    }


def values(dataset: Path) -> Iterator[tuple[Steps, str]]:
    """The values in a dataset's files and in the names of its folders, with their paths."""
    for file in sorted(dataset.rglob("*")):
        if file.is_dir() or file.name.startswith((".", "_")):
            continue
        for folder in file.relative_to(dataset).parts[:-1]:
            name, _, value = folder.partition("=")
            yield (name,) if value else (), value or name
        yield from _file_values(file)


def _file_values(file: Path) -> Iterator[tuple[Steps, str]]:
    if file.suffix == ".parquet":
        yield from _rows(parquet.ParquetFile(file).read().to_pylist())
    elif file.suffix == ".orc":
        yield from _rows(orc.ORCFile(file).read().to_pylist())
    elif file.suffix == ".json":
        yield from _rows(map(json.loads, file.read_text("utf-8").splitlines()))
    elif file.suffix == ".csv":
        with file.open(encoding="utf-8", newline="") as lines:
            yield from _rows(csv.DictReader(lines, escapechar="\\", restkey="_more"))
    else:
        yield ("value",), file.read_bytes().decode("utf-8", "replace")


def _rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Steps, str]]:
    for row in rows:
        yield from _leaves((), row)


def _leaves(path: Steps, value: Any) -> Iterator[tuple[Steps, str]]:
    match value:
        case None:
            return
        case dict():
            for name, each in value.items():
                yield from _leaves((*path, name), each)
        case list():
            for each in value:
                yield from _leaves((*path, "_element"), each)
        case bytes():
            yield path, value.decode("utf-8", "replace")
        case _:
            yield path, str(value)
