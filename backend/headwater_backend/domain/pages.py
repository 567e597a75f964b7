"""Pages of long lists: their size, whether more items follow, and the cursor of their end.

A cursor is opaque text that a client hands back.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from headwater_backend.domain.errors import BadQuestion

T = TypeVar("T")

PAGE = 50
MAX_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a list; ``has_next`` is whether more items follow."""

    items: tuple[T, ...]
    has_next: bool


def size(first: int | None, of: str) -> int:
    """The size of a page; raises ``BadQuestion`` for zero, and for too many at once. ``of`` names the items."""
    wanted = PAGE if first is None else first
    if not 0 < wanted <= MAX_PAGE:
        raise BadQuestion(f"a page of {wanted} {of}", f"first is from 1 to {MAX_PAGE}")
    return wanted


def page(found: Sequence[T], first: int) -> Page[T]:
    """The page out of up to one more than ``first`` items."""
    return Page(tuple(found[:first]), len(found) > first)


def numbered(found: Sequence[T], first: int | None, after: str | None, of: str) -> Page[tuple[str, T]]:
    """A page of a list that is known as a whole, each item with the cursor after it, which is its number."""
    wanted = size(first, of)
    start = read_cursor(after, (int,))[0] if after else 0
    part = enumerate(found[start : start + wanted + 1], start + 1)
    return page([(cursor(number), each) for number, each in part], wanted)


def cursor(*parts: str | int | None) -> str:
    """A cursor that holds these parts."""
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()


def read_cursor(text: str, kinds: Sequence[type]) -> list[Any]:
    """The parts of a cursor that ``cursor`` made, if they are of these kinds; raises ``BadQuestion``."""
    try:
        parts = json.loads(base64.urlsafe_b64decode(text.encode()))
    except (ValueError, RecursionError):
        parts = None
    if not isinstance(parts, list) or len(parts) != len(kinds):
        raise _not_a_cursor(text)
    if not all(type(part) is kind for part, kind in zip(parts, kinds, strict=True)):
        raise _not_a_cursor(text)
    if any(isinstance(part, int) and not 0 <= part < 2**63 for part in parts):
        raise _not_a_cursor(text)
    return parts


def _not_a_cursor(text: str) -> BadQuestion:
    return BadQuestion(f"{text!r} is not a cursor", "take endCursor of the page before")
