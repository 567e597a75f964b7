"""What a term is for given values, by SQL's three-valued logic; ``ANY`` where that is not known here."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final

from headwater_backend.active.terms import (
    WHOLE_RANGES,
    Applied,
    Constant,
    Term,
    Variable,
    is_plain,
    prefix_of,
)

_NUMBER: Final = re.compile(r" *([+-]?[0-9]{1,30}) *")
_PERHAPS_NUMBER: Final = re.compile(r"[0-9].*[.eE\s]|[.].*[0-9]|[\x00-\x1f]")


class _Any:
    """The only instance is ``ANY``."""

    def __repr__(self) -> str:
        return "ANY"


ANY: Final = _Any()
"""Whatever it may be."""

Result = Any
"""A value, None for NULL, or ``ANY``."""


def evaluate(term: Term, values: Mapping[Hashable, Any]) -> Result:
    """The term's value; variables that are not given may be anything."""
    match term:
        case Variable(name=name):
            return values.get(name, ANY)
        case Constant(value=value):
            return value
        case Applied(op="and", args=args):
            return _all([evaluate(each, values) for each in args])
        case Applied(op="or", args=args):
            return _not(_all([_not(evaluate(each, values)) for each in args]))
        case Applied(op="case", args=args):
            return _case(args, values)
        case Applied(op="coalesce", args=args):
            return next((found for each in args if (found := evaluate(each, values)) is not None), None)
        case Applied(op=op, args=args, type=type_):
            given = [evaluate(each, values) for each in args]
            return _OPERATORS.get(op, _any)(given, type_)
        case _:
            return ANY


def _all(given: list[Result]) -> Result:
    if any(each is False for each in given):
        return False
    if any(each is ANY for each in given):
        return ANY
    return None if None in given else True


def _not(value: Result) -> Result:
    return value if value is None or value is ANY else not value


def _case(args: tuple[Term, ...], values: Mapping[Hashable, Any]) -> Result:
    for predicate, value in zip(args[::2], args[1::2], strict=False):
        holds = evaluate(predicate, values)
        if holds is ANY:
            return ANY
        if holds:
            return evaluate(value, values)
    return evaluate(args[-1], values) if len(args) % 2 else None


def _strict(function: Callable[..., Result]) -> Callable[[list[Result], str | None], Result]:
    """NULL if an argument is."""

    def apply(given: list[Result], _: str | None) -> Result:
        if None in given:
            return None
        return ANY if any(each is ANY for each in given) else function(*given)

    return apply


def _equal_or_null(given: list[Result], _: str | None) -> Result:
    one, other = given
    return ANY if one is ANY or other is ANY else one == other


def _in(given: list[Result], _: str | None) -> Result:
    value, *listed = given
    if value is None or value is ANY:
        return value
    if any(each is not None and each is not ANY and each == value for each in listed):
        return True
    return ANY if any(each is ANY for each in listed) else None if None in listed else False


def _between(given: list[Result], type_: str | None) -> Result:
    value, low, high = given
    return _all([_AT_LEAST([value, low], type_), _AT_LEAST([high, value], type_)])


def _is_null(given: list[Result], _: str | None) -> Result:
    return ANY if given[0] is ANY else given[0] is None


def _like(value: str, pattern: str) -> Result:
    prefix = prefix_of(pattern)
    if is_plain(pattern):
        return value == pattern
    return ANY if prefix is None else value.startswith(prefix)


def _whole(function: Callable[[int, int], int]) -> Callable[[list[Result], str | None], Result]:
    """Arithmetic of whole numbers; what does not fit may become anything."""

    def apply(given: list[Result], type_: str | None) -> Result:
        if None in given:
            return None
        if type_ is None or type_ not in WHOLE_RANGES or len(given) != 2 or any(e is ANY for e in given):
            return ANY
        found = function(*given)
        most = 2 ** (WHOLE_RANGES[type_] - 1)
        return found if -most <= found < most else ANY

    return apply


def _ascii(function: Callable[[str], str]) -> Callable[[str], Result]:
    return lambda text: function(text) if text.isascii() else ANY


def _any(_: list[Result], __: str | None) -> Result:
    return ANY


def whole_number(text: str, type_: str) -> Result:
    """A text as a whole number. Where a session without ANSI has NULL, one with it has no row at all."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return ANY if _PERHAPS_NUMBER.search(text) or not text.isascii() else None
    most = 2 ** (WHOLE_RANGES[type_] - 1)
    return int(found[1]) if -most <= int(found[1]) < most else ANY


_AT_LEAST: Final = _strict(lambda one, other: one >= other)
_OPERATORS: Final[Mapping[str, Callable[[list[Result], str | None], Result]]] = {
    "not": lambda given, _: _not(given[0]),
    "=": _strict(lambda one, other: one == other),
    "<": _strict(lambda one, other: one < other),
    "<=": _strict(lambda one, other: one <= other),
    ">": _strict(lambda one, other: one > other),
    ">=": _AT_LEAST,
    "<=>": _equal_or_null,
    "in": _in,
    "between": _between,
    "isnull": _is_null,
    "isnotnull": lambda given, type_: _not(_is_null(given, type_)),
    "like": _strict(_like),
    "startswith": _strict(lambda value, prefix: value.startswith(prefix)),
    "+": _whole(lambda one, other: one + other),
    "-": _whole(lambda one, other: one - other),
    "*": _whole(lambda one, other: one * other),
    "upper": _strict(_ascii(str.upper)),
    "lower": _strict(_ascii(str.lower)),
    "trim": _strict(lambda text: text.strip(" ")),
    "concat": _strict(lambda *texts: "".join(texts)),
    "length": _strict(len),
}
