"""The source line of each instruction: the line tables of 3.10, and of 3.11 and later."""

from __future__ import annotations

from headwater_functions.code import Code

MOST_LINES = 1 << 24
_MOST_BITS = 36
"""Of a number in a table."""


def line_of_offsets(code: Code) -> dict[int, int]:
    """Lines by the offset of an instruction; empty where the table cannot be read."""
    try:
        found = _of_310(code) if code.version == "3.10" else _of_311(code)
    except IndexError:
        return {}
    return {offset: line for offset, line in found.items() if 0 < line <= MOST_LINES}


def _of_310(code: Code) -> dict[int, int]:
    found: dict[int, int] = {}
    line, offset = code.first_line, 0
    table = code.lines
    for i in range(0, len(table) - 1, 2):
        length, delta = table[i], table[i + 1]
        known = delta != 128
        line += (delta - 256 if delta > 127 else delta) if known else 0
        for at in range(offset, offset + length, 2):
            if known:
                found[at] = line
        offset += length
    return found


def _of_311(code: Code) -> dict[int, int]:
    found: dict[int, int] = {}
    table, position, offset, line = code.lines, 0, 0, code.first_line

    def number() -> int:
        nonlocal position
        value, shift = 0, 0
        while True:
            byte = table[position]
            position += 1
            value |= (byte & 63) << shift
            shift += 6
            if not byte & 64:
                return value
            if shift > _MOST_BITS:
                raise IndexError

    while position < len(table):
        head = table[position]
        position += 1
        kind, length = (head >> 3) & 15, ((head & 7) + 1) * 2
        if kind in (13, 14):
            delta = number()
            line += -(delta >> 1) if delta & 1 else delta >> 1
            for _ in range(3 if kind == 14 else 0):
                number()
        elif 10 <= kind <= 12:
            line += kind - 10
            position += 2
        elif kind < 10:
            position += 1
        for at in range(offset, offset + length, 2):
            if kind != 15:
                found[at] = line
        offset += length
    return found
