"""The language of conditions: constants, variables and applied operators, as plain values that can be compared.

Truth has three values, as in SQL. ``KINDS`` maps Spark's types to the kinds of values that are distinguished here; a
value of no kind equals nothing that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from operator import is_
from typing import Final, TypeAlias


class Kind(Enum):
    """What values are: texts by code points, whole numbers, other numbers, truth values."""

    TEXT = "text"
    WHOLE = "whole"
    NUMBER = "number"
    TRUTH = "truth"


WHOLE_RANGES: Final[Mapping[str, int]] = {"byte": 8, "short": 16, "integer": 32, "long": 64}
"""The bits of Spark's whole numbers."""
_DIGITS: Final = {"byte": 3, "short": 5, "integer": 10, "long": 19}

KINDS: Final[Mapping[str, Kind]] = {
    "string": Kind.TEXT,
    **dict.fromkeys((*WHOLE_RANGES, "date", "timestamp", "timestamp_ntz"), Kind.WHOLE),
    **dict.fromkeys(("float", "double"), Kind.NUMBER),
    "boolean": Kind.TRUTH,
}


def kind_of(type_: str | None) -> Kind | None:
    """The kind of values of a Spark type."""
    if type_ is not None and type_.startswith("decimal"):
        return Kind.NUMBER
    return None if type_ is None else KINDS.get(type_)


Value: TypeAlias = str | int | Fraction | bool | None


@dataclass(frozen=True, slots=True)
class Variable:
    """A value that is not known; the same name is the same value."""

    name: Hashable
    type: str | None = None
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.name, self.type)))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of a Spark type; None is NULL."""

    value: Value
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """A constant that is not shown. Tokens of one key are equal exactly if their constants are."""

    key: str
    digest: str
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Applied:
    """An operator or function; ``type`` is the result's, of casts and arithmetic.

    ``scope`` tells functions apart that may give different results in different sessions. Terms are keys of many
    tables, so the hash is computed once.
    """

    op: str
    args: tuple[Term, ...]
    type: str | None = None
    scope: Hashable = None
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.op, self.args, self.type, self.scope)))

    def __hash__(self) -> int:
        return self._hash


Term: TypeAlias = Variable | Constant | Token | Applied

TRUE: Final = Constant(True, "boolean")
NULL: Final = Constant(None)

COMPARISONS: Final = frozenset({"=", "<=>", "<", "<=", ">", ">=", "in", "between"})
MIRRORED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<=>": "<=>"}
"""Comparisons of two, and what each is with its sides exchanged."""
TRUTH: Final = COMPARISONS | {"and", "or", "not", "isnull", "isnotnull", "like", "startswith"}
ARITHMETIC: Final = frozenset({"+", "-", "*"})
TEXTUAL: Final = frozenset({"upper", "lower", "trim", "concat"})
KNOWN: Final = TRUTH | ARITHMETIC | TEXTUAL | {"cast", "case", "coalesce", "length"}


def kind(term: Term) -> Kind | None:
    """The kind of the term's values, if it is known."""
    match term:
        case Variable() | Constant() | Token():
            return kind_of(term.type)
        case Applied(op="case", args=args):
            return next(filter(None, map(kind, _results(args))), None)
        case Applied(op="coalesce", args=args):
            return next(filter(None, map(kind, args)), None)
        case Applied(op=op):
            if op in TRUTH:
                return Kind.TRUTH
            return Kind.TEXT if op in TEXTUAL else Kind.WHOLE if op == "length" else kind_of(term.type)


def _results(args: tuple[Term, ...]) -> Iterator[Term]:
    yield from args[1::2]
    if len(args) % 2:
        yield args[-1]


def parts(term: Term) -> Iterator[Term]:
    """The term and all terms in it."""
    pending = [term]
    while pending:
        each = pending.pop()
        yield each
        if isinstance(each, Applied):
            pending.extend(each.args)


@lru_cache(maxsize=10_000)
def variables(term: Term) -> frozenset[Hashable]:
    """The names of the variables in a term."""
    return frozenset(each.name for each in parts(term) if isinstance(each, Variable))


def rewritten(term: Term, new: Callable[[Variable], Term]) -> Term:
    """The term with each variable replaced."""
    match term:
        case Variable():
            return new(term)
        case Applied(op=op, args=args, type=type_, scope=scope):
            found = tuple([rewritten(each, new) for each in args])
            return term if all(map(is_, found, args)) else Applied(op, found, type_, scope)
        case _:
            return term


def conjuncts(term: Term) -> Iterator[Term]:
    """The conditions that hold together."""
    if isinstance(term, Applied) and term.op == "and":
        for each in term.args:
            yield from conjuncts(each)
    else:
        yield term


def prefix_of(pattern: str) -> str | None:
    """The text before the only ``%``, which ends the pattern; None for any other pattern."""
    before, percent, after = pattern.partition("%")
    return before if percent and not after and not set(before) & {"_", "\\"} else None


def is_plain(pattern: str) -> bool:
    """Whether a pattern fits nothing but itself."""
    return not set(pattern) & {"%", "_", "\\"}


def after_prefix(prefix: str) -> str | None:
    """The least text after all that begin with the prefix; None if there is none."""
    stem = prefix.rstrip("\U0010ffff")
    if not stem:
        return None
    following = ord(stem[-1]) + 1
    return stem[:-1] + chr(0xE000 if 0xD800 <= following < 0xE000 else following)


def keeps_value(one: Term, type_: str | None) -> bool:
    """Whether a cast gives the same number in every session."""
    of = one.type
    if of is None or type_ is None:
        return False
    if of == type_:
        return True
    if of not in WHOLE_RANGES:
        return False
    if type_ in WHOLE_RANGES:
        return WHOLE_RANGES[of] <= WHOLE_RANGES[type_]
    if type_ == "double":
        return WHOLE_RANGES[of] <= 32
    return type_.startswith("decimal(") and _whole_digits(type_) >= _DIGITS[of]


def _whole_digits(decimal: str) -> int:
    precision, _, scale = decimal.removeprefix("decimal(").removesuffix(")").partition(",")
    return int(precision) - int(scale) if precision.isdigit() and scale.isdigit() else 0
