"""Initial conditions: what holds of the rows that a question is about, as SQL that somebody typed.

Unlike a job's conditions, of which whatever is not understood is left open, one that is not understood is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from headwater_backend.active.carrying import Fact, Here, Reason
from headwater_backend.active.terms import Applied, Constant, Kind, Term, Variable, conjuncts, kind_of
from headwater_backend.domain.errors import BadCondition
from headwater_backend.domain.model import PathSteps
from headwater_backend.domain.moments import EPOCH, micros
from headwater_backend.questions.resolving import did_you_mean, written

MOST_CHARACTERS: Final = 10_000
_DEEPEST: Final = 50
_SUPPORTED: Final = (
    "columns may be compared with constants and with columns of their type: = <> < <= > >= <=> IN BETWEEN LIKE"
    " IS NULL, with AND OR NOT, and with upper, lower, trim, length and coalesce"
)
_COMPARISONS: Final = {"EQ": "=", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">=", "NullSafeEQ": "<=>"}
_TEXTUAL: Final = {"Upper": "upper", "Lower": "lower", "Trim": "trim"}

Types = Mapping[PathSteps, str | None]
"""The known paths of a dataset, with Spark's types."""


def read_conditions(text: str, types: Types) -> tuple[Fact, ...]:
    """The parts of a condition that hold together. Raises ``BadCondition`` with the position, in characters from 1."""
    if len(text) > MOST_CHARACTERS:
        raise BadCondition(f"the condition has more than {MOST_CHARACTERS:,} characters", "ask with fewer")
    try:
        found = [each for each in sqlglot.parse(text, dialect="spark") if each is not None]
    except ParseError as e:
        at = next((each.get("col") for each in e.errors), None)
        raise _bad("the condition is no SQL", at) from e
    except TokenError as e:
        raise _bad("the condition is no SQL: a text or a name does not end", len(text)) from e
    except RecursionError as e:
        raise _bad("the condition is too deep") from e
    if len(found) != 1:
        raise _bad(
            "there are several statements, and a condition is one" if found else "there is no condition", 1
        )
    return tuple(_facts(_Reader(types).truth(found[0]), found[0]))


def _facts(term: Term, tree: exp.Expr) -> list[Fact]:
    parts = list(tree.flatten()) if isinstance(tree, exp.And) else [tree]
    texts = [each.sql(dialect="spark") for each in parts]
    terms = list(conjuncts(term))
    whole = tree.sql(dialect="spark")
    named = zip(terms, texts, strict=True) if len(texts) == len(terms) else ((each, whole) for each in terms)
    return [Fact(each, (Reason(None, sql),)) for each, sql in named]


def _bad(message: str, at: int | None = None, hint: str | None = _SUPPORTED) -> BadCondition:
    return BadCondition(f"{message}, at character {at}" if at else message, hint)


def _position(tree: exp.Expr) -> int | None:
    """Where an expression, or the first name in it, is in the text."""
    starts = [each.meta["start"] + 1 for each in tree.walk() if "start" in each.meta]
    return min(starts, default=None)


@dataclass(frozen=True, slots=True)
class _Typed:
    """A value with its type; None for a constant that takes the type of what it is compared with."""

    term: Term | None
    type: str | None
    tree: exp.Expr


