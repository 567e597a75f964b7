"""The plan with the ends of each rounded value beside it, operator by operator, and what it decides by such values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from itertools import count
from operator import or_
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from headwater_records_spark.context import conjuncts, nodes
from headwater_records_spark.errors import UnrepeatableError
from headwater_records_spark.jvm import (
    CATALYST,
    EXPRESSIONS,
    LOGICAL,
    Jvm,
    key,
    kind,
    listed,
    optional,
    output,
)
from headwater_records_spark.normal import normal
from headwater_records_spark.operators.groups import PYTHON_AGGREGATES
from headwater_records_spark.operators.windows import RANKS
from headwater_records_spark.repeated.aggregates import is_rounded
from headwater_records_spark.repeated.beside import Beside
from headwater_records_spark.repeated.decisions import Decision, OfFirst, OfOrder, OfRows, ordered_by
from headwater_records_spark.repeated.intervals import (
    Ends,
    Interval,
    Intervals,
    Rounded,
    attributes_of,
    once_each,
    stripped,
)

PASSING = {
    "Sort", "LocalLimit", "Repartition", "RepartitionByExpression", "RebalancePartitions", "SubqueryAlias",
    "ResolvedHint", "CollectMetrics",
}  # fmt: skip
"""Operators that give their input's rows, and decide nothing; of a limit, the global one decides."""
KEEPING_ORDER = {
    "GlobalLimit",
    "LocalLimit",
    "Offset",
    "Project",
    "SubqueryAlias",
    "ResolvedHint",
    "CollectMetrics",
}


