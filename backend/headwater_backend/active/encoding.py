"""Conditions as formulas of linear arithmetic with functions, for a solver (z3).

Texts become numbers in the order of the texts: constants are whole numbers, and there is always room between two of
them. There may be fewer texts between two texts, so that a solver may find more possible than is, never less. What has
no meaning here becomes a new value. ``z3`` is an extra, and imported where it is first needed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, count
from typing import Any, Final

import z3

from headwater_backend.active.evaluating import ANY, evaluate, whole_number
from headwater_backend.active.terms import (
    COMPARISONS,
    TEXTUAL,
    WHOLE_RANGES,
    Applied,
    Constant,
    Kind,
    Term,
    Token,
    Variable,
    after_prefix,
    is_plain,
    keeps_value,
    kind,
    parts,
    prefix_of,
)

_ROUNDS: Final = 2
"""How often functions are applied to the constants that they give."""
_MOST_TEXTS: Final = 300


@dataclass(frozen=True, slots=True)
class Truth:
    """A truth value: true, false, or neither."""

    true: Any
    false: Any


@dataclass(frozen=True, slots=True)
class Number:
    """A value as a number, and whether it is NULL."""

    value: Any
    null: Any


class Encoder:
    """Formulas for one question; ``facts`` are what holds of the values in them."""

    def __init__(self, conditions: Iterable[Term]) -> None:
        self.facts: list[Any] = []
        self._fresh = count()
        self._done: dict[tuple[Term, Kind | None], Truth | Number] = {}
        terms = {each for condition in conditions for each in parts(condition)}
        self._texts = _texts(terms)
        self._ranks = {text: rank for rank, text in enumerate(sorted(self._texts))}
        self._tokens = self._of_tokens(terms)

    def holds(self, condition: Term) -> Any:
        """The formula that the condition is true."""
        return self._truth(condition).true

    def _name(self) -> str:
        return f"unknown{next(self._fresh)}"

    def _of_tokens(self, terms: Iterable[Term]) -> dict[Token, Any]:
        """Tokens of one key and type are different constants; nothing else is known of them."""
        made = {
            each: self._symbol(f"token{number}", kind(each))
            for number, each in enumerate(term for term in terms if isinstance(term, Token))
        }
        for one, other in combinations(made, 2):
            if (one.key, one.type) == (other.key, other.type) and one.digest != other.digest:
                self.facts.append(made[one] != made[other])
        return made

    def _symbol(self, name: str, of: Kind | None) -> Any:
        return z3.Int(name) if of is Kind.WHOLE else z3.Real(name)

    def _unknown(self, of: Kind | None) -> Truth | Number:
        if of is Kind.TRUTH:
            return self._pair(self._name())
        name = self._name()
        return Number(self._symbol(name, of), z3.Bool(f"{name} is null"))

    def _pair(self, name: str) -> Truth:
        true, false = z3.Bool(f"{name} is true"), z3.Bool(f"{name} is false")
        self.facts.append(z3.Not(z3.And(true, false)))
        return Truth(true, false)

    def _truth(self, term: Term) -> Truth:
        found = self._encoded(term, Kind.TRUTH)
        assert isinstance(found, Truth)  # noqa: S101 - of the kind that was asked for
        return found

    def _number(self, term: Term, of: Kind | None) -> Number:
        found = self._encoded(term, of)
        assert isinstance(found, Number)  # noqa: S101 - of the kind that was asked for
        return found

    def _encoded(self, term: Term, of: Kind | None) -> Truth | Number:
        """The term as a value of a kind; one of another kind is not known."""
        if (term, of) not in self._done:
            known = kind(term)
            right = known is of or known is None or (isinstance(term, Constant) and term.value is None)
            self._done[term, of] = self._made(term, of) if right else self._unknown(of)
        return self._done[term, of]

    def _made(self, term: Term, of: Kind | None) -> Truth | Number:
        match term:
            case Variable(name=name, type=type_):
                return self._variable(name, type_, of)
            case Constant(value=value):
                return self._constant(value, of)
            case Token():
                return Number(self._tokens[term], z3.BoolVal(False))
            case Applied(op="case", args=args):
                return self._case(args, of)
            case Applied(op="coalesce", args=args):
                return self._coalesce(args, of)
            case _ if of is Kind.TRUTH:
                return self._condition(term.op, term.args)
            case _:
                return self._function(term, of)

    def _variable(self, name: Hashable, type_: str | None, of: Kind | None) -> Truth | Number:
        text = f"{name!r}"
        if of is Kind.TRUTH:
            return self._pair(text)
        value = self._symbol(f"{text} {of.value if of else ''}", of)
        if type_ is not None and type_ in WHOLE_RANGES:
            self._bound(value, type_)
        return Number(value, z3.Bool(f"{text} is null"))

    def _bound(self, value: Any, type_: str) -> None:
        most = 2 ** (WHOLE_RANGES[type_] - 1)
        self.facts.append(z3.And(value >= -most, value < most))

    def _constant(self, value: Any, of: Kind | None) -> Truth | Number:
        if of is Kind.TRUTH:
            return Truth(z3.BoolVal(value is True), z3.BoolVal(value is False))
        if value is None:
            return Number(self._symbol(self._name(), of), z3.BoolVal(True))
        return Number(self._literal(value, of), z3.BoolVal(False))

    def _literal(self, value: Any, of: Kind | None) -> Any:
        if of is Kind.WHOLE:
            return z3.IntVal(value)
        if isinstance(value, str):
            return z3.RealVal(self._ranks[value])
        exact = Fraction(value)
        return z3.Q(exact.numerator, exact.denominator)

    def _case(self, args: tuple[Term, ...], of: Kind | None) -> Truth | Number:
        otherwise = args[-1] if len(args) % 2 else Constant(None)
        found = self._encoded(otherwise, of)
        branches = list(zip(args[: len(args) // 2 * 2 : 2], args[1::2], strict=True))
        for predicate, value in reversed(branches):
            found = _choice(self._truth(predicate).true, self._encoded(value, of), found)
        return found

    def _coalesce(self, args: tuple[Term, ...], of: Kind | None) -> Truth | Number:
        found = self._encoded(args[-1], of)
        for each in reversed(args[:-1]):
            value = self._encoded(each, of)
            found = _choice(z3.Not(_null(value)), value, found)
        return found

    def _condition(self, op: str, args: tuple[Term, ...]) -> Truth:
        match op, args:
            case "and", _:
                found = [self._truth(each) for each in args]
                return Truth(z3.And([t.true for t in found]), z3.Or([t.false for t in found]))
            case "or", _:
                found = [self._truth(each) for each in args]
                return Truth(z3.Or([t.true for t in found]), z3.And([t.false for t in found]))
            case "not", (one,):
                inner = self._truth(one)
                return Truth(inner.false, inner.true)
            case (("isnull" | "isnotnull"), (one,)):
                null = _null(self._encoded(one, kind(one)))
                return Truth(null, z3.Not(null)) if op == "isnull" else Truth(z3.Not(null), null)
            case (("like" | "startswith"), (value, Constant(value=str(text)))):
                return self._pattern(op, value, text)
            case _ if op in COMPARISONS:
                return self._comparison(op, args)
            case _:
                return self._pair(self._name())

    def _comparison(self, op: str, args: tuple[Term, ...]) -> Truth:
        of = next(filter(None, map(kind, args)), None)
        if of is None and not (op in ("=", "<=>") and all(isinstance(a, Variable) for a in args)):
            return self._pair(self._name())
        given = [_as_number(self._encoded(each, of)) for each in args]
        match op, given:
            case "in", [value, *listed]:
                equal = [_strict("=", value, each) for each in listed]
                return Truth(z3.Or([t.true for t in equal]), z3.And([t.false for t in equal]))
            case "between", [value, low, high]:
                both = (_strict(">=", value, low), _strict("<=", value, high))
                return Truth(z3.And([t.true for t in both]), z3.Or([t.false for t in both]))
            case "<=>", [one, other]:
                same = z3.Or(
                    z3.And(one.null, other.null),
                    z3.And(z3.Not(one.null), z3.Not(other.null), one.value == other.value),
                )
                return Truth(same, z3.Not(same))
            case _, [one, other]:
                return _strict(op, one, other)
            case _:
                return self._pair(self._name())

    def _pattern(self, op: str, value: Term, text: str) -> Truth:
        of = kind(value)
        if of not in (Kind.TEXT, None):
            return self._pair(self._name())
        if op == "like" and is_plain(text):
            return self._comparison("=", (value, Constant(text, "string")))
        prefix = text if op == "startswith" else prefix_of(text)
        if prefix is None:
            return self._pair(self._name())
        given, following = self._number(value, Kind.TEXT), after_prefix(prefix)
        inside = given.value >= self._ranks[prefix]
        if following is not None:
            inside = z3.And(inside, given.value < self._ranks[following])
        known = z3.Not(given.null)
        return Truth(z3.And(known, inside), z3.And(known, z3.Not(inside)))

    def _function(self, term: Applied, of: Kind | None) -> Truth | Number:
        match term.op, term.args:
            case "cast", (one,) if keeps_value(one, term.type):
                inner = self._number(one, kind(one))
                return Number(_in_kind(inner.value, kind(one), of), inner.null)
            case (("+" | "-" | "*"), (one, other)) if term.type in WHOLE_RANGES:
                return self._arithmetic(term, one, other)
            case (("upper" | "lower" | "trim" | "concat" | "length" | "cast"), _):
                return self._applied(term, of)
            case _:
                return self._unknown(of)

    def _arithmetic(self, term: Applied, one: Term, other: Term) -> Number:
        left, right = self._number(one, Kind.WHOLE), self._number(other, Kind.WHOLE)
        unknown = self._unknown(Kind.WHOLE)
        assert isinstance(unknown, Number) and term.type is not None  # noqa: S101 - of this kind
        if term.op == "*" and not any(isinstance(each, Constant) for each in (one, other)):
            return unknown
        exact = {
            "+": left.value + right.value,
            "-": left.value - right.value,
            "*": left.value * right.value,
        }[term.op]
        most = 2 ** (WHOLE_RANGES[term.type] - 1)
        fits = z3.And(exact >= -most, exact < most)
        null = z3.Or(left.null, right.null, z3.And(z3.Not(fits), unknown.null))
        return Number(z3.If(fits, exact, unknown.value), null)

    def _applied(self, term: Applied, of: Kind | None) -> Truth | Number:
        """A function: equal arguments give equal results, and constants what is known."""
        if of is None or of is Kind.TRUTH or any(kind(each) in (None, Kind.TRUTH) for each in term.args):
            return self._unknown(of)
        given = [self._number(each, kind(each)) for each in term.args]
        sorts = [z3.IntSort() if kind(each) is Kind.WHOLE else z3.RealSort() for each in term.args]
        result = z3.IntSort() if of is Kind.WHOLE else z3.RealSort()
        name = f"{term.op} {term.type} {term.scope!r} {[kind(a) for a in term.args]}"
        value = z3.Function(name, *sorts, result)(*(each.value for each in given))
        null = z3.Or([each.null for each in given])
        if term.op == "cast":
            null = z3.Or(null, z3.Function(f"{name} is null", *sorts, z3.BoolSort())(given[0].value))
        found = Number(value, null)
        self._know(term, given, found)
        return found

    def _know(self, term: Applied, given: Sequence[Number], found: Number) -> None:
        """What the function gives of the constants of the question."""
        one = given[0]
        for text in self._ranks if len(given) == 1 and kind(term.args[0]) is Kind.TEXT else ():
            same = self._is(found, one, _of_text(term, text))
            if same is not None:
                self.facts.append(z3.Implies(one.value == self._ranks[text], same))
        if term.op == "cast" and term.type == "string" and kind(term.args[0]) is Kind.WHOLE:
            self._know_digits(one, found)
        if term.op in ("upper", "lower"):
            for text, rank in self._ranks.items():
                if _of_text(term, text) not in (ANY, text):
                    self.facts.append(found.value != rank)
        if term.op == "length":
            self.facts.append(found.value >= 0)

    def _is(self, found: Number, one: Number, result: Any) -> Any | None:
        """That a function gives the result of an argument; None if that cannot be decided."""
        if result is ANY or (isinstance(result, str) and result not in self._ranks):
            return None
        if result is None:
            return found.null
        of = Kind.TEXT if isinstance(result, str) else Kind.WHOLE
        return z3.And(found.value == self._literal(result, of), z3.Or(one.null, z3.Not(found.null)))

    def _know_digits(self, one: Number, found: Number) -> None:
        """A whole number as text: each text is that of one number, or of none. It is never NULL by itself."""
        self.facts.append(z3.Implies(z3.Not(one.null), z3.Not(found.null)))
        for text, rank in self._ranks.items():
            number = whole_number(text, "long")
            if isinstance(number, int) and str(number) == text:
                self.facts.append((one.value == number) == (found.value == rank))
            else:
                self.facts.append(found.value != rank)


def _in_kind(value: Any, before: Kind | None, after: Kind | None) -> Any:
    return z3.ToReal(value) if before is Kind.WHOLE and after is Kind.NUMBER else value


def _of_text(term: Applied, text: str) -> Any:
    """What a function of one text gives of a constant."""
    if term.op == "cast":
        type_ = term.type or ""
        return whole_number(text, type_) if type_ in WHOLE_RANGES else ANY
    if term.op == "concat" and len(term.args) != 1:
        return ANY
    return evaluate(Applied(term.op, (Constant(text, "string"),), term.type), {})


def _texts(terms: Iterable[Term]) -> set[str]:
    """The texts of a question, and those that its functions make of them."""
    listed = list(terms)
    found = {
        each.value
        for each in listed
        if isinstance(each, Constant) and isinstance(each.value, str) and kind(each) in (Kind.TEXT, None)
    }
    for each in listed:
        if isinstance(each, Applied) and each.op in ("like", "startswith"):
            found |= _limits(each)
    if any(isinstance(each, Applied) and each.op == "cast" and each.type == "string" for each in listed):
        found |= {
            str(each.value) for each in listed if isinstance(each, Constant) and kind(each) is Kind.WHOLE
        }
    functions = [e for e in listed if isinstance(e, Applied) and e.op in TEXTUAL and len(e.args) == 1]
    for _ in range(_ROUNDS if len(found) * len(functions) < _MOST_TEXTS else 0):
        made = {_of_text(each, text) for each in functions for text in found}
        found |= {each for each in made if isinstance(each, str)}
    return found


def _limits(pattern: Applied) -> set[str]:
    text = next((a.value for a in pattern.args[1:] if isinstance(a, Constant)), None)
    if not isinstance(text, str):
        return set()
    prefix = text if pattern.op == "startswith" else prefix_of(text)
    following = None if prefix is None else after_prefix(prefix)
    return {each for each in (prefix, following) if each is not None}


def _null(value: Truth | Number) -> Any:
    return value.null if isinstance(value, Number) else z3.Not(z3.Or(value.true, value.false))


def _as_number(value: Truth | Number) -> Number:
    return value if isinstance(value, Number) else Number(z3.If(value.true, 1, 0), _null(value))


def _choice(condition: Any, one: Truth | Number, other: Truth | Number) -> Truth | Number:
    if isinstance(one, Truth) and isinstance(other, Truth):
        return Truth(z3.If(condition, one.true, other.true), z3.If(condition, one.false, other.false))
    one, other = _as_number(one), _as_number(other)
    return Number(z3.If(condition, one.value, other.value), z3.If(condition, one.null, other.null))


def _strict(op: str, one: Number, other: Number) -> Truth:
    known = z3.And(z3.Not(one.null), z3.Not(other.null))
    holds = {
        "=": lambda a, b: a == b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    }[op](one.value, other.value)
    return Truth(z3.And(known, holds), z3.And(known, z3.Not(holds)))
