"""The rows of a source that an answer is about, as a condition in Spark's SQL.

What cannot be written so that it means the same in every session is left out: more rows are fetched then, never less.
That is what speaks of other rows, tokens, arithmetic (which may overflow), and casts that may change a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

from headwater_backend.active.carrying import Fact, Here
from headwater_backend.active.terms import (
    COMPARISONS,
    TEXTUAL,
    WHOLE_RANGES,
    Applied,
    Constant,
    Term,
    Variable,
    keeps_value,
    kind,
)
from headwater_backend.domain.moments import EPOCH

MOST_CHARACTERS: Final = 20_000
"""Of a longer condition, nothing is written."""
_EXACT: Final = Context(prec=100)
"""Enough for any decimal of Spark, which has up to 38 digits."""
_CALLS: Final = TEXTUAL | {"length", "coalesce"}
_INFIX: Final = COMPARISONS - {"in", "between"}


def condition(states: Iterable[Sequence[Fact]]) -> str | None:
    """What holds of each row that is concerned, in any of the states; None if nothing is known of them."""
    cases: dict[str, None] = {}
    for facts in states:
        known = [text for fact in facts if (text := sql(fact.term)) is not None]
        if not known:
            return None
        cases[" AND ".join(dict.fromkeys(known))] = None
    text = " OR ".join(f"({each})" for each in cases) if len(cases) > 1 else "".join(cases)
    return text if 0 < len(text) <= MOST_CHARACTERS else None


def sql(term: Term) -> str | None:
    """The term in Spark's SQL; None if it cannot be written."""
    match term:
        case Variable(name=Here(path), type=str()):
            return ".".join(map(quoted, path))
        case Constant():
            return _constant(term)
        case Applied(op=op, args=args, type=type_):
            given = [text for each in args if (text := sql(each)) is not None]
            return _applied(op, given, args, type_) if len(given) == len(args) else None
        case _:
            return None


def quoted(name: str) -> str:
    """A name in back-quotes."""
    return "`" + name.replace("`", "``") + "`"


def text_of(value: str) -> str:
    """A text as a literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _applied(op: str, given: list[str], args: Sequence[Term], type_: str | None) -> str | None:  # noqa: PLR0911 - one arm a form
    match op, given:
        case (("and" | "or"), [_, *_]):
            return "(" + f" {op.upper()} ".join(given) + ")"
        case "not", [one]:
            return f"(NOT {one})"
        case (("isnull" | "isnotnull"), [one]):
            return f"({one} IS {'NOT ' if op == 'isnotnull' else ''}NULL)"
        case "in", [one, _, *_]:
            return f"({one} IN ({', '.join(given[1:])}))"
        case "between", [one, low, high]:
            return f"({one} BETWEEN {low} AND {high})"
        case "startswith", [one, prefix]:
            return f"(left({one}, length({prefix})) = {prefix})"
        case "case", [_, _, *_]:
            whens = " ".join(f"WHEN {p} THEN {v}" for p, v in zip(given[::2], given[1::2], strict=False))
            return f"(CASE {whens}{f' ELSE {given[-1]}' if len(given) % 2 else ''} END)"
        case "cast", [one] if keeps_value(args[0], type_):
            return f"CAST({one} AS {type_})"
        case _, [one, other] if op in _INFIX or op == "like":
            return f"({one} {op.upper()} {other})"
        case _ if op in _CALLS and given:
            return f"{op}({', '.join(given)})"
        case _:
            return None


def _constant(constant: Constant) -> str | None:  # noqa: PLR0911 - one arm a kind
    match constant.value, constant.type or "":
        case None, type_:
            return f"CAST(NULL AS {type_})" if kind(constant) else "NULL"
        case bool() as value, _:
            return str(value).upper()
        case str() as value, _:
            return text_of(value)
        case int() as days, "date":
            return _day(days)
        case int() as value, "timestamp":
            return f"timestamp_micros({value})"
        case int() as value, type_ if type_ in WHOLE_RANGES:
            limit = 1 << (WHOLE_RANGES[type_] - 1)
            return f"CAST({value} AS {type_})" if -limit <= value < limit else None
        case Fraction() as value, type_ if type_.startswith("decimal"):
            return _decimal(value)
        case (Fraction() as value, "double" | "float"):
            return f"CAST('{float(value)!r}' AS double)"
        case _:
            return None


def _decimal(value: Fraction) -> str | None:
    """The value with all its digits, and not with those alone that the type of what it is compared with has."""
    exact = _EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))
    digits = f"{exact:f}"
    _, _, scale = digits.partition(".")
    return f"CAST('{digits}' AS decimal(38,{len(scale)}))" if exact.adjusted() + len(scale) < 38 else None


def _day(days: int) -> str | None:
    try:
        return f"DATE'{EPOCH.date() + timedelta(days):%Y-%m-%d}'"
    except OverflowError:
        return None
