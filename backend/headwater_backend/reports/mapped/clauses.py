"""Terms of conditions and values as clauses of the language; None for what it has no words for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

from headwater_backend.active.reading import Of
from headwater_backend.active.terms import (
    MIRRORED,
    Applied,
    Constant,
    Kind,
    Term,
    Variable,
    is_plain,
    keeps_value,
    kind_of,
)
from headwater_backend.domain.moments import EPOCH
from headwater_mappings import tree

MOST_DEPTH: Final = 90
_OPPOSITES: Final[Mapping[str, str]] = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MIRRORED: Final[Mapping[str, str]] = {**MIRRORED, "!=": "!="}
_COMPUTED: Final[Mapping[str, str]] = {"+": "+", "-": "-", "*": "x"}
_EXACT: Final = Context(prec=100)
_DIGITS: Final = re.compile(r"[0-9]+(\.[0-9]+)?")

Named = Callable[[Of], tree.Attribute | None]
"""The attribute of a column, None where it belongs to no entity of the mapping."""
Choices = Sequence[tuple[tree.Condition | None, tree.Expression | None]]
"""Conditions and values; None for no condition, and for a value that the language has no words for."""


def condition(term: Term, named: Named) -> tree.Condition | None:
    """What rows have passed. Only whether it is true counts, and not whether it is false or NULL otherwise."""
    found = _condition(term, named, holds=True, depth=0)
    return found if found is not None and tree.depth(found) <= MOST_DEPTH else None


def choices(term: Term, named: Named) -> tuple[tree.With, ...] | None:
    """The value of an attribute; none at all if it has never a value."""
    if _is_null(term):
        return ()
    if not (isinstance(term, Applied) and term.op == "case"):
        return _complete([(None, expression(term, named))])
    pairs = list(zip(term.args[::2], term.args[1::2], strict=False))
    holding = [condition(predicate, named) for predicate, _ in pairs]
    # A value that is NULL where its condition holds is not expressed by leaving the choice out.
    if None in holding or any(_is_null(value) for _, value in pairs):
        return None
    listed = [(holds, expression(value, named)) for holds, (_, value) in zip(holding, pairs, strict=True)]
    if len(term.args) % 2 and not _is_null(term.args[-1]):
        listed.append((None, expression(term.args[-1], named)))
    return _complete(listed)


def _complete(listed: Choices) -> tuple[tree.With, ...] | None:
    found = [
        tree.With(value, holds)
        for holds, value in listed
        if value is not None and tree.depth(value) <= MOST_DEPTH
    ]
    return tuple(found) if len(found) == len(listed) else None


def expression(term: Term, named: Named, depth: int = 0) -> tree.Expression | None:
    """A value without choices."""
    if depth > MOST_DEPTH:
        return None
    match term:
        case Variable(name=Of() as of):
            return named(of)
        case Constant():
            return constant(term)
        case Applied(op="cast", args=(one,), type=type_) if keeps_value(one, type_):
            return expression(one, named, depth + 1)
        case Applied(op="concat", args=args) if len(args) > 1:
            parts = [expression(each, named, depth + 1) for each in args]
            known = [part for each in parts if each is not None for part in _flat(each)]
            return tree.Concatenation(tuple(known)) if None not in parts else None
        case Applied(op=op, args=(one, other)) if op in _COMPUTED:
            left, right = expression(one, named, depth + 1), expression(other, named, depth + 1)
            if left is None or right is None or _is_put_together(left) or _is_put_together(right):
                return None
            return tree.Computation(_COMPUTED[op], left, right)
        case _:
            return None


def constant(term: Constant) -> tree.Text | tree.Value | None:
    """A constant as a text, digits or a day; None for others."""
    kind = kind_of(term.type)
    match term.value:
        case str() as text if kind is Kind.TEXT:
            return tree.Text(text) if '"' not in text and text.isprintable() else None
        case bool() | None:
            return None
        case int() as days if term.type == "date":
            return _day(days)
        case int() as number if term.type not in {"timestamp", "timestamp_ntz"}:
            return _value(str(number))
        case Fraction() as number:
            return _value(_decimal(number, term.type or ""))
        case _:
            return None


def pair(term: Term) -> tuple[Of, Of] | None:
    """Two columns that are equal, if that is what the term says."""
    match term:
        case Applied(op="=", args=(Variable(name=Of() as one), Variable(name=Of() as other))):
            return one, other
        case _:
            return None


def _condition(term: Term, named: Named, *, holds: bool, depth: int) -> tree.Condition | None:  # noqa: PLR0911 - one arm a form
    if depth > MOST_DEPTH or not isinstance(term, Applied):
        return None
    match term.op, term.args:
        case (("and" | "or") as op, args) if args:
            parts = [_condition(each, named, holds=holds, depth=depth + 1) for each in args]
            return _joined(parts, every=(op == "and") == holds)
        case "not", (one,):
            return _condition(one, named, holds=not holds, depth=depth + 1)
        case "in", (one, *listed):
            parts = [_compared(one, "=" if holds else "!=", each, named) for each in listed]
            return _joined(parts, every=not holds)
        case "between", (one, low, high):
            signs = (">=", "<=") if holds else ("<", ">")
            parts = [_compared(one, sign, each, named) for sign, each in zip(signs, (low, high), strict=True)]
            return _joined(parts, every=holds)
        case "<=>", (one, other) if holds and isinstance(other, Constant) and not _is_null(other):
            return _compared(one, "=", other, named)
        case (("like" | "startswith") as op, (one, Constant(value=str() as text))) if holds:
            return _like(op, one, text, named)
        case op, (one, other) if op in _OPPOSITES:
            return _compared(one, op if holds else _OPPOSITES[op], other, named)
        case _:
            return None


def _joined(parts: list[tree.Condition | None], *, every: bool) -> tree.Condition | None:
    known = [each for each in parts if each is not None]
    if not known or len(known) < len(parts):
        return None
    if len(known) == 1:
        return known[0]
    return tree.AllOf(tuple(known)) if every else tree.AnyOf(tuple(known))


def _compared(one: Term, sign: str, other: Term, named: Named) -> tree.Condition | None:
    left, right = _operand(one, named), _operand(other, named)
    if not isinstance(left, tree.Attribute):
        left, sign, right = right, _MIRRORED[sign], left
    if not isinstance(left, tree.Attribute) or right is None:
        return None
    return tree.Comparison(left, sign, right)


def _operand(term: Term, named: Named) -> tree.Attribute | tree.Text | tree.Value | None:
    match term:
        case Variable(name=Of() as of, type=type_) if kind_of(type_) is not None:
            return named(of)
        case Constant():
            return constant(term)
        case Applied(op="cast", args=(one,), type=type_) if keeps_value(one, type_):
            return _operand(one, named)
        case _:
            return None


def _like(op: str, one: Term, text: str, named: Named) -> tree.Condition | None:
    left = _operand(one, named)
    pattern = text if op == "like" else f"{text}%"
    if not isinstance(left, tree.Attribute) or (op == "startswith" and not is_plain(text)):
        return None
    shown = constant(Constant(pattern, "string"))
    return None if shown is None else tree.Comparison(left, "LIKE", shown)


def _flat(node: tree.Expression) -> Iterator[tree.Expression]:
    yield from node.parts if isinstance(node, tree.Concatenation) else (node,)


def _is_put_together(node: tree.Expression) -> bool:
    return isinstance(node, tree.Concatenation)


def _is_null(term: Term) -> bool:
    return isinstance(term, Constant) and term.value is None


def _day(days: int) -> tree.Value | None:
    try:
        day = EPOCH.date() + timedelta(days)
    except OverflowError:
        return None
    return tree.Value(f"{day.day:02}.{day.month:02}.{day.year:04}")


def _value(text: str) -> tree.Value | None:
    return tree.Value(text) if _DIGITS.fullmatch(text) else None


def _decimal(number: Fraction, type_: str) -> str:
    """All digits of a decimal, and those of a float that tell it from others; no digits if it has no end."""
    if not type_.startswith("decimal"):
        return repr(float(number)).removesuffix(".0")
    digits = _EXACT.divide(Decimal(number.numerator), Decimal(number.denominator))
    return f"{digits:f}" if Fraction(digits) == number else ""