BEGINNING = {"Aggregate", "Window", "GlobalLimit", "Offset"}
"""Operators that may round, or be decided by what was rounded, where nothing that they are given is."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """A plan whose first columns are those of the one that it stands for; the ends of ``rounded`` ones come after."""

    plan: Any
    rounded: Rounded = field(default_factory=dict)
    inputs: tuple[Bounded, ...] = ()


class Bounding:
    """Goes through one plan; ``decisions`` are what it was found to decide by rounded values."""

    def __init__(self, jvm: Jvm) -> None:
        self.decisions: list[Decision] = []
        self._jvm = jvm
        self._numbers = count(1)
        self._subqueries: dict[int, Ends | None] = {}
        self._rules: dict[str, Callable[[Any, list[Bounded]], Bounded]] = {
            **dict.fromkeys(PASSING, self._passed),
            "Project": self._project,
            "Filter": self._filter,
            "GlobalLimit": self._limit,
            "Offset": self._limit,
            "Aggregate": self._aggregate,
            "Join": self._join,
            "Union": self._union,
            "Expand": self._expand,
            "Window": self._window,
            "Generate": self._generate,
        }

    def of(self, plan: Any) -> Bounded:
        """The plan with ends; an UnrepeatableError if it decides by rounded values and it is not known how."""
        inputs = [self.of(each) for each in listed(plan.children())]
        given = any(each.rounded for each in inputs)
        rule = self._rules.get(kind(plan))
        begins = rule is not None and (kind(plan) in BEGINNING or not plan.subqueries().isEmpty())
        if not given and not begins:
            return Bounded(self._over(plan, inputs), {}, tuple(inputs))
        if rule is None:
            raise UnrepeatableError(
                f"{kind(plan)} is given sums of floating point numbers, and what rounding changes in it is not known"
            )
        return rule(plan, inputs)

    def _passed(self, plan: Any, inputs: list[Bounded]) -> Bounded:
        (only,) = inputs
        return Bounded(self._over(plan, inputs), only.rounded, tuple(inputs))

    def _project(self, plan: Any, inputs: list[Bounded]) -> Bounded:
        (only,) = inputs
        reading = self._reading(only.rounded)
        results = listed(plan.projectList())
        rounded: dict[str, Interval | None] = {}
        more: list[tuple[str, Column, Column]] = []
        for each in results:
            if not reading.touches(each):
                continue
            inner = stripped(each)
            if kind(inner) == "AttributeReference":
                rounded[key(each)] = only.rounded[key(inner)]
                continue
            ends = reading.ends(inner)
            rounded[key(each)] = None
            if ends is not None:
                more.append((key(each), *ends))
        if not rounded:
            return Bounded(self._over(plan, inputs), {}, tuple(inputs))
        kept = [each for interval in rounded.values() for each in attributes_of(interval)]
        columns = [end.alias(self._name()) for _, *ends in more for end in ends]
        made = self._jvm.select(only.plan, [*results, *once_each(kept)], *columns)
        attributes = output(made)[len(output(made)) - len(columns) :] if columns else []
        for number, (name, _, _) in enumerate(more):
            rounded[name] = Interval(*attributes[2 * number : 2 * number + 2])
        return Bounded(made, rounded, tuple(inputs))

    def _filter(self, plan: Any, inputs: list[Bounded]) -> Bounded:
        (only,) = inputs
        self._decide("a filter", only, [plan.condition()])
        return Bounded(self._over(plan, inputs), only.rounded, tuple(inputs))

    def _limit(self, plan: Any, inputs: list[Bounded]) -> Bounded:
        """A limit or an offset is decided by the order below it."""
        (only,) = inputs
        below, node, skipped = only, plan.child(), 0
        while kind(node) in KEEPING_ORDER:
            skipped += int(node.offsetExpr().eval(None)) if kind(node) == "Offset" else 0
            node, (below,) = node.child(), below.inputs
        sorts = kind(node) == "Sort" and node.productElement(1)
        unsorted = below.inputs[0] if sorts else only
        if not unsorted.rounded:
            return Bounded(self._over(plan, inputs), {}, tuple(inputs))
        if not sorts:
            raise UnrepeatableError("a limit without an order chooses among sums of floating point numbers")
        rows = plan.limitExpr() if kind(plan) == "GlobalLimit" else plan.offsetExpr()
        given = self._deciding(unsorted.rounded)
        ordered, keys = ordered_by(self._jvm, given, unsorted.plan, listed(node.order()), [])
        self.decisions.append(OfFirst("a limit", ordered, keys, skipped + int(rows.eval(None))))
        return Bounded(self._over(plan, inputs), only.rounded, tuple(inputs))

    def _join(self, plan: Any, inputs: list[Bounded]) -> Bounded:
        left, right = inputs
        both = {**left.rounded, **right.rounded}
        condition = optional(plan.condition())
        deciding = self._deciding(both)
        if condition is not None and deciding.touches(condition):
            parts = conjuncts(condition)
            exact = [self._jvm.column(each) for each in parts if not deciding.touches(each)]
            if not exact:
                raise UnrepeatableError("a join is decided by sums of floating point numbers alone")
            doubt = reduce(or_, (deciding.unsettled(each) for each in parts if deciding.touches(each)))
            pairs = self._jvm.type(LOGICAL + "Join")(
                left.plan, right.plan, self._jvm.one(f"{CATALYST}plans.Inner"), self._jvm.view.scala.Option.empty(),
                self._jvm.type(LOGICAL + "JoinHint").NONE(),
            )  # fmt: skip
            self._doubt("a join", pairs, reduce(Column.__and__, exact) & doubt)
        given = {key(each) for each in output(plan)}
        rounded = {name: interval for name, interval in both.items() if name in given}
        return self._aligned(plan, rounded, inputs)

    def _union(self, plan: Any, inputs: list[Bounded]) -> Bounded:
        columns = [output(each) for each in listed(plan.children())]
        places = {
            place
            for attributes, each in zip(columns, inputs, strict=True)
            for place, attribute in enumerate(attributes)
            if key(attribute) in each.rounded
        }
        unknown = {
            place
            for place in places
            for attributes, each in zip(columns, inputs, strict=True)
            if each.rounded.get(key(attributes[place]), Interval(0, 0)) is None
        }
        known = sorted(places - unknown)
        parts = []
        for attributes, each in zip(columns, inputs, strict=True):
            ends = [
                self._jvm.column(end).alias(self._name())
                for place in known
                for end in _ends(each.rounded.get(key(attributes[place])), attributes[place])
            ]
            parts.append(self._jvm.select(each.plan, attributes, *ends))
        made = plan.withNewChildren(self._jvm.seq(parts))
        wanted, given = output(plan), output(made)
        aliases = [
            each if key(each) == key(attribute) else self._jvm.alias(each, attribute)
            for each, attribute in zip(given[: len(wanted)], wanted, strict=True)
        ]
        ends_of = given[len(wanted) :]
        rounded: dict[str, Interval | None] = {key(wanted[place]): None for place in unknown}
        for number, place in enumerate(known):
            rounded[key(wanted[place])] = Interval(*ends_of[2 * number : 2 * number + 2])
        return Bounded(self._jvm.select(made, [*aliases, *ends_of]), rounded, tuple(inputs))

    def _expand(self, plan: Any, inputs: list[Bounded]) -> Bounded:
        """Grouping sets; how far what they give is rounded is not carried on."""
        (only,) = inputs
        reading = self._reading(only.rounded)
        rounded: dict[str, Interval | None] = {
            key(attribute): None
            for row in map(listed, listed(plan.projections()))
            for attribute, each in zip(output(plan), row, strict=True)
            if reading.touches(each)
        }
        return Bounded(self._over(plan, inputs), rounded, tuple(inputs))

    def _generate(self, plan: Any, inputs: list[Bounded]) -> Bounded:
        (only,) = inputs
        self._decide("a generator", only, listed(plan.generator().children()))
        given = {key(each) for each in output(plan)}
        rounded = {name: interval for name, interval in only.rounded.items() if name in given}
        return self._aligned(plan, rounded, inputs)

    def _window(self, plan: Any, inputs: list[Bounded]) -> Bounded:
        (only,) = inputs
        deciding, functions = self._deciding(only.rounded), listed(plan.windowExpressions())
        partition, orders = listed(plan.partitionSpec()), listed(plan.orderSpec())
        self._decide("the partition of a window", only, partition)
        by_rows = only.rounded and any(_frame(each) == "RowFrame" for each in functions)
        if orders and (by_rows or any(deciding.touches(each.child()) for each in orders)):
            names = [f"p{number}" for number in range(len(partition))]
            more = [self._jvm.column(each).alias(name) for each, name in zip(partition, names, strict=True)]
            ordered, keys = ordered_by(self._jvm, deciding, only.plan, orders, more)
            self.decisions.append(OfOrder("the order of a window", ordered, names, keys))
        rounded = dict(only.rounded)
        for each in functions:
            if self._is_rounded_window(deciding, each.child()):
                rounded[key(each)] = None
        if not rounded:
            return Bounded(self._over(plan, inputs), {}, tuple(inputs))
        return self._aligned(plan, rounded, inputs)

    @staticmethod
    def _is_rounded_window(deciding: Intervals, expression: Any) -> bool:
        function = expression.windowFunction() if kind(expression) == "WindowExpression" else expression
        if kind(function) == "AggregateExpression":
            return is_rounded(deciding, function)
        return kind(function) not in RANKS and deciding.touches(function)

    def _aggregate(self, plan: Any, inputs: list[Bounded]) -> Bounded:
        (only,) = inputs
        reading = self._reading(only.rounded)
        results, grouping = listed(plan.aggregateExpressions()), listed(plan.groupingExpressions())
        aggregates = [
            [each for each in nodes(result) if kind(each) == "AggregateExpression"] for result in results
        ]
        self._decide("a group", only, grouping)
        for each in (each for row in aggregates for each in row):
            condition = optional(each.filter())
            chosen = [] if condition is None else [condition]
            if kind(each.aggregateFunction()) == "CollectSet":
                chosen += listed(each.aggregateFunction().children())
            self._decide("what is aggregated", only, chosen)
        found = [[is_rounded(reading, each) for each in row] for row in aggregates]
        if not any(any(row) for row in found):
            return Bounded(self._over(plan, inputs), {}, tuple(inputs))
        rounded: dict[str, Interval | None] = {
            key(result): None for result, row in zip(results, found, strict=True) if any(row)
        }
        if any(kind(each) in PYTHON_AGGREGATES for result in results for each in nodes(result)):
            return Bounded(self._over(plan, inputs), rounded, tuple(inputs))
        beside = Beside(self._jvm, only.plan, self._name)
        for result, row, flags in zip(results, aggregates, found, strict=True):
            if any(flags):
                beside.add(reading, result, row, flags)
        return Bounded(beside.made(plan, results, rounded), rounded, tuple(inputs))

    def _decide(self, title: str, given: Bounded, expressions: list[Any]) -> None:
        """Note that these expressions decide which records there are, if they are rounded."""
        deciding = self._deciding(given.rounded)
        touched = [each for each in expressions if deciding.touches(each)]
        if touched:
            self._doubt(title, given.plan, reduce(or_, map(deciding.unsettled, touched)))

    def _doubt(self, title: str, plan: Any, doubt: Column) -> None:
        doubtful = self._jvm.over(plan, lambda frame: frame.where(doubt).select(F.lit(1).alias("one")))
        self.decisions.append(OfRows(title, doubtful))

    def _reading(self, rounded: Rounded) -> Intervals:
        """Reads values; how far those of subqueries are rounded is not carried on."""

        def ends(expression: Any) -> Ends | None:
            return None if self._subquery(expression) is None else Ends(expression, None, None)

        return Intervals(self._jvm, rounded, ends)

    def _deciding(self, rounded: Rounded) -> Intervals:
        return Intervals(self._jvm, rounded, self._subquery)

    def _subquery(self, expression: Any) -> Ends | None:
        """The ends of a scalar subquery: subqueries of their own; None if it is not rounded."""
        number = expression.exprId().id()
        if number not in self._subqueries:
            below = normal(self._jvm, expression.plan())
            given, name = self.of(below), key(output(below)[0])
            self._subqueries[number] = None
            if name in given.rounded:
                low, high = (
                    (
                        self._jvm.copy(
                            expression,
                            _0=self._jvm.select(given.plan, [each]),
                            _2=self._jvm.one(EXPRESSIONS + "NamedExpression").newExprId(),
                        )
                        for each in attributes_of(given.rounded[name])
                    )
                    if given.rounded[name] is not None
                    else (None, None)
                )
                self._subqueries[number] = Ends(expression, low, high)
        return self._subqueries[number]

    def _over(self, plan: Any, inputs: list[Bounded]) -> Any:
        """The operator over the plans of its inputs."""
        before = listed(plan.children())
        if all(
            each.plan is node or each.plan.equals(node) for each, node in zip(inputs, before, strict=True)
        ):
            return plan
        return plan.withNewChildren(self._jvm.seq([each.plan for each in inputs]))

    def _aligned(self, plan: Any, rounded: Rounded, inputs: list[Bounded]) -> Bounded:
        """The columns of the plan, and after them the ends."""
        ends = once_each([each for interval in rounded.values() for each in attributes_of(interval)])
        made = self._jvm.select(self._over(plan, inputs), [*output(plan), *ends])
        return Bounded(made, rounded, tuple(inputs))

    def _name(self) -> str:
        return f"__headwater_end_{next(self._numbers)}"


def _frame(alias: Any) -> str:
    expression = alias.child()
    if kind(expression) != "WindowExpression":
        return ""
    return kind(expression.windowSpec().frameSpecification().frameType())


def _ends(interval: Interval | None, attribute: Any) -> list[Any]:
    """The ends of an attribute, which itself is both if it is not rounded."""
    return [attribute, attribute] if interval is None else [interval.low, interval.high]
