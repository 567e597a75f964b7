"""Removes constants that must not be emitted from a statement's SQL text, for the standard ``sql`` facet.

The text is read token by token. A constant is kept only if it certainly is the operand of a comparison in a
predicate; comments are removed, names and hints are kept. These positions are certain:

    WHERE | HAVING | QUALIFY | ON | WHEN … THEN      the clause, up to the next word that begins another one
      (…), a IN (…)                                  its own parentheses; those of a function hold values
        a = 'x', 'x' <= a, a LIKE 'x%', IN ('x')     beside a comparison

    UPDATE t SET a = 'x' WHERE b = 'y' -- z     UPDATE t SET a = <string> WHERE b = 'y'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from headwater_spark.constants import Constants

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+)
    |(?P<hint>/\*\+.*?\*/)
    |(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<name>`(?:[^`]|``)*`)
    |(?P<binary>\b[xX](?:'[^']*(?:'|\Z)|"[^"]*(?:"|\Z)))
    |(?P<string>(?:\b[rR])?(?:'(?:[^'\\]|\\.|'')*(?:'|\Z)|"(?:[^"\\]|\\.|"")*(?:"|\Z)))
    |(?P<number>(?<![\w`])\.?\d(?:\w|\.(?=\d)|(?<=[eE])[+-])*)
    |(?P<word>\w+)
    |(?P<sign><=>|<=|>=|<>|!=|==|=>|\|>|\|\||->|.)
    """,
    re.S | re.X,
)
_PLACEHOLDERS: Final[Mapping[str, str]] = {
    "comment": " ", "binary": "<binary>", "string": "<string>", "number": "<number>",
}  # fmt: skip
_CONSTANTS: Final = ("binary", "string", "number")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COMPARISONS: Final = _words("= == <=> <> != < > <= >= LIKE ILIKE RLIKE REGEXP BETWEEN")
_PREDICATES: Final = _words("WHERE HAVING QUALIFY ON WHEN")
_OTHERS: Final = _words(
    "SELECT FROM GROUP ORDER SORT CLUSTER DISTRIBUTE LIMIT OFFSET WINDOW UNION INTERSECT EXCEPT MINUS SET VALUES"
    " LATERAL JOIN INNER LEFT RIGHT FULL CROSS NATURAL INSERT UPDATE DELETE MERGE REPLACE USING THEN ELSE WITH AS"
    " DEFAULT COMMENT TBLPROPERTIES OPTIONS PARTITION PIVOT UNPIVOT TABLESAMPLE RETURN EXECUTE DECLARE CALL EXTEND"
    " AGGREGATE DO BEGIN |> ;"
)
"""Words that end a predicate."""
_JOINING: Final = _words("AND OR NOT WHERE HAVING QUALIFY ON WHEN")
"""Words after which a parenthesis only groups."""
_TYPES: Final = _words("DATE TIMESTAMP TIMESTAMP_NTZ TIMESTAMP_LTZ INTERVAL TIME + -")
"""Words that may stand between a comparison and its constant."""


class _Token(NamedTuple):
    kind: str
    text: str

    @property
    def upper(self) -> str:
        """The upper-case text of a word or sign; empty for names and constants."""
        return self.text.upper() if self.kind in ("word", "sign") else ""


_NONE: Final = _Token("space", "")


@dataclass(slots=True)
class _Level:
    """One level of parentheses or of CASE; ``predicate``: whether the current token is in a predicate of it."""

    kind: str = "text"
    predicate: bool = False


def statement(text: str, constants: Constants) -> str:
    """Return the text with all constants replaced that must not be emitted."""
    if constants.shows_all:
        return text
    return "".join(_redacted_tokens(text, constants))


def is_script(text: str) -> bool:
    """Whether it is a compound statement, ``BEGIN … END`` with or without a label: Spark runs the queries in it."""
    tokens = (_Token(found.lastgroup or "sign", found[0]) for found in _TOKEN.finditer(text))
    first = list(islice((token for token in tokens if token.kind not in ("space", "comment", "hint")), 3))
    labelled = len(first) == 3 and first[1].text == ":"
    return bool(first) and first[2 if labelled else 0].upper == "BEGIN"


def _redacted_tokens(text: str, constants: Constants) -> Iterator[str]:
    tokens = [_Token(found.lastgroup or "sign", found[0]) for found in _TOKEN.finditer(text)]
    significant = [i for i, token in enumerate(tokens) if token.kind not in ("space", "comment", "hint")]
    places = {i: place for place, i in enumerate(significant)}
    words = [tokens[i] for i in significant]
    levels = [_Level()]
    for i, token in enumerate(tokens):
        hidden = _PLACEHOLDERS.get(token.kind)
        place = places.get(i)
        if place is None:
            yield token.text if hidden is None else hidden
        elif token.kind in _CONSTANTS:
            yield _constant(token, constants) if _is_compared(words, place, levels[-1]) else str(hidden)
        else:
            _step(words, place, levels)
            yield token.text


def _step(words: Sequence[_Token], place: int, levels: list[_Level]) -> None:
    """Update the levels for the word or sign at ``place``."""
    word, before, after = words[place].upper, _at(words, place - 1), _at(words, place + 1)
    level = levels[-1]
    if word in ("(", "["):
        levels.append(_opened(word, before.upper, level))
    elif word in (")", "]"):
        while len(levels) > 1 and levels.pop().kind == "case":
            pass
    elif before.upper == "." or after.upper in (".", ",", ")") or after.upper in _COMPARISONS:
        return  # a column with that name
    elif word == "CASE":
        levels.append(_Level("case"))
    elif word == "END" and level.kind == "case":
        levels.pop()
    elif word in _PREDICATES:
        level.predicate = True
    elif word in _OTHERS:
        level.predicate = False


def _opened(sign: str, before: str, level: _Level) -> _Level:
    if sign == "(" and before == "IN":
        return _Level("in", level.predicate)
    if sign == "(" and (before == "(" or before in _JOINING):
        return _Level("group", level.predicate)
    return _Level("values")


def _is_compared(words: Sequence[_Token], place: int, level: _Level) -> bool:
    """Whether the constant at ``place`` is the operand of a comparison in a predicate."""
    if not level.predicate:
        return False
    first = place - 1
    while _at(words, first).upper in _TYPES:
        first -= 1
    before, after = _at(words, first).upper, _at(words, place + 1).upper
    if level.kind == "in" and before in ("(", ",") and after in (",", ")"):
        return True
    compared = before in _COMPARISONS or (before == "AND" and _at(words, first - 2).upper == "BETWEEN")
    return compared or after in _COMPARISONS


def _at(words: Sequence[_Token], place: int) -> _Token:
    return words[place] if 0 <= place < len(words) else _NONE


def _constant(token: _Token, constants: Constants) -> str:
    """A predicate's constant as it is emitted. Equal plain texts and numbers get the same ``token:``."""
    text, hidden = token.text, _PLACEHOLDERS[token.kind]
    if token.kind != "string":
        return constants.in_predicate(text, text, hidden)
    quote = text[-1]
    plain = text[1:-1].replace(quote * 2, quote) if text[0] == quote and "\\" not in text else text
    return constants.in_predicate(plain, text, hidden)
