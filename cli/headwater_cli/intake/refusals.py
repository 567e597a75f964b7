"""Summary of refused lines by reason: in a large file, most have the same few errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

FIRST: Final = 3
"""Number of examples for each reason."""
LISTED: Final = 1_000
"""Maximum number of refused lines to list individually."""
REASONS: Final = 1_000
"""Maximum number of distinct reasons."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that was not stored, and the JSON pointer to the error in it."""

    file: str
    line: int
    code: str
    pointer: str
    detail: str
    hint: str | None

    def __str__(self) -> str:
        at = f" at {self.pointer}" if self.pointer else ""
        return f"{self.file}:{self.line}: {self.detail}{at} [{self.code}]"


@dataclass(slots=True)
class Refusals:
    """Count of refused lines, with reasons and examples."""

    count: int = 0
    listed: list[Refused] = field(default_factory=list)
    _reasons: dict[tuple[str, str], list[Any]] = field(default_factory=dict)

    def add(self, refused: Refused) -> None:
        """Add a refused line."""
        self.count += 1
        if len(self.listed) < LISTED:
            self.listed.append(refused)
        reason = (refused.code, _anywhere(refused.pointer))
        if reason not in self._reasons and len(self._reasons) >= REASONS:
            reason = ("OTHER", "")
        counted = self._reasons.setdefault(reason, [0, []])
        counted[0] += 1
        if len(counted[1]) < FIRST:
            counted[1].append(refused)

    def lines(self) -> Iterator[str]:
        """Yield a text summary: examples and count for each reason, the most frequent first."""
        for (code, pointer), (count, first) in self._most_frequent():
            yield from map(str, first)
            if count > len(first):
                at = f" at {pointer}" if pointer else ""
                yield f"  and {count - len(first):,} more lines{at} [{code}]"
            yield from (f"  hint: {hint}" for hint in dict.fromkeys(each.hint for each in first) if hint)

    def reasons(self) -> list[dict[str, Any]]:
        """Return a JSON summary: each reason with its count and examples."""
        return [
            {
                "code": code,
                "pointer": pointer,
                "count": count,
                "first": [{"file": each.file, "line": each.line, "detail": each.detail} for each in first],
            }
            for (code, pointer), (count, first) in self._most_frequent()
        ]

    def _most_frequent(self) -> list[tuple[tuple[str, str], list[Any]]]:
        return sorted(self._reasons.items(), key=lambda reason: -reason[1][0])


def _anywhere(pointer: str) -> str:
    """Return the pointer with each list index replaced by ``*``."""
    return re.sub(r"/\d+(?=/|$)", "/*", pointer)
