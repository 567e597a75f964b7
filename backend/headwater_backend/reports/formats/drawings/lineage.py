"""The lineage of a finding as a picture: an SVG of the places and the jobs between them, from top to bottom.

The picture has no fonts, styles or links of its own. Long names are cut in the middle; the text beside a picture has
them in full.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from headwater_backend.reports.document.model import Finding, Place, Step
from headwater_backend.reports.formats.delimited import seen
from headwater_backend.reports.formats.texts import place_text
from headwater_backend.reports.languages.catalogue import Words

WIDTH = 340
_BOX, _GAP = 44, 46
_LONGEST = 44
_MOST = 7
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def draw(words: Words, finding: Finding, *, title: str = "") -> str:
    """The picture as an SVG element; with a ``title``, it has that as its text for readers of screens."""
    steps = _shown(words, finding.steps)
    places = [steps[0].source, *(step.target for step in steps)] if steps else []
    height = len(places) * _BOX + len(steps) * _GAP + 2
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"']
    parts.append(
        f' width="{WIDTH}" height="{height}" font-family="DejaVu Sans Mono, monospace" font-size="12"'
    )
    parts.append(f' role="img"><title>{xml_text(title)}</title>' if title else ">")
    for number, place in enumerate(places):
        top = 1 + number * (_BOX + _GAP)
        parts.append(_box(words, place, top, last=number == len(places) - 1))
        if number < len(steps):
            parts.append(_arrow(steps[number], top + _BOX))
    return "".join(parts) + "</svg>"


def _shown(words: Words, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps to draw: of a long way the first and the last, with one in place of those between."""
    if len(steps) <= _MOST:
        return steps
    half = _MOST // 2
    between = steps[half:-half]
    more = words("page.more_steps", count=len(between))
    return (*steps[:half], Step(between[0].source, between[-1].target, "", "…", more), *steps[-half:])


def _box(words: Words, place: Place, top: int, *, last: bool) -> str:
    kind = "end" if last else "place"
    return (
        f'<g class="{kind}"><rect x="1" y="{top}" width="{WIDTH - 2}" height="{_BOX}" rx="5" fill="#f4f6f9"'
        f' stroke="#55606e" stroke-width="{2 if last else 1}"/>'
        f'<text x="12" y="{top + 18}" fill="#1b2430">{_cut(place_text(words, place))}</text>'
        f'<text x="12" y="{top + 35}" fill="#55606e">{_cut(place.name)}</text></g>'
    )


def _arrow(step: Step, top: int) -> str:
    return (
        f'<g class="step"><path d="M20 {top}v{_GAP - 6}" stroke="#0b57a4" stroke-width="2" fill="none"/>'
        f'<path d="M14 {top + _GAP - 8}h12l-6 8z" fill="#0b57a4"/>'
        f'<text x="36" y="{top + 19}" fill="#0b57a4">{_cut(step.job, _LONGEST - 3)}</text>'
        f'<text x="36" y="{top + 36}" fill="#55606e">{_cut(step.how, _LONGEST - 3)}</text></g>'
    )


def _cut(text: str, longest: int = _LONGEST) -> str:
    text = seen(text)
    if len(text) > longest:
        half = (longest - 1) // 2
        text = f"{text[:half]}…{text[-half:]}"
    return xml_text(text)


def white_sheet(width: int, height: str, size: int, title: str) -> str:
    """The beginning of a picture on white, with letters of that size; a title is its text for readers of screens."""
    named = f' role="img"><title>{xml_text(title)}</title>' if title else ">"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" font-family="DejaVu Sans, sans-serif" font-size="{size}"{named}'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    )


def xml_text(text: str) -> str:
    """The text in an SVG: characters that are not seen, and those that direct the order of others, by escapes."""
    return escape(printable(seen(text)))


def printable(text: str) -> str:
    """The text with a sign in place of each character that XML and PDF do not have."""
    return _UNPRINTABLE.sub("\ufffd", text)
