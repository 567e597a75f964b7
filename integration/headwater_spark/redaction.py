"""What must not leave in an event: credentials always, and the program's constants where it is asked for.

The eye takes credentials out of what it reads of a plan; here every text that an event carries goes through
``redact`` once more, because texts of the program, of errors and of third parties may hold them as well. Both lean to
hiding too much: a value that is assigned to something called a password is hidden, whatever it is.

With ``spark.headwater.literals=hide`` constants become ``<string>``, ``<number>`` and so on. An error's message is
then its condition and its template (``[CAST_INVALID_INPUT] The value <value> of the type <value> …``); one that
follows no template, as what a Python function raises, is left out, and of stack traces the frames stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

HIDDEN: Final = "***"
_LONGEST: Final = 100_000
"""Characters of one text that are looked through; the rest is left out."""

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
    # Bounded, so that no text takes long. A password may hold an at sign, and a slash where nobody has encoded it;
    # a port before a path is none.
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


_SQL: Final = re.compile(
    r"""(?P<keep>`(?:[^`]|``)*`|/\*\+.*?\*/)
    |(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<binary>\b[xX]'[^']*')
    |(?P<string>\b[rR]?(?:'(?:[^'\\]|\\.|'')*(?:'|\Z)|"(?:[^"\\]|\\.)*(?:"|\Z))|'(?:[^'\\]|\\.|'')*(?:'|\Z)|"(?:[^"\\]|\\.)*(?:"|\Z))
    |(?P<number>(?<![\w`])\.?\d(?:\w|\.(?=\d)|(?<=[eE])[+-])*)
    """,
    re.S | re.X,
)
_PLACEHOLDERS: Final[Mapping[str, str]] = {
    "comment": " ", "binary": "<binary>", "string": "<string>", "number": "<number>",
}  # fmt: skip


def hide_sql(text: str) -> str:
    """SQL text with a placeholder for each constant, and without comments. Names and hints stay."""
    return _SQL.sub(lambda found: _PLACEHOLDERS.get(found.lastgroup or "", found[0]), text)


_TEMPLATE: Final = re.compile(r"^(?:[\w.$]+: )?\[[A-Z][A-Z0-9_.]*\]")
_VALUE: Final = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|(?<![\w.])-?\d[\d.]*(?:[eE][+-]?\d+)?(?!\w)")
_FRAME: Final = re.compile(r"^(?:\s+at \S|\s+\.\.\. \d+ more|\s+File \"[^\"]+\", line \d+)")
_RAISED: Final = re.compile(
    r"^(\s*(?:(?:Caused by|Suppressed): )?[\w.$]*(?:Exception|Error|Throwable)\w*)(?::|$)"
)


def hide_message(text: str, error: str = "") -> str:
    """An error's message without values; ``error`` is its class, which is told where there is no template."""
    if not _TEMPLATE.match(text):
        return f"{error or 'error'}: the message is hidden"
    first, _, _ = text.partition("\n")
    condition, bracket, rest = first.partition("]")
    return condition + bracket + _VALUE.sub("<value>", rest)


def hide_trace(text: str) -> str:
    """A stack trace without messages: what was raised, and where."""
    lines = (_RAISED.match(line) or (_FRAME.match(line) and line) for line in text.splitlines())
    return "\n".join(line if isinstance(line, str) else line[1] for line in lines if line)


Texts = Callable[[str], str]


def redacted(value: Any) -> Any:
    """A JSON value with every text in it redacted."""
    match value:
        case str():
            return redact(value)
        case Mapping():
            return {key: redacted(each) for key, each in value.items()}
        case list() | tuple():
            return [redacted(each) for each in value]
        case _:
            return value
