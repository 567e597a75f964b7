"""Aggregates whose result depends on the order of their arguments, and by how much, by other aggregates beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from headwater_records import rounding
from headwater_records_spark.jvm import Jvm, kind, listed, optional
from headwater_records_spark.repeated.intervals import Intervals

EXACT = {
    "Min", "Max", "Count", "First", "Last", "AnyValue", "CollectList", "CollectSet", "MaxBy", "MinBy", "Mode",
    "Percentile", "PercentileCont", "PercentileDisc", "Median",
}  # fmt: skip
"""Aggregates that give floating point numbers, and the same ones in every order."""
SUMS = {"Sum", "Average"}
MOMENTS = {"VariancePop": 0, "VarianceSamp": 1, "StddevPop": 0, "StddevSamp": 1}
"""What is taken from the count to divide by."""
FLOATING = ("double", "float")
INFINITE = float("inf")
Ends = tuple[Column, Column]


@dataclass(frozen=True, slots=True)
class Bound:
    """Aggregates to have beside one, and the ends of its value, of which and of theirs they follow."""

    pieces: list[Column]
    ends: Callable[[Column, Sequence[Column]], Ends]


def is_rounded(intervals: Intervals, expression: Any) -> bool:
    """Whether the value of an aggregate may be another in its last digits when it runs again."""
    function = expression.aggregateFunction()
    name = kind(function)
    if name == "Count" and not expression.isDistinct():
        return any(
            intervals.touches(each) and intervals.ends(each) is None for each in listed(function.children())
        )
    if intervals.touches(function):
        return True
    given = expression.dataType().catalogString()
    return name not in EXACT and any(each in given for each in FLOATING)


def bound_of(jvm: Jvm, intervals: Intervals, expression: Any) -> Bound | None:
    """How far the value of a rounded aggregate may be off; None if that is not known."""
    function = expression.aggregateFunction()
    name = kind(function)
    argument = listed(function.children())[0] if function.children().nonEmpty() else None
    if name not in {*SUMS, *MOMENTS, "Min", "Max"} or argument is None:
        return None
    given = intervals.ends(argument)
    condition = optional(expression.filter())
    if given is None or (condition is not None and intervals.touches(condition)):
        return None
    used = F.lit(True) if condition is None else jvm.column(condition)
    low, high = (F.when(used, each) for each in given)
    if name in {"Min", "Max"}:
        least = F.min if name == "Min" else F.max
        known = F.max(F.when(used, jvm.column(argument).isNotNull() & given[0].isNull()))
        return Bound([least(low), least(high), known], _chosen)
    if expression.dataType().catalogString() != "double":
        return None
    value = F.when(used, jvm.column(argument)).cast("double")
    if name in MOMENTS:
        return None if intervals.touches(argument) else _moments(name, value)
    return _sum(name, value, low.cast("double"), high.cast("double"))


def _chosen(value: Column, pieces: Sequence[Column]) -> Ends:
    """The least or the greatest of values is among the least, or greatest, of their ends."""
    low, high, boundless = pieces
    known = ~F.coalesce(boundless, F.lit(False))
    return F.when(known, low), F.when(known, high)


def _finite(value: Column) -> Column:
    """The value, NULL if it is infinite or no number, which in Spark is greater than all."""
    return F.when(F.abs(value) < F.lit(INFINITE), value)


def _sum(name: str, value: Column, low: Column, high: Column) -> Bound:
    """A sum, or an average: exact if all are whole numbers and no partial sum is too large to be one."""
    largest = F.greatest(F.abs(low), F.abs(high))
    apart = F.when(low.eqNullSafe(high), F.lit(0.0)).otherwise(high - low)
    pieces = [
        F.count(value).cast("double"),
        F.coalesce(F.sum(_finite(largest)), F.lit(0.0)),
        # NULL ends of a value that is there make it a number of no kind, and the sum with it
        F.sum(F.when(value.isNotNull() & low.isNull(), F.lit(float("nan"))).otherwise(apart)),
        F.coalesce(F.max(F.rint(value) != value), F.lit(False)),
    ]

    def ends(result: Column, given: Sequence[Column]) -> Ends:
        count, magnitude, spread, parts = given
        whole = ~parts & (spread == F.lit(0.0)) & (magnitude <= F.lit(rounding.WHOLE))
        error = F.when(whole, F.lit(0.0)).otherwise(spread * 2 + rounding.of_sum(count, magnitude))
        if name == "Average":
            error = F.when(whole, F.lit(0.0)).otherwise(rounding.of_quotient(error, count, F.abs(result)))
        bounded = (magnitude < F.lit(rounding.LARGEST)) & (spread < F.lit(rounding.LARGEST))
        return _around(result, error, bounded)

    return Bound(pieces, ends)


def _moments(name: str, value: Column) -> Bound:
    """A variance, or its root."""
    pieces = [F.count(value).cast("double"), F.coalesce(F.sum(_finite(value) * _finite(value)), F.lit(0.0))]

    def ends(result: Column, given: Sequence[Column]) -> Ends:
        count, squares = given
        error = rounding.of_squares(count, squares, F.sqrt(count)) / (count - MOMENTS[name])
        bounded = squares < F.lit(rounding.LARGEST)
        if name.startswith("Var"):
            return _around(result, error + result * (8 * rounding.UNIT), bounded)
        low = F.sqrt(F.greatest(F.lit(0.0), result * result - error)) * (1 - 8 * rounding.UNIT)
        high = F.sqrt(result * result + error) * (1 + 8 * rounding.UNIT)
        certain = ~(F.abs(result) < F.lit(INFINITE))
        return (
            F.when(bounded, F.when(certain, result).otherwise(low)),
            F.when(bounded, F.when(certain, result).otherwise(high)),
        )

    return Bound(pieces, ends)


def _around(result: Column, error: Column, bounded: Column) -> Ends:
    """The ends of a number; what is infinite or none is that in every order, if no partial sum may be infinite."""
    off = F.when(F.abs(result) < F.lit(INFINITE), error).otherwise(F.lit(0.0))
    return F.when(bounded, result - off), F.when(bounded, result + off)
