"""The explorer's colours: text on the marks of personal data can be read, in light and dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SHEET = Path(__file__).parents[3] / "graphql" / "explorer" / "src" / "styles" / "colours.css"
LEAST = 4.5
"""The least contrast of text in WCAG 2.2, 1.4.3."""


def luminance(colour: str) -> float:
    """The relative luminance of a colour such as ``#f9d0d0``."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    less, more = sorted((luminance(one), luminance(other)))
    return (more + 0.05) / (less + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_every_text_on_the_mark_of_a_form_can_be_read(theme: int) -> None:
    sheet = SHEET.read_text().split(':root[data-theme="dark"]')[theme]
    colours = dict(re.findall(r"--([\w-]+): (#\w{6})", sheet))
    grounds = [name for name in colours if name.startswith("form-") and name != "form-quiet"]
    assert len(grounds) == 8
    ratios = {
        (text, ground): contrast(colours[text], colours[ground])
        for text in ("text", "form-quiet")
        for ground in grounds
    }
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < LEAST} == {}