class _Reader:
    def __init__(self, types: Types) -> None:
        self._types = types
        self._truths: Mapping[str, Callable[[Any, int], Term]] = {
            "Paren": lambda e, depth: self.truth(e.this, depth),
            "Not": lambda e, depth: Applied("not", (self.truth(e.this, depth),)),
            "And": lambda e, depth: self._joined("and", e, depth),
            "Or": lambda e, depth: self._joined("or", e, depth),
            "NEQ": lambda e, depth: Applied("not", (self._compared("=", [e.this, e.expression]),)),
            "In": lambda e, depth: self._compared("in", [e.this, *self._listed(e)]),
            "Between": lambda e, depth: self._between(e),
            "Like": lambda e, depth: self._compared("like", [e.this, e.expression]),
            "Is": lambda e, depth: self._is(e),
            "Boolean": lambda e, depth: Constant(bool(e.this), "boolean"),
            "Column": lambda e, depth: self._flag(e),
        }

    def truth(self, e: exp.Expr, depth: int = 0) -> Term:
        """A condition as a term."""
        name = type(e).__name__
        if depth > _DEEPEST:
            raise _bad("the condition is too deep", _position(e))
        if name in _COMPARISONS:
            return self._compared(_COMPARISONS[name], [e.this, e.expression])
        if name not in self._truths:
            raise _bad(f"{e.sql(dialect='spark')} is no condition that is understood here", _position(e))
        return self._truths[name](e, depth + 1)

    def _joined(self, op: str, e: exp.Expr, depth: int) -> Term:
        return Applied(op, tuple(self.truth(each, depth) for each in e.flatten()))

    def _between(self, e: exp.Expr) -> Term:
        if e.args.get("symmetric"):
            raise _bad("BETWEEN SYMMETRIC is not understood here", _position(e))
        return self._compared("between", [e.this, e.args["low"], e.args["high"]])

    def _listed(self, e: exp.Expr) -> list[exp.Expr]:
        if e.args.get("query") or e.args.get("unnest"):
            raise _bad("a query in a condition is not understood here", _position(e))
        return list(e.expressions)

    def _flag(self, e: exp.Expr) -> Term:
        found = self._value(e)
        if found.type != "boolean" or found.term is None:
            raise _bad(f"{e.sql(dialect='spark')} is no truth value", _position(e))
        return found.term

    def _is(self, e: exp.Expr) -> Term:
        value = self._value(e.this)
        if not isinstance(e.expression, exp.Null) or value.term is None:
            raise _bad(f"{e.sql(dialect='spark')} is not understood here", _position(e))
        return Applied("isnull", (value.term,))

    def _compared(self, op: str, trees: list[exp.Expr]) -> Term:
        values = [self._value(each) for each in trees]
        types = dict.fromkeys(each.type for each in values if each.type is not None)
        if len(types) != 1:
            shown = f"across types: {' and '.join(types)}" if types else "with constants alone, and is one"
            raise _bad(f"{trees[0].sql(dialect='spark')} is compared {shown}", _position(trees[0]))
        type_ = next(iter(types))
        if kind_of(type_) is None or (op == "like" and type_ != "string"):
            raise _bad(f"values of type {type_} are not compared here", _position(trees[0]))
        return Applied(op, tuple(_as(each, type_) for each in values))

    def _value(self, e: exp.Expr) -> _Typed:
        name = type(e).__name__
        if isinstance(e, exp.Paren):
            return self._value(e.this)
        if isinstance(e, exp.Column | exp.Dot):
            return self._column(e)
        if name in _TEXTUAL or isinstance(e, exp.Length):
            inner = self._value(e.this)
            if inner.type != "string" or inner.term is None:
                raise _bad(f"{e.sql(dialect='spark')} is not of a text", _position(e))
            if e.args.get("expression") or e.args.get("position"):
                raise _bad(f"{e.sql(dialect='spark')} is not understood here", _position(e))
            op = _TEXTUAL.get(name, "length")
            return _Typed(Applied(op, (inner.term,)), "string" if name in _TEXTUAL else "integer", e)
        if isinstance(e, exp.Coalesce):
            return self._coalesce(e)
        if isinstance(e, exp.Literal | exp.Null | exp.Neg | exp.Boolean) or _is_typed_literal(e):
            return _Typed(None, None, e)
        raise _bad(f"{e.sql(dialect='spark')} is not understood here", _position(e))

    def _coalesce(self, e: exp.Expr) -> _Typed:
        values = [self._value(each) for each in (e.this, *e.expressions)]
        types = {each.type for each in values if each.type is not None}
        if len(types) != 1:
            raise _bad(f"{e.sql(dialect='spark')} has no type, or several", _position(e))
        type_ = types.pop()
        return _Typed(Applied("coalesce", tuple(_as(each, type_) for each in values)), type_, e)

    def _column(self, e: exp.Column | exp.Dot) -> _Typed:
        path = tuple(part.name for part in e.parts)
        found = path if path in self._types else self._without_regard_to_capitals(path)
        if found is None:
            known = (written(each) for each in self._types)
            name = ".".join(path)
            hint = did_you_mean(name, known)
            raise _bad(f"there is no path {name} in the dataset of the question", _position(e), hint)
        return _Typed(Variable(Here(found), self._types[found]), self._types[found] or "of unknown type", e)

    def _without_regard_to_capitals(self, path: PathSteps) -> PathSteps | None:
        """As Spark finds names, where only one is meant."""
        alike = [each for each in self._types if [s.lower() for s in each] == [s.lower() for s in path]]
        return alike[0] if len(alike) == 1 else None


def _is_typed_literal(e: exp.Expr) -> bool:
    """``DATE '2026-01-01'``."""
    return isinstance(e, exp.Cast) and isinstance(e.this, exp.Literal) and e.this.is_string


def _as(value: _Typed, type_: str | None) -> Term:
    if value.term is not None:
        return value.term
    constant = _constant(value.tree, kind_of(type_), type_ or "")
    if constant is None:
        raise _bad(f"{value.tree.sql(dialect='spark')} is no value of type {type_}", _position(value.tree))
    return constant


def _constant(e: exp.Expr, of: Kind | None, type_: str) -> Constant | None:
    """The constant as a value of the type; None if it is not certain to be one."""
    if isinstance(e, exp.Null):
        return Constant(None, type_)
    if isinstance(e, exp.Boolean):
        return Constant(bool(e.this), type_) if of is Kind.TRUTH else None
    text = (
        e.this.name if _is_typed_literal(e) else e.sql(dialect="spark") if isinstance(e, exp.Neg) else e.name
    )
    is_text = isinstance(e, exp.Literal) and e.is_string
    if of is Kind.TEXT:
        return Constant(e.name, type_) if is_text else None
    try:
        found = _moment(text, type_) if type_.startswith(("date", "timestamp")) else _number(text, of, type_)
    except ValueError:
        return None
    return None if is_text and not type_.startswith(("date", "timestamp")) else Constant(found, type_)


def _moment(text: str, type_: str) -> int:
    """Days since 1970, or microseconds; a time without a zone is taken in UTC."""
    if type_ == "date":
        return (date.fromisoformat(text) - EPOCH.date()).days
    return micros(datetime.fromisoformat(text))


def _number(text: str, of: Kind | None, type_: str) -> int | Fraction:
    text = text.replace(" ", "")
    if of is Kind.WHOLE:
        return int(text)
    return Fraction(text) if type_.startswith("decimal") else Fraction(float(text))
