"""What a job computes inside and outside a boundary as a picture: a lane for each side, and between them what crosses.

Each box stands below those that it is made of. Long names are cut; the table beside a picture has them in full.
"""

from __future__ import annotations

from typing import Final

from headwater_backend.reports.document.model import Computed, Sides
from headwater_backend.reports.formats.delimited import seen
from headwater_backend.reports.formats.drawings.lineage import white_sheet, xml_text
from headwater_backend.reports.languages.catalogue import Words

WIDTH: Final = 700
LANES: Final = ("inside", "boundary", "outside")
_LANES: Final = {"inside": (0, 240), "boundary": (254, 192), "outside": (460, 240)}
"""Where a lane begins, and how wide it is."""
_COLOURS: Final = {
    "inside": ("#fff1da", "#8a4b00"),
    "boundary": ("#fdeaea", "#a61b1b"),
    "outside": ("#e4f0fb", "#0b5fa5"),
    "anywhere": ("#ffffff", "#55606e"),
}
_TOP, _ROW, _BOX, _EDGE = 34, 42, 28, 22
_WIDE: Final = 7.6
"""How wide a letter is."""


def draw_sides(words: Words, block: Sides, *, title: str = "") -> str:
    """The picture as an SVG element; with a ``title``, it has that as its text for readers of screens."""
    tops = {each.key: _TOP + number * _ROW for number, each in enumerate(block.computed)}
    height = _height(block)
    by_key = {each.key: each for each in block.computed}
    parts = [white_sheet(WIDTH, str(height), 12, title)]
    parts += (_lane(words, lane, height) for lane in LANES)
    parts += (
        _line(by_key[source], tops[source], each, tops[each.key])
        for each in block.computed
        for source in each.inputs
    )
    parts += (_box(each, tops[each.key]) for each in block.computed)
    return "".join(parts) + "</svg>"


def is_tall(block: Sides) -> bool:
    """Whether the picture, as wide as a page's text, is higher than a page."""
    return _height(block) > 1.6 * WIDTH


def sides_text(words: Words, block: Sides) -> str:
    """The same in words."""
    return "; ".join(f"{words.of('sides', each.side)}: {each.label}" for each in block.computed)


def _height(block: Sides) -> int:
    return _TOP + len(block.computed) * _ROW + 2


def _lane_of(side: str) -> str:
    """What is the same everywhere stands with what is computed outside."""
    return "outside" if side == "anywhere" else side


def _lane(words: Words, lane: str, height: int) -> str:
    left, width = _LANES[lane]
    fill, colour = _COLOURS[lane]
    return (
        f'<rect x="{left}" y="0" width="{width}" height="{height}" fill="{fill}" fill-opacity="0.45"/>'
        f'<text x="{left + width / 2}" y="19" text-anchor="middle" font-weight="bold" fill="{colour}">'
        f"{xml_text(words.of('sides', lane))}</text>"
    )


def _box(each: Computed, top: int) -> str:
    left, width = _LANES[_lane_of(each.side)]
    fill, stroke = _COLOURS[each.side]
    dashes = ' stroke-dasharray="4 3"' if each.side == "anywhere" else ""
    return (
        f'<g class="{each.side}"><rect x="{left + _EDGE}" y="{top}" width="{width - 2 * _EDGE}" height="{_BOX}" rx="5"'
        f' fill="{fill}" stroke="{stroke}"{dashes}/><text x="{left + width / 2}" y="{top + 18}"'
        f' text-anchor="middle" fill="#1b2430">{_cut(each.label, int((width - 2 * _EDGE) / _WIDE))}</text></g>'
    )


def _line(source: Computed, source_top: int, target: Computed, target_top: int) -> str:
    """From box to box: below each other, past those between, or from lane to lane."""
    (left, width), (to_left, to_width) = _LANES[_lane_of(source.side)], _LANES[_lane_of(target.side)]
    start, end = source_top + _BOX / 2, target_top + _BOX / 2
    if left == to_left and target_top - source_top == _ROW:
        x = left + width / 2
        course, head = f"M{x} {source_top + _BOX}V{target_top - 5}", f"M{x - 4} {target_top - 7}h8l-4 7z"
    elif left == to_left:
        x, out = left + _EDGE, left + 4
        course = f"M{x} {start}C{out} {start} {out} {end} {x - 6} {end}"
        head = f"M{x - 7} {end - 4}v8l7 -4z"
    else:
        forward = to_left > left
        x = left + width - _EDGE if forward else left + _EDGE
        to = to_left + _EDGE if forward else to_left + to_width - _EDGE
        back = 6 if forward else -6
        middle = (x + to) / 2
        course = f"M{x} {start}C{middle} {start} {middle} {end} {to - back} {end}"
        head = f"M{to - back} {end - 4}v8l{back} -4z"
    return f'<path class="line" d="{course}" fill="none" stroke="#55606e"/><path d="{head}" fill="#55606e"/>'


def _cut(text: str, longest: int) -> str:
    text = seen(text)
    return xml_text(text if len(text) <= longest else f"{text[: longest - 1]}…")
