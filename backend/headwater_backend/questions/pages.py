"""Pages of long lists: how long one may be, and whether there is more behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from headwater_backend.errors import BadQuestion

T = TypeVar("T")

PAGE = 50
MAX_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a list; ``has_next`` is whether there is more of it."""

    items: tuple[T, ...]
    has_next: bool


def size(first: int | None, of: str) -> int:
    """How many to look up; raises ``BadQuestion`` for none, and for too many at once. ``of`` says what they are."""
    wanted = PAGE if first is None else first
    if not 0 < wanted <= MAX_PAGE:
        raise BadQuestion(f"a page of {wanted} {of}", f"first is from 1 to {MAX_PAGE}")
    return wanted


def page(found: Sequence[T], first: int) -> Page[T]:
    """The page out of what was looked up: up to one more than ``first``."""
    return Page(tuple(found[:first]), len(found) > first)
