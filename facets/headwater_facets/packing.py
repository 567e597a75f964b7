"""Notations of what is packed in a text: what stands in it under which names, and which of it a take may get.

The names of members of JSON and of variants stand in ``packed`` and ``unpacked`` as they are. Those of other notations
begin with a *mark*; what is packed in one notation may be anywhere in another, and so may the same with other options::

    ["_csv ,", "0"]                 the first column of CSV with this separator
    ["_xml", "name", "first"]       an element of XML; small letters, without the root
    ["_text %s,%d", "1"]            the second part of a text that is made of constants and parts
    ["_take 1..1 ,"]                what stands between the first and the second comma of a text
    ["_take -1..-1 ,"]              what stands behind the last one
    ["_take ?mail"]                 what stands under a key in the query of an address
    ["_take ,:mail"]                what stands under a key where the comma parts pairs, and the colon keys and values

A *template* is how a text was made: constants, in which a percent sign is doubled, and parts: ``%s`` may hold any
characters, ``%d`` letters, digits and the minus, ``%t`` those of numbers and times as well, ``%u`` those that are left
as they are in an address, ``%w`` brackets and spaces. A delimiter that a part may hold moves all that follows; so a
take gets each part that may stand at its place, and a template tells which those are without any value.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from math import inf
from typing import Final, NamedTuple, TypeAlias, final

XML: Final = "_xml"
_CSV: Final = "_csv "
_TEXT: Final = "_text "
_TAKE: Final = "_take "
_MARK: Final = re.compile(r"_xml$|_(csv|text|take) ", re.DOTALL)

LEFT_OUT: Final = "…"
"""What stands in a template for letters and digits of a constant; no delimiter has it."""
MOST_CHARACTERS: Final = 200
"""Of a template; a text that is made of more has no names."""

_DELIMITERS: Final = frozenset(string.punctuation + " \t\n")
_LETTERS: Final = frozenset(string.ascii_letters + string.digits + "-")
_HOLDS: Final = {
    "d": _LETTERS,
    "t": _LETTERS | frozenset(" :.+"),
    "u": _LETTERS | frozenset(".*_+%"),
    "w": frozenset(" {}[]"),
}
_TOKEN: Final = re.compile(r"%([sdtuw])|((?:[^%]|%%)+)", re.DOTALL)
_PLACES: Final = re.compile(r"(-?\d+)\.\.(-?\d+) (.+)", re.DOTALL)
_WORD: Final = re.compile(r"[\w-]+", re.ASCII)
_KEPT_WORD: Final = re.compile(r"(?<=[?&])([A-Za-z][\w-]*)(?==)|([^\W_]+)|[^\x09\x0a\x20-\x7e]+")


@final
@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text that is no constant; ``kind`` is a letter of the templates."""

    kind: str = "s"

    def may_hold(self, characters: str) -> bool:
        """Whether one of the characters may be in it."""
        held = _HOLDS.get(self.kind)
        return held is None or not held.isdisjoint(characters)


Token: TypeAlias = str | Part


class Places(NamedTuple):
    """Places of a text between delimiters: from the start, the first is 0; from the end, the last is -1."""

    first: int
    last: int
    delimiter: str


class Keyed(NamedTuple):
    """A key of a query (``marks`` is ``?``), or of pairs: what parts these, and what keys and values."""

    marks: str
    key: str


Take: TypeAlias = Places | Keyed


def csv(separator: str) -> str:
    """The mark of CSV with that separator."""
    return _CSV + separator


def text(tokens: Iterable[Token]) -> str | None:
    """The mark of a text that is made of these; None where it is too long to be stated."""
    written = _written(tokens)
    return written if len(written) <= MOST_CHARACTERS else None


def _written(tokens: Iterable[Token]) -> str:
    parts = (f"%{each.kind}" if isinstance(each, Part) else each.replace("%", "%%") for each in tokens)
    return _TEXT + "".join(parts)


def places(first: int, last: int, delimiter: str) -> str | None:
    """The name of what stands at places between delimiters; None if that is no delimiter whose places are certain."""
    certain = delimiter and _DELIMITERS.issuperset(delimiter) and (first < 0) is (last < 0)
    return f"{_TAKE}{first}..{last} {delimiter}" if certain else None


def keyed(marks: str, key: str) -> str | None:
    """The name of what stands under a key, see ``Keyed``; None for a key or marks of which nothing is certain."""
    certain = marks == "?" or (len(set(marks)) == len(marks) == 2 and _DELIMITERS.issuperset(marks))
    return f"{_TAKE}{marks}{key}" if certain and _WORD.fullmatch(key) else None


def is_mark(name: str) -> bool:
    """Whether the name tells a notation, or what is taken of a text by its characters."""
    return _MARK.match(name) is not None


def is_template(name: str) -> bool:
    """Whether it is the mark of a text that is made of constants and parts."""
    return name.startswith(_TEXT)


def shown(name: str) -> str:
    """The name as it may leave: a template without what its constants say, but for the keys of queries."""
    if not is_template(name):
        return name
    tokens = _tokens(name)
    return _written(each if isinstance(each, Part) else _KEPT_WORD.sub(_left_out, each) for each in tokens)


