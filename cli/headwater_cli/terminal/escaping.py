"""Escaping of text that is printed to a terminal.

Names, paths and errors come from event producers. A terminal would interpret some of their characters: escape
sequences could colour, erase or retitle the operator's screen, and a tab or newline would forge a cell or a row.
Characters that are not printable are replaced by escapes; ``--json`` prints all values unchanged.
"""

from __future__ import annotations

import re
from typing import Any

_ACTED_ON = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""Characters that JSON may contain unescaped, and a terminal interprets or hides."""


def visible(text: str) -> str:
    """Return the text in one line, with escapes (``\\n``, ``\\x1b``, ``\\u202e``) for characters not printable."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _escaped(each) for each in text)


def visible_lines(text: str) -> str:
    """Escape the text like ``visible``, but keep newlines."""
    return "\n".join(map(visible, text.split("\n")))


def all_visible(value: Any) -> Any:
    """Return a copy of a JSON value in which all strings are escaped."""
    if isinstance(value, dict):
        return {key: all_visible(each) for key, each in value.items()}
    if isinstance(value, list):
        return [all_visible(each) for each in value]
    return visible(value) if isinstance(value, str) else value


def visible_json(text: str) -> str:
    """Return equivalent JSON text in which characters that a terminal interprets are escaped."""
    return _ACTED_ON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
