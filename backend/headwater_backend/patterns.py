"""Names with wildcards: in names of datasets, ``*`` stands for any text and ``?`` for any one character."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from headwater_backend.model import DatasetKey

_NAME_WILDCARDS = {"**": ".*", "*": ".*", "?": "."}


class DatasetPattern(NamedTuple):
    """The datasets whose namespace and name fit; None fits any."""

    namespace: str | None = None
    name: str | None = None


def any_names(patterns: Iterable[DatasetPattern], key: DatasetKey) -> bool:
    """Whether one of the patterns fits the dataset."""
    return any(_fits(each.namespace, key.namespace) and _fits(each.name, key.name) for each in patterns)


@lru_cache(maxsize=1_024)
def name_pattern(text: str) -> re.Pattern[str]:
    """What matches all of a name that fits the text."""
    return compiled(text, r"\*\*|\*|\?", _NAME_WILDCARDS)


def compiled(text: str, wildcard: str, meanings: dict[str, str]) -> re.Pattern[str]:
    """The text with what each wildcard means, and everything else as it is."""
    parts = re.split(f"({wildcard})", text)
    return re.compile("".join(meanings.get(part) or re.escape(part) for part in parts), re.DOTALL)


def _fits(pattern: str | None, text: str) -> bool:
    return pattern is None or name_pattern(pattern).fullmatch(text) is not None
