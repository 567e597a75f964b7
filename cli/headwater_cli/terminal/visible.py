"""Texts as a terminal may be given them.

Names, paths and errors come from whoever sends events. A terminal would act on some of their characters: it would
colour, erase or retitle what an operator looks at, and a tab or a line's end would forge a cell or a row. What is not
printed as it is, is shown as an escape here; ``--json`` tells all as it is.
"""

from __future__ import annotations

import re
from typing import Any

_ACTED_ON = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What JSON may hold as it is, and a terminal acts on or hides."""


def visible(text: str) -> str:
    """The text in one line, with escapes (``\\n``, ``\\x1b``, ``\\u202e``) for what would not be seen."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _escaped(each) for each in text)


def visible_lines(text: str) -> str:
    """The same, but lines stay lines."""
    return "\n".join(map(visible, text.split("\n")))


def all_visible(value: Any) -> Any:
    """An answer whose texts all are visible."""
    if isinstance(value, dict):
        return {key: all_visible(each) for key, each in value.items()}
    if isinstance(value, list):
        return [all_visible(each) for each in value]
    return visible(value) if isinstance(value, str) else value


def visible_json(text: str) -> str:
    """The same JSON, with its own escapes for what a terminal acts on."""
    return _ACTED_ON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
