"""The least and the greatest that an expression can be, and whether it decides alike for all values in between.

Arithmetic in floating point keeps the order of numbers, as rounding does. So the extremes of an expression in which all
that is above a rounded value keeps or reverses the order are among its values at the ends of that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import product
from operator import and_, or_
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from headwater_records_spark.errors import UnrepeatableError
from headwater_records_spark.jvm import Jvm, key, kind, listed

MOST_LEAVES = 4
NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
ANY_CHILD = {
    "Alias", "KnownNotNull", "KnownNullable", "KnownFloatingPointNormalized", "NormalizeNaNAndZero",
    "TempResolvedColumn", "UnaryMinus", "UnaryPositive", "Add", "Subtract", "Multiply", "Floor", "Ceil",
    "CheckOverflow", "PromotePrecision", "Least", "Greatest", "Coalesce",
}  # fmt: skip
"""Expressions that keep or reverse the order of each of their arguments."""
FIRST_CHILD = {"Divide", "Round", "BRound", "RoundCeil", "RoundFloor"}
"""Those that do so with the first one."""
COMPARED: dict[str, Callable[[Column, Column], Column]] = {
    "LessThan": Column.__lt__,
    "LessThanOrEqual": Column.__le__,
    "GreaterThan": Column.__gt__,
    "GreaterThanOrEqual": Column.__ge__,
}
EQUAL = {"EqualTo", "EqualNullSafe"}


@dataclass(frozen=True, slots=True)
class Interval:
    """The attributes of the least and the greatest value; both NULL, beside one that is not: it can be any."""

    low: Any
    high: Any


Rounded = Mapping[str, Interval | None]
"""By the keys of attributes that may be another in their last digits how far; None if that is not known."""


@dataclass(frozen=True, slots=True)
class Ends:
    """A rounded part of an expression, with the expressions of its ends."""

    value: Any
    low: Any
    high: Any


class Intervals:
    """Reads expressions over rounded attributes."""

    def __init__(
        self, jvm: Jvm, rounded: Rounded, subqueries: Callable[[Any], Ends | None] | None = None
    ) -> None:
        self._jvm = jvm
        self._rounded = rounded
        self._subqueries = subqueries

    def touches(self, expression: Any) -> bool:
        """Whether the expression uses a rounded value."""
        name = kind(expression)
        if name == "AttributeReference":
            return key(expression) in self._rounded
        if name == "ScalarSubquery" and self._subqueries is not None:
            return self._subqueries(expression) is not None
        return any(self.touches(each) for each in listed(expression.children()))

    def ends(self, expression: Any) -> tuple[Column, Column] | None:
        """The least and the greatest that an expression can be, in columns; None if that is not known."""
        found = self._corners(expression)
        if found is None:
            return None
        corners, leaves = found
        columns = [self._jvm.column(each) for each in corners]
        known = reduce(and_, (each.isNotNull() for each in columns)) & ~self._boundless(leaves)
        least = F.least(*columns) if len(columns) > 1 else columns[0]
        greatest = F.greatest(*columns) if len(columns) > 1 else columns[0]
        return F.when(known, least), F.when(known, greatest)

    def unsettled(self, expression: Any) -> Column:
        """Whether the value of an expression is another for some values in between; an UnrepeatableError if unknown."""
        if not self.touches(expression):
            return F.lit(False)
        name = kind(expression)
        if name in {"And", "Or"}:
            return self._unsettled_parts(listed(expression.children()), name == "Or")
        if name == "Not":
            return self.unsettled(expression.child())
        if name in COMPARED or name in EQUAL:
            return self._compared(name, *listed(expression.children()))
        if name == "In":
            return reduce(
                or_,
                (self._compared("EqualTo", expression.value(), each) for each in listed(expression.list())),
            )
        corners, leaves = self._known(expression.child() if name in {"IsNull", "IsNotNull"} else expression)
        value, *others = [self._jvm.column(each) for each in corners]
        if name in {"IsNull", "IsNotNull"}:
            value, *others = [each.isNull() for each in (value, *others)]
        differ = [~each.eqNullSafe(value) for each in others] or [F.lit(False)]
        return reduce(or_, differ) | self._boundless(leaves)

    def _unsettled_parts(self, parts: list[Any], decided_by: bool) -> Column:
        """Of parts of which one that is ``decided_by`` decides alone: one is unsettled, and none decides alone."""
        unsettled = [self.unsettled(each) for each in parts]
        decides = [
            F.coalesce(self._jvm.column(each) == F.lit(decided_by), F.lit(False)) & ~doubt
            for each, doubt in zip(parts, unsettled, strict=True)
        ]
        return reduce(or_, unsettled) & ~reduce(or_, decides)

    def _compared(self, name: str, left: Any, right: Any) -> Column:
        """A comparison; an equality is settled if both that one is not less and that it is not greater are."""
        (lefts, left_leaves), (rights, right_leaves) = self._known(left), self._known(right)
        doubt = self._boundless([*left_leaves, *right_leaves])
        for compare in (Column.__le__, Column.__ge__) if name in EQUAL else (COMPARED[name],):
            value, *others = [
                compare(self._jvm.column(a), self._jvm.column(b)) for a, b in product(lefts, rights)
            ]
            for each in others:
                doubt |= ~each.eqNullSafe(value)
        return doubt

    def _known(self, expression: Any) -> tuple[list[Any], list[Ends]]:
        found = self._corners(expression)
        if found is None:
            raise UnrepeatableError(
                f"{expression.sql()} decides, and how much rounding changes it is not known"
            )
        return found

    def _corners(self, expression: Any) -> tuple[list[Any], list[Ends]] | None:
        """The expression with its rounded parts at each end of theirs, and these; itself if it has none."""
        leaves = self._leaves(expression)
        if leaves is None or len(leaves) > MOST_LEAVES:
            return None
        if not leaves:
            return [expression], []
        chosen = product(*[(each.low, each.high) for each in leaves])
        return [self._put(expression, list(each)) for each in chosen], leaves

    def _leaves(self, expression: Any) -> list[Ends] | None:
        """The rounded parts, in order; None if one is not known, or something above it does not keep the order."""
        if not self.touches(expression):
            return []
        leaf = self._leaf(expression)
        if leaf is not None:
            return None if leaf.low is None else [leaf]
        children = listed(expression.children())
        allowed = _keeping_order(expression, children)
        found: list[Ends] = []
        for place, each in enumerate(children):
            below = self._leaves(each)
            if below is None or (below and place not in allowed):
                return None
            found += below
        return found

    def _leaf(self, expression: Any) -> Ends | None:
        name = kind(expression)
        if name == "AttributeReference":
            interval = self._rounded[key(expression)]
            return (
                Ends(expression, None, None)
                if interval is None
                else Ends(expression, interval.low, interval.high)
            )
        if name == "ScalarSubquery" and self._subqueries is not None:
            return self._subqueries(expression)
        return None

    def _put(self, expression: Any, ends: list[Any]) -> Any:
        """The expression with these in the places of its rounded parts; they are taken out of the list."""
        if not self.touches(expression):
            return expression
        if self._leaf(expression) is not None:
            return ends.pop(0)
        children = [self._put(each, ends) for each in listed(expression.children())]
        return expression.withNewChildren(self._jvm.seq(children))

    def _boundless(self, leaves: list[Ends]) -> Column:
        """Whether one of these can be any value."""
        doubt = [
            self._jvm.column(each.value).isNotNull() & self._jvm.column(each.low).isNull() for each in leaves
        ]
        return reduce(or_, doubt, F.lit(False))


def _keeping_order(expression: Any, children: list[Any]) -> set[int]:
    """The places of the arguments whose order an expression keeps or reverses."""
    name = kind(expression)
    if name in ANY_CHILD:
        return set(range(len(children)))
    if name in FIRST_CHILD:
        return {0}
    if name == "Cast":
        kinds = (expression.dataType(), children[0].dataType())
        return {0} if all(each.catalogString().startswith(NUMBERS) for each in kinds) else set()
    if name == "If":
        return {1, 2}
    if name == "CaseWhen":
        pairs = len(children) // 2 * 2
        return {*range(1, pairs, 2), *range(pairs, len(children))}
    return set()


def attributes_of(interval: Interval | None) -> list[Any]:
    """The two attributes, if there are some."""
    return [] if interval is None else [interval.low, interval.high]


def once_each(attributes: list[Any]) -> list[Any]:
    """Each attribute once."""
    return list({key(each): each for each in attributes}.values())


def stripped(expression: Any) -> Any:
    """An expression without its name."""
    while kind(expression) == "Alias":
        expression = expression.child()
    return expression
