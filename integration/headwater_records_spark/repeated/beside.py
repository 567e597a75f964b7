"""Groups: what is aggregated beside rounded results, and the ends of these that follow from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import Column

from headwater_records_spark.context import nodes
from headwater_records_spark.jvm import Jvm, key, kind, listed, optional, output
from headwater_records_spark.repeated.aggregates import bound_of
from headwater_records_spark.repeated.intervals import (
    Interval,
    Intervals,
    attributes_of,
    once_each,
    stripped,
)


class Beside:
    """What is aggregated beside the results of a group, and the ends that follow from it."""

    def __init__(self, jvm: Jvm, plan: Any, name: Callable[[], str]) -> None:
        self._jvm = jvm
        self._plan = plan
        self._name = name
        self._pieces: list[Any] = []
        self._ends: list[tuple[str, Any, Callable[[], tuple[Column, Column]]]] = []
        self._composed: list[tuple[str, Any]] = []
        self._values: dict[str, Interval | None] = {}

    def add(self, reading: Intervals, result: Any, aggregates: list[Any], rounded: list[bool]) -> None:
        """Have the ends of a result, if they can be known."""
        inner = stripped(result)
        if kind(inner) == "AggregateExpression":
            self._bound(reading, inner, result.toAttribute())
            return
        if any(optional(each.filter()) is not None for each in aggregates):
            return
        attributes = {}
        for each, is_one in zip(aggregates, rounded, strict=True):
            attribute = self._piece(self._jvm.column(each))
            attributes[each.resultId().id()] = attribute
            if is_one:
                self._bound(reading, each, attribute)
                self._values.setdefault(key(attribute), None)
        self._composed.append((key(result), self._put(inner, attributes)))

    def made(self, plan: Any, results: list[Any], rounded: dict[str, Interval | None]) -> Any:
        """The group with the pieces, and over it the ends, which are put into ``rounded``."""
        grouped = self._jvm.copy(plan, _1=self._jvm.seq([*results, *self._pieces]), _2=self._plan)
        columns = [end.alias(self._name()) for _, _, ends in self._ends for end in ends()]
        first = self._jvm.select(grouped, output(grouped), *columns)
        found = output(first)[len(output(grouped)) :]
        values: dict[str, Interval | None] = dict(self._values)
        for number, (name, _, _) in enumerate(self._ends):
            values[name] = Interval(*found[2 * number : 2 * number + 2])
        rounded |= {name: values[name] for name in rounded if name in values}
        there, reading = {key(each) for each in output(first)}, Intervals(self._jvm, values)
        composed = []
        for name, expression in self._composed:
            known = {key(each) for each in nodes(expression) if kind(each) == "AttributeReference"} <= there
            ends = reading.ends(expression) if known else None
            if ends is not None:
                composed.append((name, *ends))
        wanted = [each.toAttribute() for each in results]
        kept = once_each([each for interval in rounded.values() for each in attributes_of(interval)])
        last = self._jvm.select(
            first, [*wanted, *kept], *[end.alias(self._name()) for _, *ends in composed for end in ends]
        )
        more = output(last)[len(wanted) + len(kept) :]
        for number, (name, _, _) in enumerate(composed):
            rounded[name] = Interval(*more[2 * number : 2 * number + 2])
        return last

    def _bound(self, reading: Intervals, aggregate: Any, value: Any) -> None:
        bound = bound_of(self._jvm, reading, aggregate)
        if bound is None:
            return
        pieces = [self._jvm.column(self._piece(each)) for each in bound.pieces]
        self._ends.append((key(value), value, lambda: bound.ends(self._jvm.column(value), pieces)))

    def _piece(self, column: Column) -> Any:
        alias = self._jvm.aggregate(self._plan, column.alias(self._name()))
        self._pieces.append(alias)
        return alias.toAttribute()

    def _put(self, expression: Any, attributes: dict[int, Any]) -> Any:
        if kind(expression) == "AggregateExpression":
            return attributes[expression.resultId().id()]
        children = listed(expression.children())
        if not children:
            return expression
        return expression.withNewChildren(self._jvm.seq([self._put(each, attributes) for each in children]))
