"""Conditions on one variable as sets of intervals: what decides most questions without a solver.

A set is a sorted tuple of pairs of cuts, each from one cut up to another. A cut stands before (0) or after (1) a value;
of whole numbers, only before.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

from headwater_backend.active.terms import (
    MIRRORED,
    Applied,
    Constant,
    Kind,
    Term,
    Value,
    Variable,
    after_prefix,
    is_plain,
    kind,
    prefix_of,
)

Cut: TypeAlias = tuple[Any, ...]
Set: TypeAlias = tuple[tuple[Cut, Cut], ...]

_LEAST: Final[Cut] = (-1,)
_GREATEST: Final[Cut] = (1,)
ALL: Final[Set] = ((_LEAST, _GREATEST),)
NONE: Final[Set] = ()


@dataclass(frozen=True, slots=True)
class Cases:
    """Of which values a condition is true and of which false, and what it is of NULL. It is NULL of all others."""

    true: Set
    false: Set
    null: bool | None


@dataclass(frozen=True, slots=True)
class Single:
    """A condition on one variable; of none, it is the same whatever the values are."""

    name: Hashable
    kind: Kind | None
    cases: Cases


def _cut(value: Any, after: bool) -> Cut:
    if isinstance(value, int) and not isinstance(value, bool):
        return (0, value + after, 0)
    return (0, value, int(after))


def _below(value: Any, *, too: bool) -> Set:
    return ((_LEAST, _cut(value, too)),)


def _above(value: Any, *, too: bool) -> Set:
    return ((_cut(value, not too), _GREATEST),)


def _point(value: Any) -> Set:
    return ((_cut(value, False), _cut(value, True)),)


def union(*sets: Set) -> Set:
    """The values in any of the sets."""
    found: list[tuple[Cut, Cut]] = []
    for low, high in sorted(pair for each in sets for pair in each):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def complement(values: Set) -> Set:
    """All other values."""
    cuts = [_LEAST, *(cut for pair in values for cut in pair), _GREATEST]
    return tuple((low, high) for low, high in zip(cuts[::2], cuts[1::2], strict=True) if low < high)


def intersection(one: Set, other: Set) -> Set:
    """The values in both."""
    pairs = ((max(a, c), min(b, d)) for a, b in one for c, d in other)
    return tuple((low, high) for low, high in pairs if low < high)


@lru_cache(maxsize=100_000)
def single(term: Term) -> Single | None:
    """The condition, if it is on one variable and understood here."""
    match term:
        case Constant(value=bool() | None as value):
            return _always(value)
        case Variable(type="boolean"):
            return Single(term.name, Kind.TRUTH, Cases(_point(True), _point(False), None))
        case Applied(op="not", args=(inner,)):
            found = single(inner)
            return found and Single(found.name, found.kind, _not(found.cases))
        case Applied(op="and" | "or" as op, args=args):
            return _joined(op, [single(each) for each in args])
        case Applied(op="isnull" | "isnotnull" as op, args=(Variable() as variable,)):
            null = Cases(NONE, ALL, True)
            return Single(variable.name, kind(variable), null if op == "isnull" else _not(null))
        case Applied(op=op, args=args):
            return _compared(op, args)
        case _:
            return None


def _always(value: bool | None) -> Single:
    """What is so for all values."""
    true, false = {True: (ALL, NONE), False: (NONE, ALL), None: (NONE, NONE)}[value]
    return Single(None, None, Cases(true, false, value))


def _not(cases: Cases) -> Cases:
    return Cases(cases.false, cases.true, None if cases.null is None else not cases.null)


def _joined(op: str, found: list[Single | None]) -> Single | None:
    """A conjunction, or by De Morgan a disjunction, of conditions on the same variable."""
    if not found or None in found:
        return None
    known = [each for each in found if each is not None]
    names = {(each.name, each.kind) for each in known if each.kind is not None or each.name is not None}
    if len({name for name, _ in names}) > 1 or len({k for _, k in names if k is not None}) > 1:
        return None
    cases = [each.cases if op == "and" else _not(each.cases) for each in known]
    whole = cases[0]
    for each in cases[1:]:
        whole = Cases(
            intersection(whole.true, each.true), union(whole.false, each.false), _and(whole.null, each.null)
        )
    name = next((name for name, _ in names), None)
    kind_ = next((k for _, k in names if k is not None), None)
    return Single(name, kind_, whole if op == "and" else _not(whole))


def _and(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _compared(op: str, args: tuple[Term, ...]) -> Single | None:
    """A comparison of a variable with constants of its kind."""
    if len(args) == 2 and isinstance(args[0], Constant) and isinstance(args[1], Variable):
        return _compared(MIRRORED[op], (args[1], args[0])) if op in MIRRORED else None
    if args and isinstance(args[0], Constant):
        return _of_constants(op, args[0], args[1:])
    if not args or not isinstance(args[0], Variable):
        return None
    variable, values = args[0], _values(args[1:], kind(args[0]))
    found = None if values is None else _cases(op, values)
    return None if found is None else Single(variable.name, kind(variable), found)


def _of_constants(op: str, one: Constant, others: tuple[Term, ...]) -> Single | None:
    """A comparison of constants of one kind, as a column is in that was written as one."""
    values = _values(others, kind(one))
    found = None if values is None else _cases(op, values)
    if found is None:
        return None
    if one.value is None:
        return _always(found.null)
    at = _point(one.value)
    is_true, is_false = (bool(intersection(at, each)) for each in (found.true, found.false))
    return _always(True if is_true else False if is_false else None)


def _values(args: tuple[Term, ...], of: Kind | None) -> list[Value] | None:
    """The constants, if they are such and of the kind."""
    known = [each.value for each in args if isinstance(each, Constant)]
    alike = all(kind(each) is of or (isinstance(each, Constant) and each.value is None) for each in args)
    return known if of is not None and alike and len(known) == len(args) else None


def _cases(op: str, values: list[Value]) -> Cases | None:
    given = [each for each in values if each is not None]
    unknown = len(given) < len(values)
    match op, given:
        case "in", _:
            listed = union(*map(_point, given))
            return Cases(listed, NONE if unknown else complement(listed), None)
        case "<=>", []:
            return Cases(NONE, ALL, True)
        case "<=>", [value]:
            return Cases(_point(value), complement(_point(value)), False)
        case (("=" | "<" | "<=" | ">" | ">="), []):
            return Cases(NONE, NONE, None)
        case (("=" | "<" | "<=" | ">" | ">="), [value]):
            true = _SETS[op](value)
            return Cases(true, complement(true), None)
        case "between", [low, high]:
            true = intersection(_above(low, too=True), _below(high, too=True))
            return Cases(true, complement(true), None)
        case (("like" | "startswith"), [str(text)]):
            return _pattern(op, text)
        case _:
            return None


_SETS: Final[dict[str, Any]] = {
    "=": _point,
    "<": lambda value: _below(value, too=False),
    "<=": lambda value: _below(value, too=True),
    ">": lambda value: _above(value, too=False),
    ">=": lambda value: _above(value, too=True),
}


def _pattern(op: str, text: str) -> Cases | None:
    if op == "like" and is_plain(text):
        return Cases(_point(text), complement(_point(text)), None)
    prefix = text if op == "startswith" else prefix_of(text)
    if prefix is None:
        return None
    following = after_prefix(prefix)
    true = ALL if following is None else _below(following, too=False)
    true = intersection(true, _above(prefix, too=True))
    return Cases(true, complement(true), None)


def contradict(conditions: Iterable[Single]) -> bool:
    """Whether no values of the variables make all the conditions true."""
    allowed: dict[Hashable, tuple[Set, bool]] = {}
    for each in conditions:
        key = (each.name, each.kind)
        values, null = allowed.get(key, (ALL, True))
        allowed[key] = (intersection(values, each.cases.true), null and each.cases.null is True)
        if allowed[key] == (NONE, False):
            return True
    return False
