"""Flows between countries as a picture: a band for each, as high as it has paths, from the left to the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from headwater_backend.reports.document.model import Flow, Flows
from headwater_backend.reports.formats.drawings.lineage import white_sheet, xml_text
from headwater_backend.reports.languages.catalogue import Words

WIDTH: Final = 660
_LEFT, _RIGHT, _BAR = 180, 480, 8
_LETTERS = 23
"""As many are as wide as the space beside the bands."""
_LEAST, _MOST, _SPACE = 20, 60, 14
_COLOURS: Final = {
    "VIOLATION": ("#fdeaea", "#a61b1b"),
    "UNKNOWN": ("#fff1da", "#8a4b00"),
    "SAFEGUARDED": ("#e4f0fb", "#0b5fa5"),
    "ALLOWED": ("#cdeed6", "#1a6b2f"),
}
_VERDICTS: Final = list(_COLOURS)

Tops = dict[Flow, float]
"""Where each flow begins on a side."""


class _Place(NamedTuple):
    """Countries on a side, from a height on."""

    countries: tuple[str, ...]
    top: float
    height: float


def draw_flows(words: Words, block: Flows, *, title: str = "") -> str:
    """The picture as an SVG element; with a ``title``, it has that as its text for readers of screens."""
    flows = sorted(
        block.flows, key=lambda each: (_last(each.origin), _last((each.to,)), _VERDICTS.index(each.verdict))
    )
    heights = _heights(flows)
    left, origins, on_left = _side(flows, heights, lambda each: each.origin)
    right, ends, on_right = _side(flows, heights, lambda each: (each.to,) if each.to else ())
    height = max(on_left, on_right) + 2
    parts = [white_sheet(WIDTH, f"{height:.0f}", 13, title)]
    parts += (_band(each, left[each], right[each], heights[each]) for each in flows)
    parts += (_count(words, each, left[each] + heights[each] / 2) for each in flows)
    parts += (_name(words, each, _LEFT - _BAR, "end") for each in origins)
    parts += (_name(words, each, _RIGHT, "start") for each in ends)
    return "".join(parts) + "</svg>"


def flows_text(words: Words, block: Flows) -> str:
    """The same in words."""
    return "; ".join(
        f"{_countries(words, each.origin)} → {_countries(words, (each.to,))}: "
        f"{each.count:,} {words.of('crossings', each.verdict)}"
        for each in block.flows
    )


def _heights(flows: Sequence[Flow]) -> dict[Flow, float]:
    most = max((each.count for each in flows), default=1)
    return {each: _LEAST + (_MOST - _LEAST) * each.count / most for each in flows}


def _side(
    flows: Sequence[Flow], heights: dict[Flow, float], of: Callable[[Flow], tuple[str, ...]]
) -> tuple[Tops, list[_Place], float]:
    """Where each flow begins on a side, the countries there with their places and heights, and how high it is."""
    tops: Tops = {}
    places = []
    top = 1.0
    for countries in sorted({of(each) for each in flows}, key=_last):
        first = top
        for each in flows:
            if of(each) == countries:
                tops[each] = top
                top += heights[each]
        places.append(_Place(countries, first, top - first))
        top += _SPACE
    return tops, places, max(top - _SPACE, 0)


def _last(countries: tuple[str, ...]) -> tuple[bool, tuple[str, ...]]:
    """What is not stated comes last."""
    return not any(countries), countries


def _band(flow: Flow, left: float, right: float, height: float) -> str:
    fill, stroke = _COLOURS[flow.verdict]
    middle = (_LEFT + _RIGHT) / 2
    course = (
        f"M{_LEFT} {left:.1f}C{middle} {left:.1f} {middle} {right:.1f} {_RIGHT} {right:.1f}v{height:.1f}"
        f"C{middle} {right + height:.1f} {middle} {left + height:.1f} {_LEFT} {left + height:.1f}Z"
    )
    return f'<path d="{course}" fill="{fill}" stroke="{stroke}"/>'


def _count(words: Words, flow: Flow, middle: float) -> str:
    """How many there are, where the band begins: further on, others cross it."""
    text = f"{flow.count:,} {words.of('crossings', flow.verdict)}"
    return (
        f'<text x="{_LEFT + 8}" y="{middle + 4:.1f}" fill="#1b2430" stroke="#ffffff" stroke-width="3"'
        f' paint-order="stroke">{xml_text(text)}</text>'
    )


def _name(words: Words, place: _Place, x: float, anchor: str) -> str:
    text = x - 6 if anchor == "end" else x + _BAR + 6
    return (
        f'<rect x="{x}" y="{place.top:.1f}" width="{_BAR}" height="{place.height:.1f}" fill="#55606e"/>'
        f'<text x="{text}" y="{place.top + place.height / 2 + 4:.1f}" text-anchor="{anchor}" fill="#1b2430">'
        f"{xml_text(_short(words, place.countries))}</text>"
    )


def _countries(words: Words, countries: Sequence[str]) -> str:
    return words.countries(filter(None, countries)) or words("page.not_provided")


def _short(words: Words, countries: Sequence[str]) -> str:
    """Their names, or where these are too long for the picture, their codes."""
    named = _countries(words, countries)
    return named if len(named) <= _LETTERS else ", ".join(filter(None, countries)) or named
