"""Patterns of names, which match in time proportional to the text, whatever the pattern is.

Callers give patterns, and senders of events give the names: with Python's own expressions, ten ``*`` in a pattern
and a long name together would take practically for ever. So all are compiled by RE2.

In names of datasets, ``*`` stands for any text and ``?`` for any one character. Letter case counts in names of files,
objects and topics; elsewhere, a name is one of a catalog's or database's table, which engines find whatever its case.
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
_CASE_COUNTS: Final = re.compile(
    r"(file|s3[an]?|gs|hdfs|webhdfs|viewfs|maprfs|abfss?|wasbs?|adl|dbfs|oss|obs|cosn?|swift|oci|s?ftp|kafka|kinesis"
    r"|pulsar|pubsub|rabbitmq)(:|$)",
    re.IGNORECASE,
)
"""The namespaces of stores in which names that differ in case are different ones."""
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
    any_case = not case_counts(key.namespace)
    return any(
        _fits(each.namespace, key.namespace, any_case=any_case)
        and _fits(each.name, key.name, any_case=any_case)
        for each in patterns
    )


@lru_cache(maxsize=1_024)
def case_counts(namespace: str) -> bool:
    """Whether two names of this namespace that differ in letter case alone are of different datasets."""
    return _CASE_COUNTS.match(namespace) is not None


def name_pattern(text: str, *, any_case: bool = False) -> Pattern:
    """The pattern for names of datasets that the text stands for."""
    return wildcards(text, r"\*\*|\*|\?", tuple(_NAME_WILDCARDS.items()), any_case=any_case)


@lru_cache(maxsize=2_048)
def wildcards(
    text: str, wildcard: str, meanings: tuple[tuple[str, str], ...], *, any_case: bool = False
) -> Pattern:
    """The pattern of a text in which the wildcards have these meanings. Raises ``BadQuestion``."""
    parts, known = re.split(f"({wildcard})", text), dict(meanings)
    try:
        found: Pattern = expression(
            "".join(known.get(part) or re.escape(part) for part in parts), any_line=True, any_case=any_case
        )
    except ValueError as error:
        raise BadQuestion(f"the pattern {text[:80]!r} cannot be used: {error}") from None
    return found


def expression(regex: str, *, any_line: bool = False, any_case: bool = False) -> Any:
    """The expression as RE2 compiles it. Raises ``ValueError``.

    With ``any_line``, a dot stands for a line's end, too; with ``any_case``, letters stand for both cases. Few commands
    need RE2, so it is imported here.
    """
    import re2  # noqa: PLC0415 - takes longer than what most commands do with names

    options = re2.Options()
    options.max_mem = MAX_MEMORY
    options.log_errors = False
    options.dot_nl = any_line
    options.case_sensitive = not any_case
    try:
        return re2.compile(regex, options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        raise ValueError(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason) from None


def _fits(pattern: str | None, text: str, *, any_case: bool) -> bool:
    return pattern is None or name_pattern(pattern, any_case=any_case).fullmatch(text) is not None
