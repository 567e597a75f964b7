"""Code objects of Python."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType


def with_inner(code: CodeType) -> Iterator[CodeType]:
    """A code, and all that of the functions, classes and comprehensions within it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from with_inner(each)
