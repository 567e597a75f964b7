"""Patterns of names, which match in time proportional to the text, whatever the pattern is.

Callers give patterns, and senders of events give the names: with Python's own expressions, ten ``*`` in a pattern
and a long name together would take practically for ever. So all are compiled by RE2.

In names of datasets, ``*`` stands for any text and ``?`` for any one character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey

MAX_MEMORY: Final = 1 << 20
"""Bytes for a compiled expression."""
_NAME_WILDCARDS = {"**": ".*", "*": ".*", "?": "."}


class Pattern(Protocol):
    """A compiled pattern that matches whole texts."""

    def fullmatch(self, text: str, /) -> object | None: ...


class DatasetPattern(NamedTuple):
    """A pattern for the namespace and the name of datasets; None matches any."""

    namespace: str | None = None
    name: str | None = None


def any_names(patterns: Iterable[DatasetPattern], key: DatasetKey) -> bool:
    """Whether one of the patterns matches the dataset."""
    return any(_fits(each.namespace, key.namespace) and _fits(each.name, key.name) for each in patterns)


def name_pattern(text: str) -> Pattern:
    """The pattern for names of datasets that the text stands for."""
    return wildcards(text, r"\*\*|\*|\?", tuple(_NAME_WILDCARDS.items()))


@lru_cache(maxsize=1_024)
def wildcards(text: str, wildcard: str, meanings: tuple[tuple[str, str], ...]) -> Pattern:
    """The pattern of a text in which the wildcards have these meanings. Raises ``BadQuestion``."""
    parts, known = re.split(f"({wildcard})", text), dict(meanings)
    try:
        found: Pattern = expression(
            "".join(known.get(part) or re.escape(part) for part in parts), any_line=True
        )
    except ValueError as error:
        raise BadQuestion(f"the pattern {text[:80]!r} cannot be used: {error}") from None
    return found


def expression(regex: str, *, any_line: bool = False) -> Any:
    """The expression as RE2 compiles it; with ``any_line``, a dot stands for a line's end, too. Raises ``ValueError``.

    Few commands need RE2, so it is imported here.
    """
    import re2  # noqa: PLC0415 - takes longer than what most commands do with names

    options = re2.Options()
    options.max_mem = MAX_MEMORY
    options.log_errors = False
    options.dot_nl = any_line
    try:
        return re2.compile(regex, options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        raise ValueError(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason) from None


def _fits(pattern: str | None, text: str) -> bool:
    return pattern is None or name_pattern(pattern).fullmatch(text) is not None
