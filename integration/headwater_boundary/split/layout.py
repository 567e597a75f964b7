"""Lays emitted code out: each line is indented by the brackets that are open where it begins."""

from __future__ import annotations

import io
import tokenize

STEP = "    "


def indented(code: str, first: int = 0) -> str:
    """The code, each line indented by its open brackets and ``first`` steps."""
    lines = code.split("\n")
    depths = _depths(code, len(lines))
    return "\n".join(
        STEP * (first + depth) + line if line else "" for depth, line in zip(depths, lines, strict=True)
    )


def _depths(code: str, count: int) -> list[int]:
    depths, depth, seen = [0] * count, 0, 0
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.OP and token.string in ")]}":
            depth -= 1
        for number in range(seen, token.start[0]):
            if number < count:
                depths[number] = depth
        seen = max(seen, token.start[0])
        if token.type == tokenize.OP and token.string in "([{":
            depth += 1
    return depths
