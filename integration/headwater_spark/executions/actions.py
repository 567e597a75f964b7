"""Actions by the names that users know, and what they return to the program."""

from __future__ import annotations

import re
from typing import Final

from headwater_spark.capture.application import snake

_CALLED: Final = re.compile(r"(\w+) at \S+:\d+$")
_METHOD: Final = re.compile(r"\.(\w+)\([^()]*\)$")
_ACTIONS: Final = {
    "collectToPython": "collect",
    "collectAsArrowToPython": "toPandas",
    "toPandas": "toPandas",
    "showString": "show",
    "htmlString": "show",
    "getRowsToPython": "show",
    "tailToPython": "tail",
    "toPythonIterator": "toLocalIterator",
}
"""Spark's internal action names, and the names that users know."""
_COUNTS_OR_PRINTS: Final = {"count", "count_approx", "is_empty", "show"}
CHECKPOINTS: Final = {"checkpoint", "local_checkpoint"}
_STAYS_IN_SPARK: Final = {"cache", "persist", "pivot", *CHECKPOINTS}
_FINDS_AN_ORDER: Final = {"sort_by", "sort_by_key", "zip_with_index"}
SHOWS: Final = {"show", "pivot"}
"""Actions that print values, or make names of columns of them."""
RETURNS_NO_VALUES: Final = frozenset(_COUNTS_OR_PRINTS | _STAYS_IN_SPARK | _FINDS_AN_ORDER)
"""Actions that return no values of datasets to the program."""


def action_of(description: str, api: str) -> str:
    """The action as users know it: ``collect``, ``show``, ``count``."""
    found = _CALLED.match(description) or _METHOD.search(api)
    name = found[1] if found else "read"
    return snake(_ACTIONS.get(name, name))
