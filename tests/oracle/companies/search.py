"""The tokens in written files: which attributes' values a dataset holds, at which paths, and how.

Nothing here knows of lineage. Files are read by readers other than Spark's; a file that has no structure is one text.
A value is searched as whatever it can be read as (``decoding``). Digests of whole tokens are found, too, and those of
texts that hold tokens, such as a line of a file.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple

from oracle.companies.company import Attribute, Company
from oracle.companies.decoding import Steps, leaves, readings, records, text_of

_LETTERS: Final = 7
"""So many letters of a token in a row are the token in part."""
_DIGITS: Final = 9
_DEPTH: Final = 3
"""So many encodings are tried one inside the other."""


class How(str, Enum):
    """How a dataset holds a value."""

    READABLE = "readable"
    DECIDED = "decided"
    """A constant stands for it."""
    DIGEST = "digest"
    FACT = "fact"
    """Its length, or a truth value, which may be about anything."""


class Found(NamedTuple):
    """An attribute in a dataset; the path is empty where the file gives none."""

    dataset: str
    path: Steps
    attribute: Attribute
    how: How


class Held(NamedTuple):
    """What the written datasets hold: the tokens, and the paths that have any value."""

    found: set[Found]
    filled: set[tuple[str, Steps]]


Reading = tuple[Attribute, How]


class Tokens:
    """What a company's tokens are found by."""

    def __init__(self, company: Company) -> None:
        self._parts: dict[str, set[Reading]] = defaultdict(set)
        self._whole: dict[str, set[Reading]] = defaultdict(set)
        self._known: dict[str, set[Reading]] = {}
        for token, attributes in company.tokens.items():
            self._add(token, {(each, How.READABLE) for each in attributes})
            self.add_digests(token, attributes)
        for truth in ("true", "false"):
            self._whole[truth].update((each, How.FACT) for known in company.tokens.values() for each in known)
        for code, attributes in company.codes.items():
            self._add(code, {(each, How.DECIDED) for each in attributes})

    def _add(self, token: str, found: set[Reading]) -> None:
        size = _DIGITS if token.isdigit() else _LETTERS
        for word in re.split(r"[^a-z0-9]", token):
            for at in range(len(word) - size + 1):
                self._parts[word[at : at + size]].update(found)

    def add_digests(self, text: str, attributes: Iterable[Attribute]) -> None:
        """Note what the digests of the text are digests of, and what its length is."""
        known = set(attributes)
        for digest in digests(text):
            self._whole[digest].update((each, How.DIGEST) for each in known)
        self._whole[str(len(text))].update((each, How.FACT) for each in known)

    def of(self, value: str) -> set[Reading]:
        """What the value holds."""
        return self.held(value).union(*(self._whole.get(text, ()) for text in readings(value, _DEPTH)))

    def held(self, value: str) -> set[Reading]:
        """What can be read in the value."""
        if value not in self._known:
            self._known[value] = set(self._parts_of(value))
        return self._known[value]

    def _parts_of(self, value: str) -> Iterator[Reading]:
        for text in set(readings(value, _DEPTH)):
            for size in (_LETTERS, _DIGITS):
                for at in range(len(text) - size + 1):
                    yield from self._parts.get(text[at : at + size], ())


def digests(token: str) -> Iterator[str]:
    """The digests of a token by functions that Spark has, and what they are tried out by."""
    content = token.encode("utf-8", "surrogatepass")
    for name in ("md5", "sha1", "sha256", "sha512"):
        yield hashlib.new(name, content).hexdigest()
    yield hashlib.sha256(b"salt" + content).hexdigest()
    yield str(zlib.crc32(content))
    if (sound := soundex(token)) != token:
        yield sound.lower()


def soundex(text: str) -> str:
    """The Soundex of a text, as Spark computes it; the text itself if it does not begin with a letter."""
    letters = text.upper()
    if not "A" <= letters[:1] <= "Z":
        return text
    code, last = letters[0], _SOUNDS.get(letters[0], "")
    for letter in letters[1:]:
        sound = _SOUNDS.get(letter, "")
        if sound.isdigit() and sound != last:
            code += sound
        if letter not in "HW":
            last = sound
    return code[:4].ljust(4, "0")


_SOUNDS: Final = {
    letter: sound
    for sound, letters in {
        "1": "BFPV", "2": "CGJKQSXZ", "3": "DT", "4": "L", "5": "MN", "6": "R"
    }.items()
    for letter in letters
}  # fmt: skip


def search(company: Company, root: Path) -> Held:
    """What the datasets under the folder hold, those that are a source left out."""
    tokens, sources = Tokens(company), {source.name for source in company.sources}
    written = [(each.name, list(values(each))) for each in sorted(root.iterdir()) if each.name not in sources]
    for text in _texts(root, written):
        if found := {attribute for attribute, _ in tokens.held(text)}:
            tokens.add_digests(text, found)
    return Held(
        {
            Found(name, path, *each)
            for name, found in written
            for path, value in found
            for each in tokens.of(value)
        },
        {(name, path) for name, found in written for path, _ in found},
    )


def _texts(root: Path, written: Iterable[tuple[str, Iterable[tuple[Steps, str]]]]) -> set[str]:
    """The texts that a program may have made a digest of: all values, lines of files, and whole files."""
    found = {value for _, each in written for _, value in each}
    for file in _files(root):
        content = file.read_bytes()
        found |= {text_of(content), content.decode("ISO-8859-1"), *_lines(content)}
    return found


def values(dataset: Path) -> Iterator[tuple[Steps, str]]:
    """The values in a dataset's files and in the names of its folders, with their paths."""
    for file in _files(dataset):
        for folder in file.relative_to(dataset).parts[:-1]:
            name, _, value = folder.partition("=")
            yield (name,) if value else (), value or name
        yield from _file_values(file)


def _files(folder: Path) -> list[Path]:
    found = (file for file in folder.rglob("*") if not file.is_dir())
    return sorted(file for file in found if not any(map(_is_hidden, file.relative_to(folder).parts)))


def _is_hidden(name: str) -> bool:
    """Whether the file, or what is in the folder, tells of a table, and is no data."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name == "metadata"


def _file_values(file: Path) -> Iterator[tuple[Steps, str]]:
    content = file.read_bytes()
    if file.suffix in (".parquet", ".orc"):
        yield from _rows(records(content))
    elif file.suffix == ".json":
        yield from _rows(map(json.loads, _lines(content)))
    elif file.suffix == ".csv":
        with file.open(encoding="utf-8", newline="") as lines:
            yield from _rows(csv.DictReader(lines, escapechar="\\", restkey="_more"))
    else:
        for line in _lines(content):
            yield ("value",), line


def _lines(content: bytes) -> list[str]:
    """The lines as Spark's readers find them; other characters that end lines are text."""
    return [line for line in text_of(content).split("\n") if line]


def _rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Steps, str]]:
    for row in rows:
        yield from leaves((), row)
