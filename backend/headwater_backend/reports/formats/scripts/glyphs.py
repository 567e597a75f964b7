"""The characters that the fonts of PDFs have, and what is shown in place of others.

A PDF for archives has a glyph for every character, or is none. Names come from senders of events, so any character may
be in one: what no font has, and what is not seen, is shown by its escape, such as ``\\ue000``. The fonts are those of
packages alone, so that the same report has the same bytes on every machine.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from headwater_backend.reports.formats.packages import require

_PACKAGES: Final = ("manimgx_fonts", "manimgx_fonts_cjk")
_PLAIN: Final = re.compile("[ -~\u00a1-\u00ac\u00ae-\u017f–—‘’“”…→•]*")
"""Texts of characters that the first font certainly has."""
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS: Final = "\u200c\u200d"
_FILLERS: Final = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
"""Letters and marks that are not seen."""


def displayable(text: str) -> str:
    """The text with escapes for what no font has, and for what is not seen."""
    return text if _PLAIN.fullmatch(text) else "".join(map(_shown, _clusters(text)))


def escaped(text: str) -> str:
    """The text with escapes for all that is not plain: for texts that could not be set otherwise."""
    return "".join(each if _PLAIN.fullmatch(each) else _escape(each) for each in text)


def simple(text: str) -> str:
    """The text with escapes for what has to be shaped or reordered: for pictures, which do neither."""
    return "".join(each if _is_simple(each) else _escape(each) for each in text)


def _is_simple(character: str) -> bool:
    """Whether it is a letter of Latin, Greek or Cyrillic, or one of the wide ones of the Far East that a font has."""
    if _PLAIN.fullmatch(character):
        return True
    letter = unicodedata.category(character).startswith("L")
    known = ord(character) < 0x530 or unicodedata.east_asian_width(character) == "W"
    return letter and known and displayable(character) == character


def font_folders() -> tuple[Path, ...]:
    """The folders of the fonts. Raises ``ReportsMissing`` where they are not installed."""
    return tuple(Path(str(require(name, "PDF").__file__)).parent for name in _PACKAGES)


def _clusters(text: str) -> Iterator[str]:
    """Each character with the marks on it, which have to be of the same font."""
    cluster = ""
    for each in text:
        if cluster and not (_is_mark(each) or each in _JOINERS or cluster[-1] == "\u200d"):
            yield cluster
            cluster = ""
        cluster += each
    if cluster:
        yield cluster


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M") and character not in _FILLERS


def _shown(cluster: str) -> str:
    """The cluster, if it is seen and one font has all of it, or else the escapes of its characters."""
    if any(_is_unseen(each) for each in cluster):
        return "".join(_escape(each) if _is_unseen(each) else displayable(each) for each in cluster)
    needed = {ord(each) for each in cluster} - {ord(each) for each in _JOINERS}
    if any(needed <= font for font in _fonts()):
        return cluster
    return "".join(map(_escape, cluster)) if len(cluster) > 1 else _escape(cluster)


def _is_unseen(character: str) -> bool:
    return (unicodedata.category(character) in _UNSEEN or character in _FILLERS) and character not in _JOINERS


def _escape(text: str) -> str:
    return text.encode("unicode_escape").decode("ascii")


@cache
def _fonts() -> tuple[frozenset[int], ...]:
    """The code points of each font."""
    font_tools = require("fontTools.ttLib", "PDF")
    files = sorted(file for folder in font_folders() for file in folder.glob("*.[ot]t[fc]"))
    return tuple(_code_points(font_tools, file) for file in files)


def _code_points(font_tools: object, file: Path) -> frozenset[int]:
    with font_tools.TTFont(file, fontNumber=0, lazy=True) as font:  # type: ignore[attr-defined]
        return frozenset(font.getBestCmap())
