"""Removes credentials from all texts of an event, and messages from errors unless all constants are shown.

The listener in the driver removes credentials from plans; here every text of an event passes through ``redact`` again,
since texts of the program, of errors and of third parties may contain them as well. Both prefer to hide too much: any
value that is assigned to a name like "password" is hidden.

An error's message may contain values of rows and the program's constants. Unless all constants are shown
(``constants``), it is replaced by Spark's error condition and its template (``[CAST_INVALID_INPUT] The value
<expression> of the type <sourceType> …``). A message without a template, such as that of a Python function, is removed,
and stack traces are reduced to exception types and frames.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

HIDDEN: Final = "***"
_LONGEST: Final = 100_000
"""Length at which a suspicious text is truncated before it is searched."""

_NAME: Final = (
    r"(?:password|passwd|passphrase|pwd|secret|token|access[_.-]?key|account[_.-]?key|shared[_.-]?key"
    r"|api[_.-]?key|private[_.-]?key|credential|signature|jaas\.config|authorization)[\w.-]{0,60}"
)
_SUSPICIOUS: Final = re.compile(
    rf"://|jdbc:|[?&;:](?:sig|user|uid)|bearer|basic|A[KS]IA|eyJ|-----BEGIN|{_NAME}", re.I
)
_RULES: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"-----BEGIN[^-]*PRIVATE KEY-----.*?(?:-----END[^-]*-----|\Z)", re.S), HIDDEN),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w+/=.~-]{8,}"), rf"\1 {HIDDEN}"),
    (re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"), HIDDEN),
    (re.compile(r"\beyJ[\w-]{5,4000}\.[\w-]{5,8000}\.[\w-]*"), HIDDEN),
    # Bounded, so that no text takes long. A password may contain an at sign, and a slash that is not encoded; a port
    # before a path is not a password.
    (re.compile(r"(://)[^/:@\s?#'\"]{0,200}:(?:[^/\s?#'\"]{0,300}|(?!\d+[/,])[^\s?#'\"]{0,300}?)@"), rf"\1{HIDDEN}@"),
    (re.compile(r"(?i)\b((?:https?|ftp|sftp|ssh|git)://)[^/@\s?#'\"]{1,500}@"), rf"\1{HIDDEN}@"),
    (re.compile(r"(?i)(jdbc:oracle:[a-z]+:)[^/@:\s]{1,200}/[^@\s]{0,300}@"), rf"\1{HIDDEN}@"),
    (re.compile(r"(?i)([?&]sig=)[^&\s'\"]*"), rf"\1{HIDDEN}"),
    (re.compile(r"(?i)([?&;:](?:user|username|uid)=)[^&;,\s'\"]*"), rf"\1{HIDDEN}"),
    (re.compile(rf"(?i)({_NAME}['\"`]?\s{{0,20}}(?:=>?|:|\s)\s{{0,20}}')(?:[^'\\]|\\.|'')*'"), rf"\1{HIDDEN}'"),
    (re.compile(rf"(?i)({_NAME}['\"`]?\s{{0,20}}(?:=>?|:|\s)\s{{0,20}}\")(?:[^\"\\]|\\.)*\""), rf'\1{HIDDEN}"'),
    (re.compile(rf"(?i)({_NAME}=)(?:\{{[^}}]*\}}|[^\s&;,)'\"}}]+)"), rf"\1{HIDDEN}"),
)  # fmt: skip


def redact(text: str) -> str:
    """The text without credentials: user info and secret parameters of URLs, keys, tokens, passwords."""
    if not _SUSPICIOUS.search(text):
        return text
    shown = text[:_LONGEST]
    for pattern, instead in _RULES:
        shown = pattern.sub(instead, shown)
    return shown


_FRAME: Final = re.compile(
    r"^\s+at [\w.$<>/@:-]+\((?:[\w.$-]+(?::\d+)?|Native Method|Unknown Source)\)(?= |$)|^\s+\.\.\. \d+ more"
    r"|^\s+File \"[^\"]+\", line \d+(?:, in [\w.<>]+)?$"
)
_RAISED: Final = re.compile(
    r"^(\s*(?:(?:Caused by|Suppressed): )?([\w.$]*(?:Exception|Error|Throwable)\w*))(?::|$)"
)


def hide_message(error: Mapping[str, Any]) -> str:
    """The message of an error without values: Spark's condition and template, or only the exception types."""
    condition, template = error.get("condition"), error.get("template")
    if condition:
        return f"[{condition}] {template or 'the message is hidden'}"
    return f"{', caused by '.join(_raised(error)) or 'error'}: the message is hidden"


def _raised(error: Mapping[str, Any]) -> list[str]:
    """The error's class and the last one in its stack trace, which is the Python exception if a UDF raised it."""
    lines = f"{error.get('message') or ''}\n{error.get('stackTrace') or ''}".splitlines()
    below = [found[2] for line in lines if (found := _RAISED.match(line))]
    return list(dict.fromkeys(filter(None, [error.get("class"), *below[-1:]])))


def hide_trace(text: str) -> str:
    """A stack trace without messages: the exception types and the frames."""
    found = (_RAISED.match(line) or _FRAME.match(line) for line in text.splitlines())
    return "\n".join(each[1] if each.re is _RAISED else each[0] for each in found if each)


def redacted(value: Any) -> Any:
    """A copy of a JSON value with all its texts redacted."""
    match value:
        case str():
            return redact(value)
        case Mapping():
            return {key: redacted(each) for key, each in value.items()}
        case list() | tuple():
            return [redacted(each) for each in value]
        case _:
            return value
