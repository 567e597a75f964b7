"""Tables that leave as CSV: one writer for all, safe for the programs that read them.

Names come from senders of events. A line break in one would begin a row for programs that split lines first, a first
character could make a formula, and an invisible one another order of what is read. So each of them is shown by its
escape, a formula is quoted, and lines end as RFC 4180 says it, so that ``csv`` quotes both characters of an end.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import IO, Final

from headwater_backend.reports.formats.texts import safe_cell

_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
"""Characters that direct a terminal or the order of the text, and are not seen themselves."""
_BREAK: Final = re.compile("[\t\r\n]")


def write_rows(to: IO[str], rows: Iterable[Iterable[str]]) -> None:
    """Write rows of cells; ``to`` translates no ends of lines."""
    csv.writer(to, lineterminator="\r\n").writerows([_cell(each) for each in row] for row in rows)


def seen(text: str) -> str:
    """The text with escapes for what directs a terminal or the order of the text; line breaks stay."""
    return _UNSEEN.sub(_escaped, text)


def _cell(text: str) -> str:
    return _BREAK.sub(_escaped, seen(safe_cell(text)))


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
