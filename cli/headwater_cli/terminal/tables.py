"""Tables that fit the width of a terminal and never break ids and times.

A column is as wide as its cells if there is enough room. Otherwise names are broken after ``/``, ``.``, ``_`` or
a space; an id or a time is never broken. A table that still does not fit is printed as a block of lines for each row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import click

from headwater_cli.terminal.escaping import visible_lines

GAP: Final = 2
NARROW: Final = 14
"""A column with longer cells is never narrower than this."""
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?(?:\+00:00|Z)")
_WHOLE: Final = re.compile(
    r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"  # a run's id
    r"|\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?Z?"
    r"|\b[0-9a-f]{12,64}\b"  # a key or a hash
    r"|[-+]?\d[\d,.]*"
)
_PART: Final = re.compile(rf"(?:{_WHOLE.pattern})|[^\s/._,:;#-]*[/._,:;#-]+|\s+|[^\s/._,:;#-]+")


def table_lines(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return the lines of a table for a terminal of that width."""
    cells = [[_display_text(cell) for cell in row] for row in rows]
    widths = _widths(headings, cells, width)
    if widths is None:
        return list(_blocks(headings, cells, width))
    head = [click.style(line, bold=True) for line in _row_lines(headings, widths)]
    return [*head, *(line for row in cells for line in _row_lines(row, widths))]


def print_lines(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> None:
    """Print the lines of ``table_lines``."""
    for line in table_lines(headings, rows, width):
        click.echo(line)


def wrap_text(text: str, width: int) -> list[str]:
    """Wrap the text to lines of at most that width; only unbreakable parts may be wider."""
    lines = [""]
    for part in (piece for line in text.split("\n") for piece in _split(line, width)):
        if lines[-1] and cell_len(lines[-1]) + cell_len(part.rstrip()) > width:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += part if lines[-1] else part.lstrip()
    return lines


def cell_len(text: str) -> int:
    """Return the number of terminal columns that the text takes."""
    if text.isascii():
        return len(text)
    from rich import cells

    return cells.cell_len(text)


def _display_text(cell: str) -> str:
    """Return the cell as displayed: timestamps without fractions of seconds."""
    return _MOMENT.sub(r"\1 \2Z", visible_lines(cell))


def _split(text: str, width: int) -> Iterator[str]:
    for found in _PART.finditer(text):
        part = found[0]
        if _WHOLE.fullmatch(part.strip()):
            yield part
        else:
            yield from (part[at : at + width] for at in range(0, len(part), width))


def _widths(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """Return the width of each column, or None if even the narrowest columns do not fit."""
    columns = [[heading, *(row[at] for row in rows)] for at, heading in enumerate(headings)]
    natural = [max(map(_longest_line, column)) for column in columns]
    whole = [max(map(_longest_whole, column)) for column in columns]
    least = [max(min(full, NARROW), longest) for full, longest in zip(natural, whole, strict=True)]
    room = width - GAP * (len(headings) - 1)
    if sum(natural) <= room:
        return natural
    if sum(least) > room:
        return None
    return _distribute(natural, least, room)


def _distribute(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Start from the least widths and distribute the remaining room evenly among columns that need more."""
    widths, left = list(least), room - sum(least)
    while left:
        wanting = [at for at, full in enumerate(natural) if widths[at] < full]
        for at in wanting[:left]:
            widths[at] += 1
        left -= len(wanting[:left])
    return widths


def _longest_line(text: str) -> int:
    return max(map(cell_len, text.split("\n")))


def _longest_whole(text: str) -> int:
    return max((cell_len(found[0]) for found in _WHOLE.finditer(text)), default=0)


def _row_lines(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    columns = [wrap_text(cell, width) for cell, width in zip(cells, widths, strict=True)]
    height = max(map(len, columns))
    lines = ([*column, *[""] * (height - len(column))] for column in columns)
    return [_join_cells(line, widths) for line in zip(*lines, strict=True)]


def _join_cells(parts: Sequence[str], widths: Sequence[int]) -> str:
    padded = (part + " " * (width + GAP - cell_len(part)) for part, width in zip(parts, widths, strict=True))
    return "".join(padded).rstrip()


def _blocks(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield a block of lines for each row: heading and cell, for each cell that is not empty."""
    indent = max(map(len, headings)) + GAP
    for number, row in enumerate(rows):
        if number:
            yield ""
        for heading, cell in zip(headings, row, strict=True):
            if cell:
                first, *others = wrap_text(cell, max(width - indent, NARROW))
                yield click.style(f"{heading:<{indent}}", bold=True) + first
                yield from (f"{'':<{indent}}{line}" for line in others)
