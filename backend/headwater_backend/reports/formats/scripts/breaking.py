"""Texts in pieces for the PDF: where a long name may be broken, and which parts read from right to left.

A break between pieces leaves no character in the text, so that what is copied or searched is whole. What is written
from right to left is set apart, so that the order of what stands around it does not depend on it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, Final

from headwater_backend.reports.formats.scripts.glyphs import displayable

Pieces = str | list[Any]
"""A text, or its pieces: texts, and mappings of the direction and the pieces of what is set apart."""

_RIGHT: Final = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]"
_OTHER: Final = r"[^\s,;()]"
_NAME: Final = rf"{_OTHER}*{_RIGHT}{_OTHER}*"
_RIGHT_TO_LEFT: Final = re.compile(rf"{_NAME}(?: {_NAME})*")
_LONG: Final = re.compile("[!-~\u00a1-\u024f]{15,}")
"""Long names in Latin letters: other scripts are broken by their own rules, and no mark is parted from its letter."""
_PIECE: Final = re.compile(
    r"(?:[^/._:,;#=@-]{1,24}(?![^/._:,;#=@-])|[^/._:,;#=@-]{12}|[/._:,;#=-]|@[^/._:,;#=@-]{0,24})[/._:,;#=-]*"
)
"""A part of a name with what separates it from the next one; a word is one part, unless it is very long."""


def pieces(text: str, shown: Callable[[str], str] = displayable) -> Pieces:
    """The pieces of a text that the fonts can show."""
    found = list(_parts(shown(text)))
    return found[0] if len(found) == 1 and isinstance(found[0], str) else found


def isolated(text: str) -> list[tuple[str, bool]]:
    """The text in parts, each with whether it has to be set apart because it reads from right to left."""
    found, end = [], 0
    for match in _RIGHT_TO_LEFT.finditer(text):
        found += [(text[end : match.start()], False), (match[0], True)]
        end = match.end()
    return [each for each in (*found, (text[end:], False)) if each[0]] or [("", False)]


def _parts(text: str) -> Iterator[str | dict[str, Any]]:
    for part, apart in isolated(text):
        broken = list(_broken(part))
        if apart:
            yield {"dir": _direction(part), "text": broken}
        else:
            yield from broken


def _direction(text: str) -> str:
    """The direction of the first letter that has one."""
    kinds = (unicodedata.bidirectional(each) for each in text)
    first = next((each for each in kinds if each in ("L", "R", "AL")), "L")
    return "ltr" if first == "L" else "rtl"


def _broken(text: str) -> Iterator[str]:
    """The text in the pieces between which it may be broken, besides at its spaces."""
    whole, end = "", 0
    for match in _LONG.finditer(text):
        first, *others = _PIECE.findall(match[0]) or [match[0]]
        yield whole + text[end : match.start()] + first
        *between, whole = others or [""]
        yield from between
        end = match.end()
    yield whole + text[end:]