def _left_out(word: re.Match[str]) -> str:
    return word[1] or LEFT_OUT


def related(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether what is under these names of a text may be the same in part; both lead down from the text."""
    for at, (a, b) in enumerate(zip_longest(one, other)):
        if a is None or b is None:
            return True
        if a != b:
            return _may_meet(one[at:], other[at:])
    return True


def _may_meet(one: Sequence[str], other: Sequence[str]) -> bool:
    a, b = one[0], other[0]
    if not (is_mark(a) or is_mark(b)):
        return False
    for template, part, name in ((a, one[1:], b), (b, other[1:], a)):
        if is_template(template) and part and name.startswith(_TAKE):
            found = taken(template, name)
            return found is None or part[0] in found
    return True


def taken(template: str, name: str) -> frozenset[str] | None:
    """The parts of a text, by their numbers, that a take by that name may get; None where that is not known."""
    take, tokens = _take(name), _tokens(template)
    if take is None:
        return None
    found = _at_places(tokens, take) if isinstance(take, Places) else _under_key(tokens, take)
    return frozenset(map(str, found))


@lru_cache(maxsize=4_096)
def _tokens(template: str) -> tuple[Token, ...]:
    found = _TOKEN.finditer(template.removeprefix(_TEXT))
    return tuple(Part(each[1]) if each[1] else each[2].replace("%%", "%") for each in found)


@lru_cache(maxsize=4_096)
def _take(name: str) -> Take | None:
    written = name.removeprefix(_TAKE)
    if name == written:
        return None
    if found := _PLACES.fullmatch(written):
        return Places(int(found[1]), int(found[2]), found[3])
    at = 1 if written.startswith("?") and _WORD.fullmatch(written[1:]) else 2
    marks, key = written[:at], written[at:]
    return Keyed(marks, key) if keyed(marks, key) else None


def _at_places(tokens: Sequence[Token], take: Places) -> Iterator[int]:
    """The parts whose places may be among those that are taken."""
    first, last = take.first, take.last
    parts = sum(isinstance(each, Part) for each in tokens)
    if first < 0:
        tokens, first, last = tokens[::-1], -1 - last, -1 - first
    before, shifted, number = 0, len(take.delimiter) > 1, -1
    for each in tokens:
        if isinstance(each, str):
            before += each.count(take.delimiter)
            continue
        number += 1
        shifted = shifted or each.may_hold(take.delimiter)
        if before <= last and first <= (inf if shifted else before):
            yield number if take.first >= 0 else parts - 1 - number


class _Pair(NamedTuple):
    """What stands between two marks: the tokens, with the numbers of the parts."""

    tokens: tuple[tuple[Token, int], ...]
    is_certain: bool
    """Whether it begins where the constants say, whatever the parts hold."""

    def key(self, mark: str) -> str | None:
        """The constant key; None where it may be any."""
        first = self.tokens[0][0] if self.tokens else ""
        name, found, _ = first.partition(mark) if isinstance(first, str) else ("", "", "")
        return name if found and _WORD.fullmatch(name) else None

    def may_hold(self, mark: str) -> bool:
        """Whether a part of it may hold the mark."""
        return any(isinstance(each, Part) and each.may_hold(mark) for each, _ in self.tokens)


def _under_key(tokens: Sequence[Token], take: Keyed) -> Iterator[int]:
    """The parts that may stand under the key. Of a query, the first pair with the key counts; of others, any."""
    is_query = take.marks == "?"
    between, within = ("&", "=") if is_query else (take.marks[0], take.marks[1])
    for pair in _pairs(tokens, between, is_query=is_query):
        key = pair.key(within)
        meant = key is not None and key.lower() == take.key.lower()
        if key is None or meant or pair.may_hold(between):
            yield from (number for each, number in pair.tokens if isinstance(each, Part))
        if is_query and pair.is_certain and key == take.key:
            return


def _pairs(tokens: Sequence[Token], between: str, *, is_query: bool) -> Iterator[_Pair]:
    """What stands between the marks that are constants; of an address, what may be part of its query."""
    gathered: list[tuple[Token, int]] = []
    begins, certain = not is_query, True
    for each, number in _numbered(tokens):
        if isinstance(each, Part):
            gathered.append((each, number))
            continue
        rest = each
        while True:
            piece, found, rest = rest.partition(between if begins else "?")
            if piece:
                gathered.append((piece, -1))
            if not found:
                break
            pair = _Pair(tuple(gathered), certain)
            if not begins and pair.may_hold("?"):  # the query may begin earlier, and go on here
                begins, certain = True, False
                continue
            if begins:
                yield pair
            certain = True
            gathered, begins = [], True
    yield _Pair(tuple(gathered), certain)


def _numbered(tokens: Iterable[Token]) -> Iterator[tuple[Token, int]]:
    number = -1
    for each in tokens:
        if isinstance(each, Part):
            number += 1
        yield each, number
